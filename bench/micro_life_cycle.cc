// Boot's neighbours: threads, generators, and what describes them. Nobody chains these, so each has one figure.
#include <thread>

#include "loguuid_haproxy.h"
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

// HAProxy's functions, on a thread that walks HAProxy's sequence.
template <class Call>
void on_seeded_thread(benchmark::State& state, Call call) {
  std::thread([&state, call] {
    char out[64];
    loguuid_haproxy_seed(reinterpret_cast<const unsigned char*>("seed"), 4);
    for (auto _ : state) {
      call(out);
      benchmark::ClobberMemory();
    }
    loguuid_thread_stop();
  }).join();
}

template <class Call>
void add_seeded(const char* name, Call call) {
  benchmark::RegisterBenchmark(name, on_seeded_thread<Call>, call);
}

void register_haproxy() {
  add_seeded("haproxy_v4", [](char* out) { loguuid_haproxy_v4(out, 37); });
  add_seeded("haproxy_v7", [](char* out) { loguuid_haproxy_v7(out, 37); });
  add_seeded("haproxy_seed", [](char* out) { loguuid_haproxy_seed(reinterpret_cast<unsigned char*>(out), 32); });
  add_seeded("haproxy_seed_thread/7", [](char*) { loguuid_haproxy_seed_thread(7); });
  add_seeded("haproxy_jump/1,1", [](char*) { loguuid_haproxy_jump(1, 1); });
  add_seeded("haproxy_set_clock", [](char*) { loguuid_haproxy_set_clock(1, 1); });
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
  add_plain("boot/again", [](char*) { return static_cast<uint64_t>(loguuid_boot(nullptr)); });
  add_plain("set_entropy_wait", [](char*) {
    loguuid_set_entropy_wait(10000);
    return uint64_t{0};
  });
  add_plain("set_snapshot_file", [](char*) {
    loguuid_set_snapshot_file(nullptr);
    return uint64_t{0};
  });
  add_plain("reseed", [](char*) { return static_cast<uint64_t>(loguuid_reseed()); });
  add_plain("describe", [](char*) {
    loguuid_info info{};
    info.size = sizeof info;
    return static_cast<uint64_t>(loguuid_describe(&info));
  });
  add_plain("version", [](char*) { return static_cast<uint64_t>(loguuid_version()[0]); });
  add_plain("kernel", [](char*) { return static_cast<uint64_t>(loguuid_kernel()[0]); });
  add_plain("strerror", [](char*) { return static_cast<uint64_t>(loguuid_strerror(LOGUUID_OK)[0]); });
  register_haproxy();
}

}  // namespace bench
