// Of 64 threads that boot at once, one does, and all draw from lanes of their own.
#include <atomic>
#include <barrier>
#include <set>
#include <vector>

#include "check.h"

int main() {
  constexpr int kThreads = 64;
  const uint64_t seed = 42;
  const loguuid_config config = seeded_config(seed);
  std::atomic<int> booted = 0;
  std::barrier start(kThreads), drawn(kThreads);
  std::vector<std::string> uuids(kThreads);
  std::vector<loguuid_position> lanes(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      const loguuid_status status = loguuid_boot(&config);
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
