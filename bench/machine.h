// What was measured on: every report begins with it.
#pragma once

#include <string>

namespace bench {

struct Machine {
  std::string cpu;       // model name, and how many the process may run on
  std::string kernel;    // the set of fast loops in use
  std::string os;        // operating system's kernel
  std::string compiler;  // name and version
  std::string flags;     // what it was given
  unsigned cores;
};

const Machine& machine();

// Prints it in a few lines.
void print_machine();

}  // namespace bench
