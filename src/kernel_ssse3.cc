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
#include "kernel_x86_run.h"

namespace loguuid {
namespace {

inline void put_two(char* out, size_t stride, const uint8_t* values) {
  text_one<true>(out, load128(values));
  text_one<true>(out + stride, load128(values + 16));
}

LOGUUID_NOINLINE void v4_many(Stream& stream, char* out, char separator, size_t count) {
  TextSink<put_two> sink(out, separator);
  run(stream, sink, count);
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  return count == 1 ? v4_one(stream, out) : v4_many(stream, out, separator, count);
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  for (; count != 0; --count, out += stride, values += 16) text_one<false>(out, load128(values));
}

}  // namespace

const Kernel kernel_ssse3 = {"ssse3", kCpuSsse3 | kCpuAes, expand_key, blocks, text, v4_run, block, v4_one, hex, parse};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
