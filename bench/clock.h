// Two clocks: a counter that costs a few nanoseconds, for the time of one line, and the system's, for everything else.
// The counter's unit is found at the end of a run by comparing both, so nothing waits for a calibration.
#pragma once

#include <time.h>

#include <cstdint>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace bench {

inline uint64_t clock_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

inline uint64_t wall_ns() { return clock_ns(CLOCK_MONOTONIC); }
inline uint64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// Not serialised: a line takes longer than the CPU looks ahead, and waiting twice would cost what is measured.
inline uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return wall_ns();
#endif
}

// Remembers both clocks when made; the longer it lives, the better it knows the unit.
class TickScale {
 public:
  TickScale() : ticks_(ticks()), wall_(wall_ns()) {}
  double ns_per_tick() const {
    const uint64_t count = ticks() - ticks_;
    return count == 0 ? 1.0 : static_cast<double>(wall_ns() - wall_) / static_cast<double>(count);
  }

 private:
  uint64_t ticks_, wall_;
};

// The least step the counter makes, in ticks: some CPUs count in strides of 10 ns.
inline uint64_t tick_step() {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 2000; ++i) {
    const uint64_t first = ticks();
    uint64_t second;
    do second = ticks();
    while (second == first);
    least = second - first < least ? second - first : least;
  }
  return least;
}

}  // namespace bench
