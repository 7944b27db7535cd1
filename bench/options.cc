#include "options.h"

#include <errno.h>
#include <fmt/core.h>
#include <getopt.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "designs.h"
#include "loguuid.h"
#include "scenarios.h"

namespace bench {
namespace {

constexpr const char kUsage[] =
    R"(Usage: loguuid-bench [OPTION]...
Measures what UUIDs in log lines cost: this library beside other ways to make them, on many threads.

  --scenario NAME     lines (the default), scaling, reload, handoff or sources:
                        lines     every design renders the same line of UUIDs
                        scaling   the same on 1, 2, 4, ... threads; a thread's memory and start
                        reload    a log-format replaced under its readers: live, rwlock, mutex
                        handoff   lines made by one thread, written by another: malloc or a ring
                        sources   one generator for all, for each thread, or for each task
  --designs A,B,...   of dwcas, mutex, haproxy, getrandom, loguuid-call, loguuid, memcpy (lines, scaling)
  --threads N         threads that render (lines: 20, reload: 50, handoff: 32 pairs), or the most
                      of them (scaling, sources: 20)
  --uuids N           UUIDs of a line (100; not for reload, handoff)
  --seconds S         how long each row is measured, all rounds together (lines: 1.5)
  --rounds N          in how many rounds, the rows taking turns (lines: 15; not for handoff)
  --format-file FILE  design loguuid renders the log-format of FILE (lines, reload, handoff)
  --json FILE         also writes the result as JSON; '-': to standard output, instead of the table
  --help, --version

LOGUUID_KERNEL=NAME in the environment chooses a lower kernel. NO_COLOR takes the colours away.
Exit status: 0 measured, 1 something failed, 2 wrong usage.
)";

std::optional<int> wrong(const std::string& message) {
  fmt::print(stderr, "loguuid-bench: {}\nTry 'loguuid-bench --help'.\n", message);
  return 2;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool parse_number(const char* text, double low, double high, bool whole, double& out) {
  char* end;
  errno = 0;
  out = strtod(text, &end);
  if (end == text || *end != '\0' || errno != 0 || !(out >= low && out <= high)) return false;
  return !whole || out == static_cast<double>(static_cast<long long>(out));
}

std::optional<int> parse_names(const char* text, std::vector<std::string>& names) {
  const std::string all = text;
  for (size_t at = 0; at <= all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string name = all.substr(at, end - at);
    const auto& known = design_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return wrong(fmt::format("unknown design '{}': it must be one of {}", name, list(known)));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    at = end + 1;
  }
  return std::nullopt;
}

struct Range {
  const char* name;
  double low, high;
  bool whole;
};
constexpr Range kThreads = {"--threads", 1, 1024, true};
constexpr Range kUuids = {"--uuids", 1, 100000, true};
constexpr Range kSeconds = {"--seconds", 0.01, 86400, false};
constexpr Range kRounds = {"--rounds", 1, 10000, true};

template <class T>
std::optional<int> set_number(const Range& range, const char* text, std::optional<T>& out) {
  double number;
  if (!parse_number(text, range.low, range.high, range.whole, number))
    return wrong(fmt::format("{} takes a {}number from {} to {}, not '{}'", range.name, range.whole ? "whole " : "",
                             range.low, range.high, text));
  out = static_cast<T>(number);
  return std::nullopt;
}

std::optional<int> set_scenario(const char* text, Options& options) {
  options.scenario = text;
  const std::vector<std::string> names = scenario_names();
  if (std::find(names.begin(), names.end(), options.scenario) != names.end()) return std::nullopt;
  return wrong(fmt::format("unknown scenario '{}': it must be one of {}", text, list(names)));
}

std::optional<int> set(int option, const char* value, Options& options) {
  switch (option) {
    case 's':
      return set_scenario(value, options);
    case 'd':
      return parse_names(value, options.designs);
    case 't':
      return set_number(kThreads, value, options.threads);
    case 'u':
      return set_number(kUuids, value, options.uuids);
    case 'S':
      return set_number(kSeconds, value, options.seconds);
    case 'r':
      return set_number(kRounds, value, options.rounds);
    case 'j':
      options.json = value;
      return std::nullopt;
    case 'f':
      options.format_file = value;
      return std::nullopt;
    case 'h':
      fmt::print("{}", kUsage);
      return 0;
    case 'V':
      fmt::print("loguuid-bench {}\n", loguuid_version());
      return 0;
    default:
      return 2;
  }
}

// An option that the scenario would ignore is a mistake of the person who gave it.
std::optional<int> check_use(const Options& options) {
  struct Use {
    const char* option;
    bool given;
    const char* scenarios;
  };
  const Use uses[] = {{"--designs", !options.designs.empty(), "lines, scaling"},
                      {"--uuids", options.uuids.has_value(), "lines, scaling, sources"},
                      {"--rounds", options.rounds.has_value(), "lines, scaling, reload, sources"},
                      {"--format-file", !options.format_file.empty(), "lines, reload, handoff"}};
  for (const Use& use : uses)
    if (use.given && strstr(use.scenarios, options.scenario.c_str()) == nullptr)
      return wrong(
          fmt::format("{} goes with the scenarios {}, not with {}", use.option, use.scenarios, options.scenario));
  return std::nullopt;
}

// Found out now, not after the measurement.
std::optional<int> check_json(const std::string& path) {
  if (path.empty() || path == "-") return std::nullopt;
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file != nullptr) {
    std::fclose(file);
    return std::nullopt;
  }
  fmt::print(stderr, "loguuid-bench: cannot write {}: {}\n", path, strerror(errno));
  return 1;
}

}  // namespace

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  static const option known[] = {{"scenario", required_argument, nullptr, 's'},
                                 {"designs", required_argument, nullptr, 'd'},
                                 {"threads", required_argument, nullptr, 't'},
                                 {"uuids", required_argument, nullptr, 'u'},
                                 {"seconds", required_argument, nullptr, 'S'},
                                 {"rounds", required_argument, nullptr, 'r'},
                                 {"json", required_argument, nullptr, 'j'},
                                 {"format-file", required_argument, nullptr, 'f'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'V'},
                                 {nullptr, 0, nullptr, 0}};
  opterr = 0;
  for (;;) {
    const int at = optind;
    const int found = getopt_long(argc, argv, ":", known, nullptr);
    if (found == -1) break;
    if (found == ':') return wrong(fmt::format("{} needs a value", argv[at]));
    if (found == '?') return wrong(fmt::format("unknown option {}", argv[at]));
    if (const auto status = set(found, optarg, options)) return status;
  }
  if (optind < argc) return wrong(fmt::format("unexpected argument '{}'", argv[optind]));
  if (const auto status = check_use(options)) return status;
  return check_json(options.json);
}

}  // namespace bench
