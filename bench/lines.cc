// The main scenario: every design renders the same line, on many threads, taking turns.
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "clock.h"
#include "crew.h"
#include "designs.h"
#include "format.h"
#include "machine.h"
#include "scenarios.h"
#include "stats.h"
#include "table.h"
#include "thread_start.h"

namespace bench {
namespace {

constexpr unsigned kThreads = 20, kRounds = 15;
constexpr size_t kUuids = 100;
constexpr double kSeconds = 1.5, kWarmUp = 0.02;

struct Row {
  std::unique_ptr<Design> design;
  Cost cost;
  std::vector<double> ns_per_line;  // CPU time, one for each round
  double ns_per_uuid = 0, vs_haproxy = 0;
};

struct Plan {
  LineShape shape;
  size_t line_uuids = 0;  // of the format that a file gave
  unsigned threads, rounds;
  double seconds;
  ThreadCost thread_cost;
  double ns_per_tick = 1;
  std::vector<Row> rows;
};

// What the options ask for. False and a message when it cannot be done.
bool make_plan(const Options& options, Plan& plan, std::string& message) {
  plan.threads = options.threads.value_or(kThreads);
  plan.rounds = options.rounds.value_or(kRounds);
  plan.seconds = options.seconds.value_or(kSeconds);
  plan.shape.uuids = options.uuids.value_or(kUuids);
  std::vector<std::string> names = options.designs.empty() ? design_names() : options.designs;
  if (!options.format_file.empty()) {
    if (!read_format_file(options.format_file, plan.shape.format, message)) return false;
    const Format format = compile(plan.shape.format, message);
    if (!format) {
      message = fmt::format("{}: {}", options.format_file, message);
      return false;
    }
    plan.line_uuids = count_uuids(plan.shape.format);
    plan.shape.uuids = options.uuids.value_or(std::max<size_t>(plan.line_uuids, 1));
    if (options.designs.empty()) names = {"loguuid", "memcpy"};
  }
  for (const std::string& name : names) {
    Row row;
    row.design = make_design(name, plan.shape, message);
    if (row.design)
      plan.rows.push_back(std::move(row));
    else
      warn(fmt::format("design {} is skipped: {}", name, message));
  }
  if (plan.rows.empty()) message = "no design is left to measure";
  return !plan.rows.empty();
}

void measure(Plan& plan) {
  Crew crew(plan.threads);
  const TickScale scale;
  for (Row& row : plan.rows) crew.run(*row.design, kWarmUp);
  for (unsigned round = 0; round < plan.rounds; ++round) {
    for (Row& row : plan.rows) {
      progress(fmt::format("round {} of {}: {}", round + 1, plan.rounds, row.design->name()));
      const Cost cost = crew.run(*row.design, plan.seconds / plan.rounds);
      row.ns_per_line.push_back(static_cast<double>(cost.cpu_ns) / static_cast<double>(cost.lines));
      row.cost.add(cost);
    }
  }
  progress("");
  plan.ns_per_tick = scale.ns_per_tick();
}

const Row* find(const Plan& plan, const std::string& name) {
  for (const Row& row : plan.rows)
    if (row.design->name() == name) return &row;
  return nullptr;
}

// UUIDs in a line of this row.
double uuids(const Plan& plan, const Row& row) {
  const std::string_view name = row.design->name();
  const bool other_format = !plan.shape.format.empty() && (name == "loguuid" || name == "memcpy");
  return static_cast<double>(other_format ? plan.line_uuids : plan.shape.uuids);
}

void conclude(Plan& plan) {
  for (Row& row : plan.rows) row.ns_per_uuid = median(row.ns_per_line) / uuids(plan, row);  // infinite without any
  const Row* haproxy = find(plan, "haproxy");
  for (Row& row : plan.rows)
    row.vs_haproxy =
        haproxy == nullptr || std::isinf(row.ns_per_uuid) ? std::nan("") : haproxy->ns_per_uuid / row.ns_per_uuid;
}

double lines_per_s(const Row& row) {
  return static_cast<double>(row.cost.lines) / (static_cast<double>(row.cost.wall_ns) * 1e-9);
}

double line_ns(const Plan& plan, const Row& row, double share) {
  return row.cost.line_ticks.quantile(share) * plan.ns_per_tick;
}
double max_line_ns(const Plan& plan, const Row& row) {
  return static_cast<double>(row.cost.line_ticks.max()) * plan.ns_per_tick;
}

void print_table(const Plan& plan) {
  const bool format = !plan.shape.format.empty();  // then the line is what matters, not its UUIDs
  Table table({"<design", format ? "lines/s" : "UUIDs/s", format ? "CPU/line" : "CPU/UUID", "spread", "line p50", "p99",
               "p99.9", "max", "user s", "sys s", "waits/forced", "vs haproxy"});
  for (const Row& row : plan.rows) {
    const Cost& cost = row.cost;
    table.row({row.design->name(), human_count(lines_per_s(row) * (format ? 1 : uuids(plan, row))),
               human_ns(format ? median(row.ns_per_line) : row.ns_per_uuid),
               fmt::format("{:.1f}%", spread(row.ns_per_line) * 100), human_ns(line_ns(plan, row, 0.5)),
               human_ns(line_ns(plan, row, 0.99)), human_ns(line_ns(plan, row, 0.999)),
               human_ns(max_line_ns(plan, row)), fmt::format("{:.2f}", cost.user_s), fmt::format("{:.2f}", cost.sys_s),
               fmt::format("{}/{}", cost.voluntary, cost.involuntary), human_times(row.vs_haproxy)},
              std::string_view(row.design->name()) == "loguuid");
  }
  table.print();
  if (plan.threads > machine().cores)
    fmt::print(
        "Line times are wall clock; {} threads on {} cores wait for a core now and then, which shows in the last "
        "percentiles.\n",
        plan.threads, machine().cores);
}

// The figure that matters, in a sentence.
std::string verdict(const Plan& plan) {
  const Row* ours = find(plan, "loguuid");
  const Row* theirs = find(plan, "haproxy");
  const Row& best = *(ours != nullptr ? ours : &plan.rows.front());
  if (!plan.shape.format.empty() && ours != nullptr)
    return fmt::format("loguuid renders this line in {} of CPU time.", human_ns(median(ours->ns_per_line)));
  if (ours == nullptr || theirs == nullptr)
    return fmt::format("{} makes a UUID in {:.2f} ns of CPU time.", best.design->name(), best.ns_per_uuid);
  return fmt::format("loguuid makes a UUID in {:.2f} ns of CPU time, haproxy in {:.1f} ns: {} {}.", ours->ns_per_uuid,
                     theirs->ns_per_uuid, human_times(std::max(ours->vs_haproxy, 1 / ours->vs_haproxy)),
                     ours->vs_haproxy >= 1 ? "less" : "more");
}

void warn_of_spread(const Plan& plan) {
  for (const Row& row : plan.rows)
    if (spread(row.ns_per_line) > kLargeSpread)
      warn(fmt::format("the rounds of {} are {:.0f}% apart: something else ran on this machine, measure again",
                       row.design->name(), spread(row.ns_per_line) * 100));
}

void print_report(const Plan& plan) {
  print_machine();
  fmt::print("measured  {} threads, {} UUIDs a line, {} rounds of {:.2f} s for each design in turn\n\n", plan.threads,
             plan.shape.uuids, plan.rounds, plan.seconds / plan.rounds);
  print_table(plan);
  fmt::print("\n{}{}{}\n", bold(), verdict(plan), plain());
  print_thread_cost(plan.thread_cost);
}

Json document(const Plan& plan) {
  Json json;
  json.begin_object().machine_members();
  json.member("threads", plan.threads).member("uuids_per_line", plan.shape.uuids).member("rounds", plan.rounds);
  json.member("seconds", plan.seconds).member("thread_state_bytes", plan.thread_cost.state_bytes);
  json.member("thread_start_ns", plan.thread_cost.start_ns);
  json.member("live_thread_start_ns", plan.thread_cost.live_start_ns);
  if (!plan.shape.format.empty()) json.member("format", plan.shape.format);
  json.key("designs").begin_array();
  for (const Row& row : plan.rows) {
    const double lines = lines_per_s(row);
    json.begin_object().member("name", row.design->name()).member("lines_per_s", lines);
    json.member("uuids_per_s", lines * uuids(plan, row));
    json.member("ns_per_uuid", row.ns_per_uuid).member("ns_per_line", median(row.ns_per_line));
    json.member("spread", spread(row.ns_per_line));
    json.key("line_ns").begin_object().member("p50", line_ns(plan, row, 0.5));
    json.member("p99", line_ns(plan, row, 0.99)).member("p999", line_ns(plan, row, 0.999));
    json.member("max", max_line_ns(plan, row)).end_object();
    json.member("user_s", row.cost.user_s).member("sys_s", row.cost.sys_s);
    json.member("voluntary_switches", row.cost.voluntary);
    json.member("involuntary_switches", row.cost.involuntary);
    json.member("vs_haproxy", row.vs_haproxy).end_object();
  }
  json.end_array().end_object();
  return json;
}

}  // namespace

int run_lines(const Options& options) {
  Plan plan;
  plan.thread_cost = measure_thread_cost();
  std::string message;
  if (!make_plan(options, plan, message)) return fail(message);
  for (Row& row : plan.rows)
    if (message = check_design(*row.design, plan.shape); !message.empty()) return fail(message);
  measure(plan);
  conclude(plan);
  if (wants_table(options)) print_report(plan);
  warn_of_spread(plan);
  return finish(options, document(plan));
}

}  // namespace bench
