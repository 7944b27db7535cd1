// For programs that need a process of their own: the first thing that is not as it should be ends them, with the reason
// on the last line of standard output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "loguuid.h"

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      fflush(stdout);                                                  \
      _Exit(1);                                                        \
    }                                                                  \
  } while (0)

#define CHECK_EQ(right, value)                                                                                \
  do {                                                                                                        \
    const long long check_right = static_cast<long long>(right), check_value = static_cast<long long>(value); \
    if (check_right != check_value) {                                                                         \
      printf("%s:%d: %s is %lld, should be %lld\n", __FILE__, __LINE__, #value, check_value, check_right);    \
      fflush(stdout);                                                                                         \
      _Exit(1);                                                                                               \
    }                                                                                                         \
  } while (0)

inline void skip(const char* why) {
  printf("%s\n", why);
  exit(77);
}

inline loguuid_config seeded_config(const uint64_t& seed) {
  loguuid_config config{};
  config.size = sizeof config;
  config.seed = &seed;
  config.seed_len = sizeof seed;
  return config;
}

inline std::string v4() {
  char text[37] = "";
  CHECK_EQ(36, loguuid_v4(text, sizeof text));
  return text;
}

// One after the other: the operands of a + come in any order.
inline std::string v4_row(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += v4();
  return text;
}

inline std::string v7() {
  char text[37] = "";
  CHECK_EQ(36, loguuid_v7(text, sizeof text));
  return text;
}

// The first UUIDs of a lane, from a generator of our own: what a thread on that lane must give.
inline std::string first_of_lane(uint64_t seed, uint64_t thread, uint64_t process, int count = 1) {
  loguuid_gen gen;
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init(&gen, &seed, sizeof seed, thread, process, LOGUUID_HASH_AES));
  loguuid_gen* const before = loguuid_use(&gen);
  const std::string text = v4_row(count);
  loguuid_use(before);
  loguuid_gen_wipe(&gen);
  return text;
}

template <class Work>
void in_a_thread(Work work) {
  std::thread thread(work);
  thread.join();
}
