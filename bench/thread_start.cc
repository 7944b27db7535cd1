#include "thread_start.h"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>
#include <vector>

#include "clock.h"
#include "loguuid.h"
#include "stats.h"
#include "table.h"

namespace bench {
namespace {

constexpr uint32_t kThreads = 200;

double median_start(bool live) {
  const uint64_t seed = 42;
  loguuid_config config{};
  config.size = sizeof config;
  config.seed = &seed;
  config.seed_len = sizeof seed;
  if (loguuid_boot(live ? nullptr : &config) != LOGUUID_OK) return std::nan("");
  std::vector<double> times;
  for (uint32_t tid = 0; tid < kThreads; ++tid) {
    std::thread([&] {
      const uint64_t before = wall_ns();
      const loguuid_status status = loguuid_thread_start(tid);
      const uint64_t after = wall_ns();
      if (status == LOGUUID_OK) times.push_back(static_cast<double>(after - before));
    }).join();
  }
  return median(times);
}

double in_child(bool live) {
  int ends[2];
  if (pipe(ends) != 0) return std::nan("");
  const pid_t child = fork();
  if (child == 0) {
    const double result = median_start(live);
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  double result = std::nan("");
  if (child < 0 || read(ends[0], &result, sizeof result) != sizeof result) result = std::nan("");
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return result;
}

}  // namespace

ThreadCost measure_thread_cost() {
  ThreadCost cost;
  cost.start_ns = in_child(false);
  cost.live_start_ns = in_child(true);
  loguuid_info info{};
  info.size = sizeof info;
  if (loguuid_describe(&info) == LOGUUID_OK) cost.state_bytes = info.thread_state_bytes;
  return cost;
}

void print_thread_cost(const ThreadCost& cost) {
  fmt::print("A thread's state takes {} bytes; starting it takes {}, with the system's entropy call {}.\n",
             cost.state_bytes, human_ns(cost.start_ns), human_ns(cost.live_start_ns));
}

}  // namespace bench
