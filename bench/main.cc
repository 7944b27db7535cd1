#include <fmt/core.h>

#include <cstring>

#include "scenarios.h"
#include "table.h"

namespace bench {
namespace {

struct Scenario {
  const char* name;
  int (*run)(const Options&);
};
constexpr Scenario kScenarios[] = {{"lines", run_lines},
                                   {"scaling", run_scaling},
                                   {"reload", run_reload},
                                   {"handoff", run_handoff},
                                   {"sources", run_sources}};

}  // namespace

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : kScenarios) names.push_back(scenario.name);
  return names;
}

int run_scenario(const Options& options) {
  for (const Scenario& scenario : kScenarios)
    if (options.scenario == scenario.name) return scenario.run(options);
  return fail("unknown scenario");
}

int fail(const std::string& message) {
  warn(message);
  return 1;
}

int finish(const Options& options, const Json& json) {
  std::string message;
  if (!options.json.empty() && !write_document(json, options.json, message)) return fail(message);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail("cannot write to standard output");
  return 0;
}

}  // namespace bench

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], bench::kHandoffChild) == 0) return bench::run_handoff_child(argc - 2, argv + 2);
  bench::Options options;
  if (const auto status = bench::parse_options(argc, argv, options)) return *status;
  return bench::run_scenario(options);
}
