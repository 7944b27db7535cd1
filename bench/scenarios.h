// What loguuid-bench can measure. Each runs, prints its table or JSON, and returns the exit status.
#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "options.h"

namespace bench {

std::vector<std::string> scenario_names();
int run_scenario(const Options& options);

int run_lines(const Options& options);
int run_scaling(const Options& options);
int run_reload(const Options& options);
int run_handoff(const Options& options);
int run_sources(const Options& options);

// Says what is wrong and returns 1.
int fail(const std::string& message);
// Writes the document where --json says, if it does. Returns the exit status.
int finish(const Options& options, const Json& json);
// Should tables be printed?
inline bool wants_table(const Options& options) { return options.json != "-"; }

// The child's side of `handoff`: a fresh process with its own allocator. See handoff.cc.
int run_handoff_child(int argc, char** argv);
constexpr const char kHandoffChild[] = "--handoff-child";

}  // namespace bench
