// x86 with AES-NI and SSSE3: every server since 2010.
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#include <bit>

#include "base.h"
#include "kernel.h"
#include "kernel_target.h"
#include "platform.h"

LOGUUID_TARGET_BEGIN("ssse3,aes")
#include "kernel_x86.h"

namespace loguuid {
namespace {

void blocks(Stream& stream, uint8_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) store128(out + 16 * i, next_block(stream));
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  for (size_t i = 0; i < count; ++i) text_one(out + stride * i, load128(values + 16 * i));
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) out[37 * i - 1] = separator;
    text_one(out + 37 * i, with_v4_bits(next_block(stream)));
  }
}

void v4_one(Stream& stream, char out[kUuidText]) { text_one(out, with_v4_bits(next_block(stream))); }

}  // namespace

const Kernel kernel_ssse3 = {"ssse3", kCpuSsse3 | kCpuAes, expand_key, blocks, text, v4_run, block, v4_one, hex, parse};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
