// The same line on 1, 2, 4, ... threads: designs that share something stop growing, or shrink, as threads are added.
#include <fmt/core.h>

#include <algorithm>

#include "designs.h"
#include "machine.h"
#include "measure.h"
#include "scenarios.h"
#include "table.h"
#include "thread_start.h"

namespace bench {
namespace {

constexpr size_t kUuids = 100;
constexpr double kSeconds = 0.45;
constexpr unsigned kRounds = 5;

struct Scaling {
  std::vector<std::string> names;
  std::vector<unsigned> counts;
  std::vector<Measured> rows;  // for each count, each design
  size_t uuids;
  double ns_per_tick = 1;

  const Measured& at(size_t count, size_t design) const { return rows[count * names.size() + design]; }
  // Of what that many threads would make if each had a core to itself, or its share of one, and shared nothing.
  double efficiency(size_t count, size_t design) const {
    const unsigned cores = std::min(counts[count], machine().cores);
    return at(count, design).rate() / (at(0, design).rate() * cores);
  }
};

// What the figures say about sharing, for the row with the most threads.
std::string judge(const Scaling& scaling, size_t design) {
  const size_t last = scaling.counts.size() - 1;
  const Measured& row = scaling.at(last, design);
  const double growth = row.ns_per_line() / scaling.at(0, design).ns_per_line();
  const double busy = static_cast<double>(row.cost.cpu_ns) /
                      (static_cast<double>(row.cost.wall_ns) * std::min(row.threads, machine().cores));
  if (growth > 1.1)
    return fmt::format("a UUID costs {:.2f} times the CPU time it takes alone, so the threads share something", growth);
  if (scaling.efficiency(last, design) >= 0.95) return "the threads share nothing that costs";
  return fmt::format(
      "a UUID costs no more CPU time than alone, but the threads had only {:.0f}% of the cores (they slept, or other "
      "processes ran)",
      busy * 100);
}

std::vector<unsigned> thread_counts(unsigned highest) {
  std::vector<unsigned> counts = {1};
  for (unsigned n = 2; n < highest; n += 2) counts.push_back(n);
  if (highest > 1) counts.push_back(highest);
  return counts;
}

bool prepare(const Options& options, Scaling& scaling, std::string& message) {
  scaling.uuids = options.uuids.value_or(kUuids);
  scaling.counts = thread_counts(options.threads.value_or(20));
  const std::vector<std::string> usual = {"loguuid", "loguuid-call", "haproxy", "mutex", "dwcas"};
  std::vector<std::shared_ptr<Design>> designs;
  for (const std::string& name : options.designs.empty() ? usual : options.designs) {
    std::shared_ptr<Design> design = make_design(name, {scaling.uuids, ""}, message);
    if (!design) {
      warn(fmt::format("design {} is skipped: {}", name, message));
      continue;
    }
    if (message = check_design(*design, {scaling.uuids, ""}); !message.empty()) return false;
    scaling.names.push_back(name);
    designs.push_back(std::move(design));
  }
  for (const unsigned count : scaling.counts)
    for (const auto& design : designs) scaling.rows.push_back({design, count});
  if (designs.empty()) message = "no design is left to measure";
  return !designs.empty();
}

void print(const Scaling& scaling) {
  std::vector<std::string> columns = {"threads"};
  for (const std::string& name : scaling.names) {
    columns.push_back(name);
    columns.push_back("of ideal");
  }
  Table table(columns);
  for (size_t i = 0; i < scaling.counts.size(); ++i) {
    std::vector<std::string> cells = {std::to_string(scaling.counts[i])};
    for (size_t j = 0; j < scaling.names.size(); ++j) {
      cells.push_back(human_count(scaling.at(i, j).rate() * static_cast<double>(scaling.uuids)) + "/s");
      cells.push_back(fmt::format("{:.0f}%", scaling.efficiency(i, j) * 100));
    }
    table.row(cells, scaling.counts[i] == machine().cores);
  }
  table.print();
  fmt::print("\n");
  const size_t last = scaling.counts.size() - 1;
  for (size_t j = 0; j < scaling.names.size(); ++j) {
    fmt::print("{}{}: {} threads on {} cores make {:.0f}% of {} times one thread's UUIDs: {}.{}\n",
               j == 0 ? bold() : "", scaling.names[j], scaling.counts[last], machine().cores,
               scaling.efficiency(last, j) * 100, std::min(scaling.counts[last], machine().cores), judge(scaling, j),
               j == 0 ? plain() : "");
  }
  const Histogram& one = scaling.at(0, 0).cost.line_ticks;
  fmt::print("{}, one thread: a line takes {} in the median, {} at the 99th percentile.\n", scaling.names[0],
             human_ns(one.quantile(0.5) * scaling.ns_per_tick), human_ns(one.quantile(0.99) * scaling.ns_per_tick));
}

Json document(const Scaling& scaling, const ThreadCost& thread_cost) {
  Json json;
  json.begin_object().machine_members().member("scenario", "scaling").member("uuids_per_line", scaling.uuids);
  json.member("thread_state_bytes", thread_cost.state_bytes).member("thread_start_ns", thread_cost.start_ns);
  json.member("live_thread_start_ns", thread_cost.live_start_ns).key("rows").begin_array();
  for (size_t i = 0; i < scaling.counts.size(); ++i) {
    for (size_t j = 0; j < scaling.names.size(); ++j) {
      const Measured& row = scaling.at(i, j);
      const double uuids = static_cast<double>(scaling.uuids);
      json.begin_object().member("name", scaling.names[j]).member("threads", row.threads);
      json.member("uuids_per_s", row.rate() * uuids).member("ns_per_uuid", row.ns_per_line() / uuids);
      json.member("of_ideal", scaling.efficiency(i, j));
      json.key("line_ns").begin_object().member("p50", row.cost.line_ticks.quantile(0.5) * scaling.ns_per_tick);
      json.member("p99", row.cost.line_ticks.quantile(0.99) * scaling.ns_per_tick).end_object().end_object();
    }
  }
  json.end_array().end_object();
  return json;
}

}  // namespace

int run_scaling(const Options& options) {
  Scaling scaling;
  std::string message;
  const ThreadCost thread_cost = measure_thread_cost();
  if (!prepare(options, scaling, message)) return fail(message);
  scaling.ns_per_tick =
      measure_in_turn(scaling.rows, options.rounds.value_or(kRounds), options.seconds.value_or(kSeconds));
  if (wants_table(options)) {
    print_machine();
    fmt::print("\n");
    print(scaling);
    print_thread_cost(thread_cost);
  }
  warn_of_spread(scaling.rows);
  return finish(options, document(scaling, thread_cost));
}

}  // namespace bench
