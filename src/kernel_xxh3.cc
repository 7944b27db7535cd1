// The row of HAProxy's hash: blocks of xxh3_pair.h, text by the kernel in use. For comparison, so plain rather than
// fast.
#include "base.h"
#include "kernel.h"
#include "xoshiro.h"
#include "xxh3_pair.h"

namespace loguuid {
namespace {

void expand_key(uint8_t*, const uint8_t*) {}

void block(Stream& stream, uint8_t out[16]) {
  const Pair pair = xxh3_128(stream.s[0], stream.s[1], stream.mix);
  store_le64(out, pair.lo);
  store_le64(out + 8, pair.hi);
  Words256 s = {stream.s[0], stream.s[1], stream.s[2], stream.s[3]};
  xoshiro::step(s);
  for (size_t i = 0; i < 4; ++i) stream.s[i] = s[i];
}

void blocks(Stream& stream, uint8_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) block(stream, out + 16 * i);
}

void v4_one(Stream& stream, char out[kUuidText]) {
  uint8_t value[16];
  block(stream, value);
  set_v4_bits(value);
  kernel().text(out, kUuidText, value, 1);
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  for (size_t i = 0; i < count; ++i, out += kUuidText + 1) {
    v4_one(stream, out);
    if (i + 1 < count) out[kUuidText] = separator;
  }
}

// Each of its blocks has a clock of its own, so that none is ever made ahead.
size_t v4_take(Ahead& ahead, uint64_t number, const uint8_t block[16], char* out) {
  return kernel().v4_take(ahead, number, block, out);
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) { kernel().text(out, stride, values, count); }
void hex(char* out, const uint8_t* in, size_t len) { kernel().hex(out, in, len); }
bool parse(uint8_t out[16], const char in[kUuidText]) { return kernel().parse(out, in); }

}  // namespace

const Kernel kernel_xxh3 = {"xxh3", 0, expand_key, blocks, text, v4_run, block, v4_one, hex, parse, v4_take};

}  // namespace loguuid
