// Every kernel that this CPU runs against the scalar one: the same bytes, and not one outside the buffer.
#include "kernel.h"

#include "fuzz.h"

namespace {

using loguuid::Kernel;
using loguuid::Stream;

constexpr size_t kMostBlocks = 160;

struct Work {
  Stream stream;
  size_t count, len, stride;
  char separator;
  uint8_t values[16 * 32];
  char text[36];
};

// A text that parses, with some characters of the fuzzer's.
void make_text(fuzz::Input& input, char text[36]) {
  memcpy(text, "f81D4faE-7dec-11d0-A765-00a0c91e6Bf6", 36);
  for (int changes = input.byte() % 4; changes > 0; --changes) {
    const size_t where = input.byte() % 36;
    text[where] = static_cast<char>(input.byte());
  }
}

Work make_work(fuzz::Input& input) {
  Work w;
  uint8_t key[16];
  w.count = 1 + input.byte() % kMostBlocks;
  w.len = input.byte();
  w.stride = 36 + input.byte() % 8;
  w.separator = static_cast<char>(input.byte());
  make_text(input, w.text);
  input.bytes(key, sizeof key);
  w.stream = {};
  for (uint64_t& s : w.stream.s) s = input.word();
  w.stream.mix = input.word();
  loguuid::kernel_scalar.expand_key(w.stream.round_keys, key);
  for (uint8_t& v : w.values) v = input.byte();
  return w;
}

void check_streams(const Work& w, const Kernel& kernel, void (*make)(const Kernel&, Stream&, const Work&, fuzz::Exact&),
                   size_t size) {
  fuzz::Exact right(size, 0), found(size, 0xff);
  Stream a = w.stream, b = w.stream;
  make(loguuid::kernel_scalar, a, w, right);
  make(kernel, b, w, found);
  FUZZ_CHECK(found.same(right));
  FUZZ_CHECK(memcmp(a.s, b.s, sizeof a.s) == 0 && a.mix == b.mix);
  FUZZ_CHECK(memcmp(a.round_keys, b.round_keys, sizeof a.round_keys) == 0);
}

void check_text(const Work& w, const Kernel& kernel) {
  const size_t count = w.count % 32 + 1, size = w.stride * (count - 1) + 36;
  fuzz::Exact values(w.values, 16 * count), right(size, 0), found(size, 0xff);
  loguuid::kernel_scalar.text(right.text(), w.stride, values.bytes(), count);
  kernel.text(found.text(), w.stride, values.bytes(), count);
  for (size_t i = 0; i < count; ++i)  // bytes between the texts are anybody's
    FUZZ_CHECK(memcmp(right.text() + i * w.stride, found.text() + i * w.stride, 36) == 0);
}

void check_hex(const Work& w, const Kernel& kernel) {
  fuzz::Exact in(w.values, w.len), right(2 * w.len, 0), found(2 * w.len, 0xff);
  loguuid::kernel_scalar.hex(right.text(), in.bytes(), w.len);
  kernel.hex(found.text(), in.bytes(), w.len);
  FUZZ_CHECK(found.same(right));
}

void check_parse(const char* text, const Kernel& kernel) {
  fuzz::Exact in(text, 36), right(16), found(16);
  FUZZ_CHECK(loguuid::kernel_scalar.parse(right.bytes(), in.text()) == kernel.parse(found.bytes(), in.text()));
  FUZZ_CHECK(found.same(right));
}

void check_key(const Work& w, const Kernel& kernel) {
  fuzz::Exact key(w.values, 16), right(loguuid::kRoundKeyBytes, 0), found(loguuid::kRoundKeyBytes, 0xff);
  loguuid::kernel_scalar.expand_key(right.bytes(), key.bytes());
  kernel.expand_key(found.bytes(), key.bytes());
  FUZZ_CHECK(found.same(right));
}

void check(const Work& w, const Kernel& kernel) {
  const auto blocks = [](const Kernel& k, Stream& s, const Work& x, fuzz::Exact& out) {
    k.blocks(s, out.bytes(), x.count);
  };
  const auto v4_run = [](const Kernel& k, Stream& s, const Work& x, fuzz::Exact& out) {
    k.v4_run(s, out.text(), x.separator, x.count);
  };
  const auto block = [](const Kernel& k, Stream& s, const Work&, fuzz::Exact& out) { k.block(s, out.bytes()); };
  const auto v4_one = [](const Kernel& k, Stream& s, const Work&, fuzz::Exact& out) { k.v4_one(s, out.text()); };
  const auto v4_take = [](const Kernel& k, Stream& s, const Work&, fuzz::Exact& out) {
    uint8_t value[16];
    k.block(s, value);
    loguuid::Ahead ahead = {37};
    k.v4_take(ahead, 37, value, out.text());
  };
  check_streams(w, kernel, blocks, 16 * w.count);
  check_streams(w, kernel, v4_run, 37 * w.count - 1);
  check_streams(w, kernel, block, 16);
  check_streams(w, kernel, v4_one, 36);
  check_streams(w, kernel, v4_take, 37);
  check_text(w, kernel);
  check_hex(w, kernel);
  check_parse(w.text, kernel);
  check_parse(reinterpret_cast<const char*>(w.values), kernel);
  check_key(w, kernel);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const Work work = make_work(input);
  const Kernel* rows[loguuid::kMaxKernels];
  const size_t count = loguuid::kernels_available(rows);
  for (size_t i = 0; i < count; ++i) check(work, *rows[i]);
  return 0;
}
