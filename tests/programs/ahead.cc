// The thread's own lane, which makes blocks ahead for single calls, against a caller-owned generator on the same lane,
// which never does: whatever the calls and their order, the bytes and the positions are the same, for every kernel.
#include <random>
#include <string>

#include "edge.h"
#include "lane.h"

namespace {

std::string text_of(size_t (*call)(char*, size_t)) {
  char text[64];
  const size_t len = call(text, sizeof text);
  CHECK(len != 0);
  return {text, len};
}

std::string batch(size_t count) {
  std::string text(37 * count, '\0');
  CHECK_EQ(text.size() - 1, loguuid_v4_many(text.data(), text.size(), count, ' '));
  return text;
}

std::string bytes(size_t count) {
  std::string value(count, '\0');
  loguuid_random_bytes(value.data(), count);
  return value;
}

std::string token(size_t num_bytes) {
  char text[64];
  const size_t len = loguuid_token(text, sizeof text, num_bytes, LOGUUID_BASE64URL);
  CHECK_EQ(loguuid_token_size(num_bytes, LOGUUID_BASE64URL), len + 1);
  return {text, len};
}

std::string word(uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

constexpr unsigned kCalls = 15, kSingleCalls = 8;

std::string call(unsigned kind) {
  switch (kind) {
    case 0:
      return text_of(loguuid_v4);
    case 1:
      return word(loguuid_random64());
    case 2:
      return word(loguuid_random32());
    case 3: {
      uint64_t lo, hi;
      loguuid_random_pair(&lo, &hi);
      return word(lo) + word(hi);
    }
    case 4: {
      const Id id = v4_id();
      return {reinterpret_cast<const char*>(id.data()), id.size()};
    }
    case 5:
      return text_of(loguuid_websocket_key);
    case 6:
      return token(16);
    case 7:
      return token(5);
    case 8:
      return text_of(loguuid_v7);
    case 9:
      return text_of(loguuid_ulid);
    case 10:
      return batch(3);
    case 11:
      return batch(70);
    case 12:
      return bytes(40);
    case 13:
      return word(loguuid_random64_internal());
    default:
      return word(loguuid_random_below(1000003));
  }
}

uint64_t noon() { return 1'700'000'000'000'000'000; }

// Mostly runs of single calls, of all lengths around what is made ahead.
void same_calls(unsigned seed) {
  loguuid_gen gen;
  const uint64_t lane_seed = 42;
  loguuid_config config = seeded_config(lane_seed);
  config.now_ns = noon;
  CHECK_EQ(LOGUUID_OK, loguuid_boot(&config));
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init(&gen, &lane_seed, sizeof lane_seed, 0, 0, LOGUUID_HASH_AES));
  loguuid_gen_set_clock(&gen, noon());
  std::minstd_rand random(seed);
  for (int round = 0; round < 2000; ++round) {
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() >> 8) % bound; };
    const unsigned kind = below(kCalls);
    const size_t times = kind < kSingleCalls ? below(3 * loguuid::kAheadBlocks) : 1;
    const bool look = below(4) == 0;
    std::string ours, theirs;
    for (size_t i = 0; i < times; ++i) ours += call(kind);
    const uint64_t draws = look ? loguuid_gen_position(nullptr).draws : 0;
    loguuid_use(&gen);
    for (size_t i = 0; i < times; ++i) theirs += call(kind);
    loguuid_use(nullptr);
    CHECK(ours == theirs);
    if (look) CHECK_EQ(loguuid_gen_position(&gen).draws, draws);
  }
}

// A NUL behind each text and nothing else behind that, also for the calls that find blocks ready.
void writes_37_bytes() {
  for (size_t i = 0; i < 3 * loguuid::kAheadBlocks; ++i) {
    char text[48];
    memset(text, 0x5a, sizeof text);
    CHECK_EQ(36, loguuid_v4(text, 37));
    CHECK_EQ('\0', text[36]);
    for (size_t j = 37; j < sizeof text; ++j) CHECK_EQ(0x5a, text[j]);
  }
}

}  // namespace

int main() {
  for (const char* kernel : {"scalar", "ssse3", "avx2", "avx512", "neon"})
    for (unsigned seed = 0; seed < 3; ++seed)
      in_a_child([=] {
        setenv("LOGUUID_KERNEL", kernel, 1);
        same_calls(seed);
        writes_37_bytes();
      });
  return 0;
}
