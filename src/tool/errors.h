// The two ways a command ends badly. main() prints the text and turns the type into the exit status.
#pragma once

#include <stdexcept>

namespace loguuid::tool {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

// The command line asks for something that does not exist: status 2, and nothing was written.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The work itself failed: status 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace loguuid::tool
