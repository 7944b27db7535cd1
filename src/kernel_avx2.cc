// x86 with AES-NI and AVX2: the same as for SSSE3 in instructions that need no copies, and text on 256-bit registers.
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#include <bit>

#include "base.h"
#include "kernel.h"
#include "kernel_target.h"
#include "platform.h"

LOGUUID_TARGET_BEGIN("avx2,aes")
#include "kernel_x86.h"
#include "kernel_x86_hex.h"

namespace loguuid {
namespace {

// Text of one value, the digits of each half of it in one half of the register. Characters 2 to 33 come from the
// halves' own digits, so that no digit has to cross; the first two and the last two are in place without any
// permutation.
struct alignas(32) Pattern {
  int8_t from[32];  // which digit of the half; -1: none
  char fixed[32];
};

constexpr Pattern kText = {
    {2, 3, 4, 5, 6, 7, -1, 8, 9, 10, 11, -1, 12, 13, 14, 15, -1, 0, 1, 2, 3, -1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
    {0, 0, 0, 0, 0, 0, '-', 0, 0, 0, 0, '-', 0, 0, 0, 0, '-', 0, 0, 0, 0, '-', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
constexpr Pattern kTextV4 = {
    {2, 3, 4, 5, 6, 7, -1, 8, 9, 10, 11, -1, -1, 13, 14, 15, -1, 0, 1, 2, 3, -1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
    {0, 0, 0, 0, 0, 0, '-', 0, 0, 0, 0, '-', '4', 0, 0, 0, '-', 0, 0, 0, 0, '-', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

inline __m256i load256(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

template <bool kV4>
inline void text_one(char* out, __m128i v) {
  // A byte's value times 2^12 + 1, shifted down by 4: its high digit in one byte, its low digit in the next.
  __m256i digits = _mm256_srli_epi16(_mm256_mullo_epi16(_mm256_cvtepu8_epi16(v), _mm256_set1_epi16(0x1001)), 4);
  if (kV4) {
    const __m256i keep = _mm256_setr_epi64x(-1, -1, -1 ^ 0x0c, -1);
    const __m256i set = _mm256_setr_epi64x(0, 0, 8, 0);
    digits = _mm256_or_si256(_mm256_and_si256(digits, keep), set);
  }
  const __m256i hex = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(hex_digits()), digits);
  const Pattern& pattern = kV4 ? kTextV4 : kText;
  store128(out, _mm256_castsi256_si128(hex));
  store128(out + 20, _mm256_extracti128_si256(hex, 1));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 2),
                      _mm256_or_si256(_mm256_shuffle_epi8(hex, load256(pattern.from)), load256(pattern.fixed)));
}

}  // namespace
}  // namespace loguuid

#include "kernel_x86_run.h"

namespace loguuid {

const Kernel kernel_avx2 = {
    "avx2", kCpuSsse3 | kCpuAes | kCpuAvx2, expand_key, blocks, text, v4_run, block, v4_one, hex, parse, v4_take};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
