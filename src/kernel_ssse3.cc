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
#include "kernel_x86_hex.h"

namespace loguuid {
namespace {

// Patterns of a UUID's text; version 4 brings its own digit, so that two operations are enough for its six bits.
struct alignas(16) Pattern {
  int8_t from[16];  // which digit; -1: none
  char fixed[16];
};

constexpr Pattern kHead = {{0, 1, 2, 3, 4, 5, 6, 7, -1, 8, 9, 10, 11, -1, 12, 13},
                           {0, 0, 0, 0, 0, 0, 0, 0, '-', 0, 0, 0, 0, '-', 0, 0}};
constexpr Pattern kHeadV4 = {{0, 1, 2, 3, 4, 5, 6, 7, -1, 8, 9, 10, 11, -1, -1, 13},
                             {0, 0, 0, 0, 0, 0, 0, 0, '-', 0, 0, 0, 0, '-', '4', 0}};
constexpr Pattern kMiddle = {{0, 1, -1, 2, 3, 4, 5, -1, 6, 7, 8, 9, 10, 11, 12, 13},
                             {0, 0, '-', 0, 0, 0, 0, '-', 0, 0, 0, 0, 0, 0, 0, 0}};
// The variant: the upper half of byte 8 keeps two bits and gets 8.
struct alignas(16) Halves {
  uint8_t keep[16];
  uint8_t set[16];
};
constexpr Halves kVariant = {{15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 15, 15, 15, 15, 15},
                             {0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}};

inline __m128i arrange(__m128i digits, const Pattern& pattern) {
  return _mm_or_si128(_mm_shuffle_epi8(digits, load128(pattern.from)), load128(pattern.fixed));
}

// 36 characters in three overlapping stores: 20 to 35, of which the last four are in place; 16 to 31; 0 to 15.
template <bool kV4>
inline void text_one(char* out, __m128i v) {
  __m128i high = _mm_srli_epi16(v, 4);
  high = kV4 ? _mm_or_si128(_mm_and_si128(high, load128(kVariant.keep)), load128(kVariant.set)) : low_halves(high);
  const HexPair hex = hex_of(high, low_halves(v));
  store128(out + 20, hex.second);
  store128(out + 16, arrange(_mm_alignr_epi8(hex.second, hex.first, 14), kMiddle));  // from byte 7 on
  store128(out, arrange(hex.first, kV4 ? kHeadV4 : kHead));
}

}  // namespace
}  // namespace loguuid

#include "kernel_x86_run.h"

namespace loguuid {

const Kernel kernel_ssse3 = {"ssse3", kCpuSsse3 | kCpuAes, expand_key, blocks, text, v4_run, block, v4_one, hex, parse,
                             v4_take};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
