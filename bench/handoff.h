// Lines that one thread makes and another writes and releases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

struct HandoffResult {
  uint64_t lines = 0;
  uint64_t wall_ns = 0;
  uint64_t cpu_ns = 0;                // of all threads
  uint64_t peak_early = 0, peak = 0;  // resident bytes: the most after ten seconds (or at the end), and at the end
  uint64_t resident = 0;              // at the end
};

struct HandoffTask {
  bool ring = false;  // lines in buffers that stay, else malloc and free for each
  unsigned pairs = 32;
  double seconds = 10;
  std::string format;
};

// Runs in this process, with the malloc it was started with. False when the format does not compile.
bool hand_lines_over(const HandoffTask& task, HandoffResult& result, std::string& message);

}  // namespace bench
