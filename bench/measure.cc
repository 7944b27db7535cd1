#include "measure.h"

#include <fmt/core.h>

#include "stats.h"
#include "table.h"

namespace bench {
namespace {
constexpr double kWarmUp = 0.005;
}

double Measured::rate() const { return median(lines_per_s); }

double Measured::sys_share() const {
  const double all = cost.user_s + cost.sys_s;
  return all > 0 ? cost.sys_s / all : 0;
}

double measure_in_turn(std::vector<Measured>& rows, unsigned rounds, double seconds, unsigned timed_every) {
  const TickScale scale;
  std::unique_ptr<Crew> crew;
  unsigned crew_size = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (Measured& row : rows) {
      progress(fmt::format("round {} of {}: {}, {} threads", round + 1, rounds, row.design->name(), row.threads));
      if (crew_size != row.threads) {
        crew.reset();  // gives its TIDs back first
        crew = std::make_unique<Crew>(crew_size = row.threads, timed_every);
      }
      crew->run(*row.design, kWarmUp);
      const Cost cost = crew->run(*row.design, seconds / rounds);
      row.lines_per_s.push_back(static_cast<double>(cost.lines) / (static_cast<double>(cost.wall_ns) * 1e-9));
      row.cost.add(cost);
    }
  }
  progress("");
  return scale.ns_per_tick();
}

void warn_of_spread(const std::vector<Measured>& rows) {
  const Measured* worst = nullptr;
  size_t wide = 0;
  for (const Measured& row : rows) {
    const double its = spread(row.lines_per_s);
    if (its > kLargeSpread) ++wide;
    if (worst == nullptr || its > spread(worst->lines_per_s)) worst = &row;
  }
  if (wide == 0) return;
  warn(fmt::format(
      "in {} of {} rows the rounds are more than {:.0f}% apart (worst: {}, {} threads, {:.0f}%): something "
      "else ran on this machine, measure again",
      wide, rows.size(), kLargeSpread * 100, worst->design->name(), worst->threads, spread(worst->lines_per_s) * 100));
}

}  // namespace bench
