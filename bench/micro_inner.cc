// The floors below the interface: the kernel's row by itself, and the sequence's jumps.
#include <cstring>

#include "kernel.h"
#include "micro.h"
#include "xoshiro.h"

namespace bench {
namespace {

using namespace loguuid;

Stream stream;
constexpr size_t kCount = 100;

const uint8_t* bytes(const char* p) { return reinterpret_cast<const uint8_t*>(p); }
uint8_t* bytes(char* p) { return reinterpret_cast<uint8_t*>(p); }

constexpr char kGood[] = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
constexpr char kBad[] = "g81d4fae-7dec-11d0-a765-00a0c91e6bf6";

uint64_t parse(char* out, const char* text) { return kernel().parse(bytes(out), text); }

void jump(benchmark::State& state, uint64_t thread, uint64_t process) {
  Words256 words = {1, 2, 3, 4};
  for (auto _ : state) {
    xoshiro::jump_to_lane(words, thread, process);
    benchmark::DoNotOptimize(words);
  }
}

}  // namespace

void register_inner() {
  memset(&stream, 0x55, sizeof stream);
  kernel().expand_key(stream.round_keys, bytes("0123456789abcdef"));
  const std::string row = "inner/";
  add_plain(row + "expand_key",
            [](char* out) { return kernel().expand_key(bytes(out), bytes("0123456789abcdef")), uint64_t{0}; });
  add_plain(row + "block", [](char* out) { return kernel().block(stream, bytes(out)), uint64_t{0}; });
  add_plain(row + "v4_take", [](char* out) {
    Ahead ahead = {37};
    return kernel().v4_take(ahead, 37, reinterpret_cast<const uint8_t*>(stream.s), out), uint64_t{0};
  });
  add_plain(row + "v4_one", [](char* out) { return kernel().v4_one(stream, out), uint64_t{0}; });
  add_plain(
      row + "blocks/100",
      [](char* out) {
        kernel().blocks(stream, bytes(out), kCount);
        return uint64_t{0};
      },
      kCount);
  add_plain(
      row + "text/100",
      [](char* out) {
        kernel().text(out + 8192, 37, bytes(out), kCount);
        return uint64_t{0};
      },
      kCount);
  add_plain(
      row + "v4_run/100",
      [](char* out) {
        kernel().v4_run(stream, out, ' ', kCount);
        return uint64_t{0};
      },
      kCount);
  add_plain(row + "hex/16", [](char* out) { return kernel().hex(out + 64, bytes(out), 16), uint64_t{0}; });
  add_plain(row + "hex/1024", [](char* out) { return kernel().hex(out + 4096, bytes(out), 1024), uint64_t{0}; });
  add_plain(row + "parse/good", [](char* out) { return parse(out, kGood); });
  add_plain(row + "parse/bad", [](char* out) { return parse(out, kBad); });
  benchmark::RegisterBenchmark((row + "jump/tid_4096").c_str(), jump, 4097u, 0u);
  benchmark::RegisterBenchmark((row + "jump/2^63,2^63").c_str(), jump, uint64_t{1} << 63, uint64_t{1} << 63);
  benchmark::RegisterBenchmark((row + "jump/all_bits").c_str(), jump, ~uint64_t{0}, ~uint64_t{0});
}

}  // namespace bench
