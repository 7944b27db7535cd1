// The command line of loguuid-bench.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Options {
  std::string scenario = "lines";
  std::vector<std::string> designs;  // empty: the scenario's own choice
  std::optional<unsigned> threads;   // each scenario has its own default
  std::optional<size_t> uuids;
  std::optional<double> seconds;
  std::optional<unsigned> rounds;
  std::string json;         // a path, "-", or empty
  std::string format_file;  // a path, or empty
};

// Fills `options`; or returns the status to exit with, having said why (or having printed what was asked for).
std::optional<int> parse_options(int argc, char** argv, Options& options);

}  // namespace bench
