#include "machine.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstring>

#include "clock.h"
#include "loguuid.h"
#include "table.h"

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "unknown"
#endif

namespace bench {
namespace {

const TickScale since_start;

std::string cpu_model() {
  std::FILE* file = std::fopen("/proc/cpuinfo", "r");
  if (file == nullptr) return "unknown CPU";
  char line[512];
  std::string model;
  while (model.empty() && std::fgets(line, sizeof line, file) != nullptr) {
    const char* colon = strchr(line, ':');
    const bool names_it = strncmp(line, "model name", 10) == 0 || strncmp(line, "cpu model", 9) == 0;
    if (names_it && colon != nullptr && colon[1] != '\0') model.assign(colon + 2, strcspn(colon + 2, "\n"));
  }
  std::fclose(file);
  return model.empty() ? "unknown CPU" : model;
}

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

Machine look() {
  utsname name{};
  uname(&name);
  Machine m;
  m.cores = usable_cores();
  m.cpu = cpu_model();
  m.kernel = loguuid_kernel();
  m.os = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
#if defined(__clang__)
  m.compiler = __VERSION__;
#else
  m.compiler = "GCC " __VERSION__;
#endif
  m.flags = BENCH_FLAGS;
  return m;
}

}  // namespace

const Machine& machine() {
  static const Machine m = look();
  return m;
}

void print_machine() {
  const Machine& m = machine();
  fmt::print("CPU       {}, {} {}\n", m.cpu, m.cores, m.cores == 1 ? "core" : "cores");
  fmt::print("system    {}\n", m.os);
  fmt::print("compiler  {} with {}\n", m.compiler, m.flags);
  fmt::print("loguuid   {}, kernel {}\n", loguuid_version(), m.kernel);
  fmt::print("timer     counts in steps of {}\n",
             human_ns(static_cast<double>(tick_step()) * since_start.ns_per_tick()));
}

}  // namespace bench
