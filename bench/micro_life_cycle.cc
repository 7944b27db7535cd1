// Boot's neighbours: threads, generators, and what describes them. Nobody chains these, so each has one figure.
#include <thread>

#include "micro.h"

namespace bench {
namespace {

loguuid_gen gen;
unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
constexpr uint64_t kSeed = 42;

uint64_t init(uint64_t thread) {
  return static_cast<uint64_t>(loguuid_gen_init(&gen, &kSeed, sizeof kSeed, thread, 0, LOGUUID_HASH_AES));
}

// The benchmark's own thread keeps its lane; another one starts and stops.
void start_and_stop(benchmark::State& state) {
  std::thread([&state] {
    for (auto _ : state) {
      if (loguuid_thread_start(7) != LOGUUID_OK) return state.SkipWithError("no TID");
      loguuid_thread_stop();
    }
  }).join();
}

template <uint64_t kDraws>
uint64_t skip(char*) {
  loguuid_gen_skip(&gen, kDraws);
  return 0;
}

void register_generators() {
  add_plain("gen_init/first_lane", [](char*) { return init(1); });
  add_plain("gen_init/lane_2^63", [](char*) { return init(uint64_t{1} << 63 | 1); });
  add_plain("gen_init_live", [](char*) { return static_cast<uint64_t>(loguuid_gen_init_live(&gen)); });
  add_plain("gen_wipe_and_init", [](char*) {
    loguuid_gen_wipe(&gen);
    return init(1);
  });
  add_plain("gen_skip/1", skip<1>);
  add_plain("gen_skip/1000000", skip<1000000>);
  add_plain("gen_set_clock", [](char*) {
    loguuid_gen_set_clock(&gen, 1);
    return uint64_t{0};
  });
  add_plain("gen_position", [](char*) { return loguuid_gen_position(&gen).draws; });
  add_plain("gen_save", [](char*) { return static_cast<uint64_t>(loguuid_gen_save(&gen, saved)); });
  add_plain("gen_restore", [](char*) { return static_cast<uint64_t>(loguuid_gen_restore(&gen, saved)); });
  add_plain("use/there_and_back", [](char*) {
    loguuid_use(&gen);
    loguuid_use(nullptr);
    return uint64_t{0};
  });
}

}  // namespace

void register_life_cycle() {
  init(1);
  loguuid_gen_save(&gen, saved);
  register_generators();
  benchmark::RegisterBenchmark("thread_start_stop", start_and_stop);
  add_plain("reseed", [](char*) { return static_cast<uint64_t>(loguuid_reseed()); });
  add_plain("describe", [](char*) {
    loguuid_info info{};
    info.size = sizeof info;
    return static_cast<uint64_t>(loguuid_describe(&info));
  });
  add_plain("version", [](char*) { return static_cast<uint64_t>(loguuid_version()[0]); });
  add_plain("kernel", [](char*) { return static_cast<uint64_t>(loguuid_kernel()[0]); });
  add_plain("strerror", [](char*) { return static_cast<uint64_t>(loguuid_strerror(LOGUUID_OK)[0]); });
}

}  // namespace bench
