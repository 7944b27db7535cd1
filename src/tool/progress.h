// A line on standard error about long work: how much is done, how fast, how long it still takes. Only where a person
// sees it, only after a second, and gone at the end, also when a signal brings that. No colours, so NO_COLOR has
// nothing to switch off.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace loguuid::tool {

// Whether the work writes to standard output while it runs: if that is a terminal too, the output itself is the sign of
// life, and a progress line would stand in the middle of it. What is typed needs no progress line either.
enum class Work { writes, silent, typed };

class Progress {
 public:
  // `noun`: what is counted, in the plural. Without a total it only counts.
  Progress(Work work, std::string noun, std::uint64_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Costs one reading of the clock: call it for each block, not for each item.
  void update(std::uint64_t done);
  // Makes place for a message.
  void hide();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& text);

  std::string noun_;
  std::uint64_t total_;
  bool active_;
  Clock::time_point start_;
  Clock::time_point next_;
  std::size_t shown_ = 0;  // characters of the line that stands there now
};

}  // namespace loguuid::tool
