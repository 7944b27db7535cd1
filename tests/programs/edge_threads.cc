// The ends of threads and of the process: draws in destructors of every kind work, TIDs and lanes come free by
// themselves, and any number of short threads leaves memory and mappings as they were.  edge_threads [THREADS]
#include <pthread.h>

#include <atomic>
#include <barrier>

#include "edge.h"

namespace {

Drawn* drawn;

// ---- late draws ----

struct DrawsAtItsEnd {
  ~DrawsAtItsEnd() { drawn->add_v4(); }
  int used = 0;
};
thread_local DrawsAtItsEnd thread_object;
pthread_key_t early_key, late_key;

void draw_in_key_destructor(void* rounds) {
  drawn->add_v4();
  drawn->add(v4_id());
  // The keys' destructors are called again for a value that one of them sets.
  const auto left = reinterpret_cast<intptr_t>(rounds) - 1;
  if (left > 0) pthread_setspecific(late_key, reinterpret_cast<void*>(left));
}

void late_in_threads() {
  CHECK_EQ(0, pthread_key_create(&late_key, draw_in_key_destructor));
  for (uint32_t i = 0; i < 200; ++i) {
    in_a_thread([&] {
      pthread_setspecific(early_key, reinterpret_cast<void*>(1));
      thread_object.used = 1;
      if (i % 2 != 0) CHECK_EQ(LOGUUID_OK, loguuid_thread_start(i % 4));
      drawn->add_v4();
      pthread_setspecific(late_key, reinterpret_cast<void*>(3));
    });
  }
  CHECK(drawn->size() >= 200u * (1 + 1 + 2 + 2 * 3));
  CHECK_EQ(0, drawn->duplicates());
}

DrawsAtItsEnd* static_object_is_wanted;
struct StaticObject {
  ~StaticObject() {
    if (static_object_is_wanted != nullptr) drawn->add_v4();
  }
} static_object;

__attribute__((destructor)) void at_unload() {
  if (static_object_is_wanted != nullptr) drawn->add_v4();
}

void late_in_process() {
  const int status = status_of_child([] {
    static DrawsAtItsEnd object;
    static_object_is_wanted = &object;
    atexit([] { drawn->add_v4(); });
    drawn->add_v4();
    atexit([] { drawn->add_v4(); });
    thread_object.used = 1;
    exit(0);
  });
  CHECK_EQ(0, status);
  CHECK_EQ(1 + 2 + 1 + 1 + 1 + 1, drawn->size());
  CHECK_EQ(0, drawn->duplicates());
}

// ---- many short threads ----

struct Memory {
  long mappings = 0, resident_kib = 0;
};

Memory memory_now() {
  Memory now;
  char line[512];
  FILE* file = fopen("/proc/self/maps", "r");
  CHECK(file != nullptr);
  while (fgets(line, sizeof line, file) != nullptr) ++now.mappings;
  fclose(file);
  file = fopen("/proc/self/status", "r");
  CHECK(file != nullptr);
  while (fgets(line, sizeof line, file) != nullptr) sscanf(line, "VmRSS: %ld", &now.resident_kib);
  fclose(file);
  return now;
}

void short_threads(long count) {
  constexpr uint32_t kAtOnce = 4;
  const auto some = [](long n) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    for (long i = 0; i < n; i += kAtOnce) {
      pthread_t threads[kAtOnce];
      for (uintptr_t t = 0; t < kAtOnce; ++t) {
        const auto body = [](void* tid) -> void* {
          const auto number = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(tid));
          if (number % 2 != 0) CHECK_EQ(LOGUUID_OK, loguuid_thread_start(number));
          loguuid_random64();
          return nullptr;
        };
        CHECK_EQ(0, pthread_create(&threads[t], &small, body, reinterpret_cast<void*>(t)));
      }
      for (const pthread_t thread : threads) CHECK_EQ(0, pthread_join(thread, nullptr));
    }
    pthread_attr_destroy(&small);
  };
  some(2000);
  const Memory before = memory_now();
  some(count);
  const Memory after = memory_now();
  printf("%ld threads: %ld mappings, then %ld; %ld KiB, then %ld\n", count, before.mappings, after.mappings,
         before.resident_kib, after.resident_kib);
  CHECK(after.mappings <= before.mappings + 4);
  CHECK(after.resident_kib <= before.resident_kib + 1024);
}

// ---- many at once ----

// More threads than a chunk of slots holds, all alive: every one has a lane of its own.
void many_at_once() {
  constexpr size_t kThreads = 200;
  std::barrier all(kThreads);
  std::atomic<int> booted = 0;
  std::vector<std::thread> threads;
  std::vector<uint64_t> lanes(kThreads);
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      all.arrive_and_wait();
      booted += loguuid_boot(nullptr) == LOGUUID_OK;
      for (int n = 0; n < 50; ++n) drawn->add_v4();
      lanes[i] = loguuid_gen_position(nullptr).thread;
      all.arrive_and_wait();
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(1, booted.load());
  CHECK_EQ(0, drawn->duplicates());
  std::sort(lanes.begin(), lanes.end());
  CHECK(std::adjacent_find(lanes.begin(), lanes.end()) == lanes.end());
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 100000;
  drawn = new Drawn(1 << 16);
  CHECK_EQ(0, pthread_key_create(&early_key, draw_in_key_destructor));
  in_a_child(late_in_threads);
  drawn->clear();
  late_in_process();
  drawn->clear();
  in_a_child(many_at_once);
  // An emulator keeps 130 KiB of its own for each thread that ended.
  if (getenv("LOGUUID_TEST_SLOW") == nullptr) in_a_child([=] { short_threads(count); });
  fflush(stdout);
  _exit(0);
}
