#!/bin/sh
# Runs the micro-benchmarks once for each kernel of this CPU: micro.sh PROGRAM [BENCHMARK-OPTION...]
set -eu
program=$1
shift
for kernel in $("$program" --kernels); do
  printf '\n==== kernel %s ====\n' "$kernel"
  LOGUUID_KERNEL=$kernel "$program" --benchmark_min_time=0.05 "$@"
done
