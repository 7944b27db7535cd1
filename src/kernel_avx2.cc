// x86 with AES-NI and AVX2: the same as for SSSE3 in instructions that need no copies, and the text of two UUIDs at
// once.
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#include <bit>

#include "base.h"
#include "kernel.h"
#include "kernel_target.h"
#include "platform.h"

LOGUUID_TARGET_BEGIN("avx2,aes")
#include "kernel_x86.h"
#include "kernel_x86_run.h"

namespace loguuid {
namespace {

inline __m256i both(const void* p) { return _mm256_broadcastsi128_si256(load128(p)); }

inline __m256i arrange_two(__m256i digits, const Pattern& pattern) {
  return _mm256_or_si256(_mm256_shuffle_epi8(digits, both(pattern.from)), both(pattern.fixed));
}

inline void store_two(char* out, size_t stride, __m256i v) {
  store128(out, _mm256_castsi256_si128(v));
  store128(out + stride, _mm256_extracti128_si256(v, 1));
}

// text_one() for two values, one in each half of the registers.
template <bool kV4>
inline void text_two(char* out, size_t stride, const uint8_t* values) {
  const __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(load128(values)), load128(values + 16), 1);
  const __m256i low_bits = _mm256_set1_epi8(0x0f);
  __m256i high = _mm256_srli_epi16(v, 4);
  high = kV4 ? _mm256_or_si256(_mm256_and_si256(high, both(kVariant.keep)), both(kVariant.set))
             : _mm256_and_si256(high, low_bits);
  const __m256i low = _mm256_and_si256(v, low_bits);
  const __m256i table = _mm256_broadcastsi128_si256(hex_digits());
  const __m256i first = _mm256_shuffle_epi8(table, _mm256_unpacklo_epi8(high, low));
  const __m256i second = _mm256_shuffle_epi8(table, _mm256_unpackhi_epi8(high, low));
  store_two(out + 20, stride, second);
  store_two(out + 16, stride, arrange_two(_mm256_alignr_epi8(second, first, 14), kMiddle));
  store_two(out, stride, arrange_two(first, kV4 ? kHeadV4 : kHead));
}

LOGUUID_NOINLINE void v4_many(Stream& stream, char* out, char separator, size_t count) {
  TextSink<text_two<true>> sink(out, separator);
  run(stream, sink, count);
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  return count == 1 ? v4_one(stream, out) : v4_many(stream, out, separator, count);
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  for (; count >= 2; count -= 2, out += 2 * stride, values += 32) text_two<false>(out, stride, values);
  if (count != 0) text_one<false>(out, load128(values));
}

}  // namespace

const Kernel kernel_avx2 = {
    "avx2", kCpuSsse3 | kCpuAes | kCpuAvx2, expand_key, blocks, text, v4_run, block, v4_one, hex, parse};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
