// What the scenarios share: rows that take turns on crews of several sizes, and the figures of a row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clock.h"
#include "crew.h"

namespace bench {

struct Measured {
  std::shared_ptr<Design> design;  // rows may share one
  unsigned threads = 1;
  Cost cost{};
  std::vector<double> lines_per_s{};  // one for each round

  double ns_per_line() const { return static_cast<double>(cost.cpu_ns) / static_cast<double>(cost.lines); }
  double rate() const;  // lines a second: the median of the rounds
  double sys_share() const;
};

// Each row in every round for seconds / rounds, in turn. Returns nanoseconds per tick of the rows' histograms.
double measure_in_turn(std::vector<Measured>& rows, unsigned rounds, double seconds,
                       unsigned timed_every = kTimedEvery);

// Warns when the rounds of some row are far apart.
void warn_of_spread(const std::vector<Measured>& rows);

}  // namespace bench
