// Does the allocator matter to a host that logs? 32 producers make lines, 32 consumers write and release them: with
// malloc and free for each line under three allocators, and with a ring of buffers that stay. Each way runs in a
// process of its own, so that its memory is its own.
#include "handoff.h"

#include <errno.h>
#include <fmt/core.h>
#include <glob.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "format.h"
#include "machine.h"
#include "scenarios.h"
#include "table.h"

extern char** environ;

namespace bench {
namespace {

constexpr unsigned kPairs = 32;
constexpr double kSeconds = 10;
// An access line with a path of varying length, so that sizes differ as they do in life.
constexpr const char kLine[] = "%ci:%cp [%t] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %tsc %sq/%bq %HM %[path] %[uuid]";

struct Way {
  const char* lines;      // "malloc" or "ring"
  const char* allocator;  // as a person calls it
  const char* library;    // a pattern for its file; NULL: the C library's own
  const char* package;
};
constexpr Way kWays[] = {
    {"malloc", "C library", nullptr, nullptr},
    {"malloc", "jemalloc", "/usr/lib*/{*/,}libjemalloc.so.2", "libjemalloc2"},
    {"malloc", "mimalloc", "/usr/lib*/{*/,}libmimalloc.so.2*", "libmimalloc2.0"},
    {"ring", "none", nullptr, nullptr},
};

struct Outcome {
  const Way* way;
  HandoffResult result;
  double lines_per_s() const {
    return static_cast<double>(result.lines) / (static_cast<double>(result.wall_ns) * 1e-9);
  }
  double cpu_per_line() const { return static_cast<double>(result.cpu_ns) / static_cast<double>(result.lines); }
};

std::string find_library(const char* pattern) {
  glob_t found{};
  std::string path;
  if (glob(pattern, GLOB_BRACE, nullptr, &found) == 0 && found.gl_pathc > 0) path = found.gl_pathv[0];
  globfree(&found);
  return path;
}

// Starts this very program again with the arguments of run_handoff_child and reads what it prints.
bool run_process(const HandoffTask& task, const std::string& preload, std::string& printed) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  std::vector<std::string> arguments = {"loguuid-bench",
                                        kHandoffChild,
                                        task.ring ? "ring" : "malloc",
                                        std::to_string(task.pairs),
                                        fmt::format("{}", task.seconds),
                                        task.format,
                                        preload};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::string variable = "LD_PRELOAD=" + preload;
  std::vector<char*> env;
  for (char** at = environ; *at != nullptr; ++at)
    if (strncmp(*at, "LD_PRELOAD=", 11) != 0) env.push_back(*at);
  if (!preload.empty()) env.push_back(variable.data());
  env.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char part[256];
  for (ssize_t len; error == 0 && (len = read(ends[0], part, sizeof part)) > 0;)
    printed.append(part, static_cast<size_t>(len));
  close(ends[0]);
  int status = 1;
  if (error == 0) waitpid(child, &status, 0);
  return error == 0 && status == 0;
}

bool parse_result(const std::string& printed, HandoffResult& result) {
  unsigned long long n[6];
  if (sscanf(printed.c_str(), "%llu %llu %llu %llu %llu %llu", n, n + 1, n + 2, n + 3, n + 4, n + 5) != 6) return false;
  result = {n[0], n[1], n[2], n[3], n[4], n[5]};
  return true;
}

// A library that could not be preloaded leaves no more than a warning, so the child looks whether it is there.
bool is_mapped(const char* path) {
  char real[4096];
  if (realpath(path, real) == nullptr) return false;
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return false;
  char line[4352];
  bool found = false;
  while (!found && std::fgets(line, sizeof line, file) != nullptr) found = strstr(line, real) != nullptr;
  std::fclose(file);
  return found;
}

bool run_way(const Way& way, HandoffTask task, std::vector<Outcome>& outcomes, std::string& message) {
  std::string preload, printed;
  if (way.library != nullptr) {
    preload = find_library(way.library);
    if (preload.empty()) {
      warn(fmt::format("{} is skipped: it is not installed (apt-get install {})", way.allocator, way.package));
      return true;
    }
  }
  task.ring = strcmp(way.lines, "ring") == 0;
  progress(fmt::format("{}, allocator {}: {} seconds", way.lines, way.allocator, task.seconds));
  Outcome outcome{&way, {}};
  if (!run_process(task, preload, printed) || !parse_result(printed, outcome.result)) {
    message = fmt::format("the process for {} with allocator {} failed", way.lines, way.allocator);
    if (way.library == nullptr) return false;
    warn(fmt::format("{} is skipped: {}", way.allocator, message));
    return true;
  }
  outcomes.push_back(outcome);
  return true;
}

void print(const std::vector<Outcome>& outcomes, double seconds) {
  Table table({"<lines", "<allocator", "lines/s", "CPU/line", fmt::format("peak at {:.3g} s", std::min(seconds, 10.0)),
               "peak at end", "held at end"});
  for (const Outcome& outcome : outcomes) {
    const HandoffResult& r = outcome.result;
    table.row({outcome.way->lines, outcome.way->allocator, human_count(outcome.lines_per_s()),
               human_ns(outcome.cpu_per_line()), human_bytes(static_cast<double>(r.peak_early)),
               human_bytes(static_cast<double>(r.peak)), human_bytes(static_cast<double>(r.resident))},
              strcmp(outcome.way->lines, "ring") == 0);
  }
  table.print();
  const Outcome &malloc_way = outcomes.front(), &ring = outcomes.back();
  fmt::print(
      "\n{}After {} s: a line through a ring costs {} of CPU time, one through the C library's malloc {}; the "
      "processes peaked at {} and {}.{}\n",
      bold(), seconds, human_ns(ring.cpu_per_line()), human_ns(malloc_way.cpu_per_line()),
      human_bytes(static_cast<double>(ring.result.peak)), human_bytes(static_cast<double>(malloc_way.result.peak)),
      plain());
}

Json document(const std::vector<Outcome>& outcomes, const HandoffTask& task) {
  Json json;
  json.begin_object().machine_members().member("scenario", "handoff").member("pairs", task.pairs);
  json.member("seconds", task.seconds).member("format", task.format).key("rows").begin_array();
  for (const Outcome& outcome : outcomes) {
    const HandoffResult& r = outcome.result;
    json.begin_object().member("lines", outcome.way->lines).member("allocator", outcome.way->allocator);
    json.member("lines_per_s", outcome.lines_per_s()).member("cpu_ns_per_line", outcome.cpu_per_line());
    json.member("peak_bytes_10s", r.peak_early).member("peak_bytes", r.peak).member("resident_bytes", r.resident);
    json.end_object();
  }
  json.end_array().end_object();
  return json;
}

}  // namespace

