// Main of loguuid-bench-micro. `--kernels` lists the kernels of this CPU; LOGUUID_KERNEL chooses one; all else is
// Google Benchmark's command line.
#include "micro.h"

#include <cstdio>
#include <cstring>

namespace bench {
volatile uint64_t opaque_zero = 0;
}

int main(int argc, char** argv) {
  loguuid_info info{};
  info.size = sizeof info;
  if (loguuid_describe(&info) != LOGUUID_OK) return 1;
  if (argc == 2 && strcmp(argv[1], "--kernels") == 0) return std::puts(info.kernels) == EOF;

  bench::register_draws();
  bench::register_formats();
  bench::register_life_cycle();
  bench::register_inner();
  benchmark::AddCustomContext("kernel", info.kernel);
  benchmark::AddCustomContext("clock", info.clock);
  benchmark::AddCustomContext("thread state bytes", std::to_string(info.thread_state_bytes));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
