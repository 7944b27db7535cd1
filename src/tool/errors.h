// The ways a command ends badly. main() prints the text and turns the type into the exit status.
#pragma once

#include <stdexcept>
#include <string_view>

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

// The reader of standard output went away, as `head` does when it has enough.
struct ClosedPipe : Failure {
  using Failure::Failure;
};

// "loguuid: MESSAGE" and a line end on standard error. Where nobody can read it, the work goes on and the exit status
// stays what it is.
void complain(std::string_view message);

}  // namespace loguuid::tool