int run_handoff(const Options& options) {
  HandoffTask task;
  task.pairs = options.threads.value_or(kPairs);
  task.seconds = options.seconds.value_or(kSeconds);
  task.format = kLine;
  std::string message;
  if (!options.format_file.empty() && !read_format_file(options.format_file, task.format, message))
    return fail(message);
  if (!compile(task.format, message)) return fail(message);
  std::vector<Outcome> outcomes;
  for (const Way& way : kWays)
    if (!run_way(way, task, outcomes, message)) return fail(message);
  progress("");
  if (wants_table(options)) {
    print_machine();
    fmt::print("measured  {} producers and {} consumers, {} s each way\n\n", task.pairs, task.pairs, task.seconds);
    print(outcomes, task.seconds);
  }
  return finish(options, document(outcomes, task));
}

// Arguments: malloc|ring, pairs, seconds, format, preloaded library or "". Prints the members of HandoffResult.
int run_handoff_child(int argc, char** argv) {
  if (argc != 5) return 2;
  HandoffTask task;
  task.ring = strcmp(argv[0], "ring") == 0;
  task.pairs = static_cast<unsigned>(strtoul(argv[1], nullptr, 10));
  task.seconds = strtod(argv[2], nullptr);
  task.format = argv[3];
  if (*argv[4] != '\0' && !is_mapped(argv[4])) return fail(fmt::format("{} could not be preloaded", argv[4]));
  HandoffResult r;
  std::string message;
  if (!hand_lines_over(task, r, message)) return fail(message);
  fmt::print("{} {} {} {} {} {}\n", r.lines, r.wall_ns, r.cpu_ns, r.peak_early, r.peak, r.resident);
  return 0;
}

}  // namespace bench
