// Micro-benchmarks: what one call takes, in two ways.
//
// Throughput: calls that do not wait for each other. Latency: each call waits for the result of the one before, as it
// does in a program that uses what it asked for. A draw has no argument to carry that dependency, so it goes through
// the address of the generator in use: the result, masked to zero in a way the compiler cannot see, is added to it. So
// these are draws of a generator, which makes no blocks ahead; throughput is the thread's own lane, which does.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "loguuid.h"

namespace bench {

constexpr size_t kRoom = 1 << 16;

extern volatile uint64_t opaque_zero;

// A call is a stateless function object: it writes into `out`, whose content may also be its input, and returns a byte
// of its result.
template <class Call>
void throughput(benchmark::State& state, Call call, int64_t items) {
  alignas(64) static char out[kRoom];
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(out));
    benchmark::ClobberMemory();
  }
  if (items > 1) state.SetItemsProcessed(state.iterations() * items);
}

template <class Call>
void latency(benchmark::State& state, Call call) {
  alignas(64) static char out[kRoom];
  loguuid_gen gen;
  if (loguuid_gen_init_live(&gen) != LOGUUID_OK) return state.SkipWithError("no generator");
  const uint64_t zero = opaque_zero;
  uintptr_t address = reinterpret_cast<uintptr_t>(&gen);
  for (auto _ : state) {
    loguuid_use(reinterpret_cast<loguuid_gen*>(address));
    address += call(out) & zero;
  }
  loguuid_use(nullptr);
  loguuid_gen_wipe(&gen);
}

// For calls that draw nothing: the result moves the address of their input and output.
template <class Call>
void latency_by_buffer(benchmark::State& state, Call call) {
  alignas(64) static char out[kRoom];
  const uint64_t zero = opaque_zero;
  char* at = out;
  for (auto _ : state) at += call(at) & zero;
  benchmark::DoNotOptimize(at);
}

template <class Call>
void add_draw(const std::string& name, Call call, int64_t items = 1) {
  benchmark::RegisterBenchmark((name + "/throughput").c_str(), throughput<Call>, call, items);
  benchmark::RegisterBenchmark((name + "/latency").c_str(), latency<Call>, call);
}
template <class Call>
void add_pure(const std::string& name, Call call) {
  benchmark::RegisterBenchmark((name + "/throughput").c_str(), throughput<Call>, call, 1);
  benchmark::RegisterBenchmark((name + "/latency").c_str(), latency_by_buffer<Call>, call);
}
// For calls that nobody chains: the time of one.
template <class Call>
void add_plain(const std::string& name, Call call, int64_t items = 1) {
  benchmark::RegisterBenchmark(name.c_str(), throughput<Call>, call, items);
}

void register_draws();
void register_formats();
void register_life_cycle();
void register_inner();

}  // namespace bench
