// Hexadecimal digits on 128-bit registers, for the SSSE3 and the AVX2 kernel: writing and reading. Include it inside
// the target region, after kernel_x86.h.
#pragma once

namespace loguuid {
namespace {

struct HexPair {
  __m128i first, second;  // the digits of bytes 0 to 7 and of bytes 8 to 15
};

inline HexPair hex_of(__m128i high, __m128i low) {
  return {_mm_shuffle_epi8(hex_digits(), _mm_unpacklo_epi8(high, low)),
          _mm_shuffle_epi8(hex_digits(), _mm_unpackhi_epi8(high, low))};
}

inline __m128i low_halves(__m128i v) { return _mm_and_si128(v, _mm_set1_epi8(0x0f)); }

inline char hex_digit(unsigned nibble) {
  return static_cast<char>(nibble + '0' + (((9 - nibble) >> 8) & ('a' - '0' - 10)));
}

// Any length. From 16 bytes on the last 16 are done once more, ending where the text ends.
inline void hex_tail(char* out, const uint8_t* in, size_t len) {
  for (; len >= 1; ++in, out += 2, --len) {
    out[0] = hex_digit(*in >> 4);
    out[1] = hex_digit(*in & 15);
  }
}

void hex(char* out, const uint8_t* in, size_t len) {
  if (len < 16) return hex_tail(out, in, len);
  for (size_t at = 0;;) {
    const __m128i v = load128(in + at);
    const HexPair digits = hex_of(low_halves(_mm_srli_epi16(v, 4)), low_halves(v));
    store128(out + 2 * at, digits.first);
    store128(out + 2 * at + 16, digits.second);
    if (at + 16 == len) return;
    at = at + 32 <= len ? at + 16 : len - 16;
  }
}

// The values of 16 digits; bytes that are none are marked in `bad`.
inline __m128i digit_values(__m128i c, __m128i& bad) {
  // Signed comparisons serve because characters from 0x80 on are negative: below every bound.
  const __m128i digit =
      _mm_and_si128(_mm_cmpgt_epi8(c, _mm_set1_epi8('0' - 1)), _mm_cmplt_epi8(c, _mm_set1_epi8('9' + 1)));
  const __m128i lower = _mm_or_si128(c, _mm_set1_epi8(0x20));
  const __m128i letter =
      _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(lower, _mm_set1_epi8('f' + 1)));
  bad = _mm_or_si128(bad, _mm_cmpeq_epi8(_mm_or_si128(digit, letter), _mm_setzero_si128()));
  // The low four bits of '0' .. '9' are the value, those of 'a' .. 'f' the value less 9.
  return _mm_add_epi8(_mm_and_si128(c, _mm_set1_epi8(0x0f)), _mm_and_si128(letter, _mm_set1_epi8(9)));
}

bool parse(uint8_t out[16], const char in[kUuidText]) {
  const __m128i head = load128(in), middle = load128(in + 16), tail = load128(in + 20);
  const __m128i first =
      _mm_or_si128(_mm_shuffle_epi8(head, _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, -1, -1)),
                   _mm_slli_si128(middle, 14));
  const __m128i second = _mm_or_si128(
      _mm_shuffle_epi8(tail, _mm_setr_epi8(-1, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
      _mm_shuffle_epi8(middle, _mm_setr_epi8(3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)));
  __m128i bad = _mm_setzero_si128();
  const __m128i high_first = _mm_set1_epi16(0x0110);  // 16 * first digit + second digit
  const __m128i a = _mm_maddubs_epi16(digit_values(first, bad), high_first);
  const __m128i b = _mm_maddubs_epi16(digit_values(second, bad), high_first);
  const __m128i dash = _mm_set1_epi8('-');
  const unsigned dashes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(head, dash))) |
                          static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(middle, dash))) << 16;
  constexpr unsigned kDashes = 1u << 8 | 1u << 13 | 1u << 18 | 1u << 23;
  if ((static_cast<unsigned>(_mm_movemask_epi8(bad)) | ((dashes & kDashes) ^ kDashes)) != 0) return false;
  store128(out, _mm_packus_epi16(a, b));
  return true;
}

}  // namespace
}  // namespace loguuid
