// Of 64 threads that boot at once, one does, and all draw from lanes of their own. They do boot at once: each waits
// inside its boot, where it asks the system for its seed, until all have come so far.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <set>
#include <vector>

#include "check.h"

constexpr int kThreads = 64;
std::barrier inside_boot(kThreads);
std::atomic<int> seeds_asked_for = 0;

// In the place of the C library's.
extern "C" ssize_t getrandom(void* out, size_t len, unsigned flags) {
  if (seeds_asked_for++ < kThreads) inside_boot.arrive_and_wait();
  return syscall(SYS_getrandom, out, len, flags);
}

int main() {
  std::atomic<int> booted = 0;
  std::barrier start(kThreads), drawn(kThreads);
  std::vector<std::string> uuids(kThreads);
  std::vector<loguuid_position> lanes(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      const loguuid_status status = loguuid_boot(nullptr);
      CHECK(status == LOGUUID_OK || status == LOGUUID_ERR_STATE);
      if (status == LOGUUID_OK) ++booted;
      uuids[i] = v4();
      lanes[i] = loguuid_gen_position(nullptr);
      drawn.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(1, booted.load());
  CHECK_EQ(kThreads, std::set<std::string>(uuids.begin(), uuids.end()).size());
  std::set<std::pair<uint64_t, uint64_t>> walked;
  int lane_0 = 0;
  for (const loguuid_position& lane : lanes) {
    CHECK(walked.insert({lane.thread, lane.process}).second);
    lane_0 += lane.thread == 0;
  }
  CHECK_EQ(1, lane_0);
  return 0;
}
