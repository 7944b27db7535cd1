// What a thread costs before its first UUID.
#pragma once

#include <cstddef>

namespace bench {

struct ThreadCost {
  size_t state_bytes = 0;    // memory of one thread's lane
  double start_ns = 0;       // median loguuid_thread_start() in a fresh thread, without the system's entropy call
  double live_start_ns = 0;  // with it
};

// Measures in child processes, since a process boots once: call it before the first draw, with no other thread running.
ThreadCost measure_thread_cost();

void print_thread_cost(const ThreadCost& cost);

}  // namespace bench
