// What the x86 kernels share, on 128-bit registers. A kernel includes this inside its target region (kernel_target.h),
// so the same source becomes SSE code in one and AVX code in another; the headers it needs come before that region.
//
// No branch and no address depends on a secret: hexadecimal digits are looked up by in-register shuffles, AES is the
// instruction.
#pragma once

namespace loguuid {
namespace {

#if defined(__x86_64__)
constexpr bool k64Bit = true;
#else
constexpr bool k64Bit = false;
#endif

inline __m128i load128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void store128(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }

inline __m128i round_key(const Stream& stream, size_t round) { return load128(stream.round_keys + 16 * round); }

// The clock's mix belongs into the first state word; XORed into the first round key it costs nothing per block.
inline __m128i first_key(const Stream& stream) {
  return _mm_xor_si128(round_key(stream, 0), _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&stream.mix)));
}

// ---- the sequence ----

// A copy that the compiler can hold in registers over a whole batch.
struct Sequence {
  uint64_t s0, s1, s2, s3;

  void step() {
    const uint64_t t = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = std::rotl(s3, 45);
  }
};

// Word by word, which `volatile` makes sure of: a compiler that reads or writes them as pairs makes the next call wait
// for the stores of this one, since a load gets its data early only from one store that covers it.
inline Sequence sequence_of(const Stream& stream) {
  const volatile uint64_t* s = stream.s;
  return {s[0], s[1], s[2], s[3]};
}

inline void sequence_save(Stream& stream, const Sequence& q) {
  volatile uint64_t* s = stream.s;
  s[0] = q.s0;
  s[1] = q.s1;
  s[2] = q.s2;
  s[3] = q.s3;
}

// Writes the inputs of the next `count` blocks. The stores are volatile because a compiler that pairs them into vectors
// spends three times the instructions.
inline void put_inputs(uint64_t* inputs, Sequence& q, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    *const_cast<volatile uint64_t*>(inputs + 2 * i) = q.s0;
    *const_cast<volatile uint64_t*>(inputs + 2 * i + 1) = q.s1;
    q.step();
  }
}

// The input of one block, without a trip through memory where the machine has 64-bit registers.
inline __m128i one_input(const Sequence& q) {
#if defined(__x86_64__)
  return _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(q.s0)),
                            _mm_cvtsi64_si128(static_cast<long long>(q.s1)));
#else
  return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&q.s0)),
                            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&q.s1)));
#endif
}

// ---- AES-128 (FIPS 197) ----

// AESENCLAST on four equal columns is SubWord without the row shift, which is what the key schedule needs, and has a
// shorter latency than AESKEYGENASSIST.
void expand_key(uint8_t round_keys[kRoundKeyBytes], const uint8_t key[16]) {
  const __m128i rotate_last_word = _mm_set1_epi32(0x0c0f0e0d);
  static constexpr uint8_t kRcon[10] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
  __m128i k = load128(key);
  store128(round_keys, k);
  for (size_t round = 0; round < 10; ++round) {
    const __m128i word = _mm_aesenclast_si128(_mm_shuffle_epi8(k, rotate_last_word), _mm_set1_epi32(kRcon[round]));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    k = _mm_xor_si128(k, _mm_slli_si128(k, 8));
    k = _mm_xor_si128(k, word);
    store128(round_keys + 16 * (round + 1), k);
  }
}

inline __m128i encrypt_one(const Stream& stream, __m128i first, __m128i x) {
  x = _mm_xor_si128(x, first);
#pragma GCC unroll 9
  for (size_t round = 1; round < 10; ++round) x = _mm_aesenc_si128(x, round_key(stream, round));
  return _mm_aesenclast_si128(x, round_key(stream, 10));
}

inline __m128i next_block(Stream& stream) {
  Sequence q = sequence_of(stream);
  const __m128i x = encrypt_one(stream, first_key(stream), one_input(q));
  q.step();
  sequence_save(stream, q);
  return x;
}

void block(Stream& stream, uint8_t out[16]) { store128(out, next_block(stream)); }

// ---- text ----

inline __m128i hex_digits() {
  return _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
}

struct HexPair {
  __m128i first, second;  // the digits of bytes 0 to 7 and of bytes 8 to 15
};

inline HexPair hex_of(__m128i high, __m128i low) {
  return {_mm_shuffle_epi8(hex_digits(), _mm_unpacklo_epi8(high, low)),
          _mm_shuffle_epi8(hex_digits(), _mm_unpackhi_epi8(high, low))};
}

inline __m128i low_halves(__m128i v) { return _mm_and_si128(v, _mm_set1_epi8(0x0f)); }

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
