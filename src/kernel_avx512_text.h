// Text under AVX-512 with VBMI. Include it inside the target region, after kernel_x86.h.
#pragma once

namespace loguuid {
namespace {

inline __m512i load512(const void* p) { return _mm512_loadu_si512(p); }
inline void store512(void* p, __m512i v) { _mm512_storeu_si512(p, v); }
inline void store256(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }

inline __mmask64 low_bits(size_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// Four values give 64 high digits and 64 low ones, and one permutation of those 128 characters writes 64 characters of
// text. Where `digits` has no bit, it leaves the index alone: so the index holds the dash itself.
struct alignas(64) Layout {
  uint8_t index[64];
  uint64_t digits;
  uint64_t separators;
};

constexpr int kOutside = -1;

// `position(i)` says which character of a run (37 a UUID, the separator the last) is character i of the register.
template <class Position>
constexpr Layout make_layout(Position position, bool v4) {
  Layout layout{};
  for (int i = 0; i < 64; ++i) {
    const int at = position(i);
    if (at == kOutside) continue;
    const int c = at % 37;
    if (c == 8 || c == 13 || c == 18 || c == 23) {
      layout.index[i] = '-';
    } else if (v4 && c == 14) {
      layout.index[i] = '4';
    } else if (c == 36) {
      layout.separators |= uint64_t{1} << i;
    } else {
      const int digit = c - (c > 8) - (c > 13) - (c > 18) - (c > 23);
      layout.index[i] = static_cast<uint8_t>(at / 37 * 16 + digit / 2 + digit % 2 * 64);
      layout.digits |= uint64_t{1} << i;
    }
  }
  return layout;
}

// Four UUIDs of a run: characters 0 to 63, 64 to 127, and from 128 on the 20 that are left.
constexpr Layout kRun[3] = {
    make_layout([](int i) { return i; }, true),
    make_layout([](int i) { return 64 + i; }, true),
    make_layout([](int i) { return i < 20 ? 128 + i : kOutside; }, true),
};

// The places of a register's bytes.
constexpr Layout kCount64 = [] {
  Layout layout{};
  for (uint8_t i = 0; i < 64; ++i) layout.index[i] = i;
  return layout;
}();

// One UUID, 36 characters, as two halves of a register: characters 0 to 31 and 4 to 35.
constexpr int halves(int i) { return i < 32 ? i : i - 28; }
constexpr Layout kOne = make_layout(halves, false);
constexpr Layout kOneV4 = make_layout(halves, true);
// One UUID and a NUL, as characters 0 to 31 and eight more: 29 to 35 and the separator, zero as the layout stands.
constexpr Layout kOneV4AndNul = make_layout([](int i) { return i < 32 ? i : i < 40 ? i - 3 : kOutside; }, true);

// One of four values, from the register's start.
constexpr Layout kOfFour[4] = {
    make_layout([](int i) { return i < 36 ? i : kOutside; }, false),
    make_layout([](int i) { return i < 36 ? i + 37 : kOutside; }, false),
    make_layout([](int i) { return i < 36 ? i + 74 : kOutside; }, false),
    make_layout([](int i) { return i < 36 ? i + 111 : kOutside; }, false),
};

struct Writer {
  __m512i index;
  __mmask64 digits;
};

// The mask is hidden from the compiler: clang 14, when it knows the value, makes two permutations of the one below. (It
// knows no such operand on 32-bit machines.)
inline Writer writer_of(__m512i index, uint64_t digits) {
  __mmask64 mask = digits;
#if defined(__x86_64__)
  __asm__("" : "+Yk"(mask));
#endif
  return {index, mask};
}

inline Writer writer_of(const Layout& layout) { return writer_of(load512(layout.index), layout.digits); }

inline Writer writer_of(const Layout& layout, char separator) {
  return writer_of(_mm512_mask_set1_epi8(load512(layout.index), layout.separators, separator), layout.digits);
}

struct Digits {
  __m512i high, low;
};

inline __m512i write(const Writer& w, const Digits& d) {
  return _mm512_mask2_permutex2var_epi8(d.high, w.index, w.digits, d.low);
}

// The permutation that looks digits up minds six bits of its index, and its table holds the 16 digits four times: the
// neighbour's bits that a shift drags along do no harm.
inline Digits digits_of(__m512i values) {
  const __m512i table = _mm512_broadcast_i32x4(hex_digits());
  return {_mm512_permutexvar_epi8(_mm512_srli_epi16(values, 4), table), _mm512_permutexvar_epi8(values, table)};
}

// The same for version 4: the layout has the version's digit, here the variant's bits go into the high half of byte 8.
inline Digits v4_digits_of(__m512i values) {
  const __m512i table = _mm512_broadcast_i32x4(hex_digits());
  const __m512i keep = _mm512_broadcast_i32x4(_mm_setr_epi32(-1, -1, -1 ^ 0x0c, -1));
  const __m512i set = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0, 0x08, 0));
  const __m512i high = _mm512_ternarylogic_epi64(_mm512_srli_epi16(values, 4), keep, set, 0xea);  // (a & b) | c
  return {_mm512_permutexvar_epi8(high, table), _mm512_permutexvar_epi8(values, table)};
}

inline void store_halves(char* out, __m512i v) {
  store256(out, _mm512_castsi512_si256(v));
  store256(out + 4, _mm512_extracti64x4_epi64(v, 1));
}

// One store less than halves and a NUL, and one that seldom crosses a cache line.
inline void store_with_nul(char* out, __m512i v) {
  store256(out, _mm512_castsi512_si256(v));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 29), _mm512_extracti32x4_epi32(v, 2));
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  if (count == 0) return;
  const char* const end = out + stride * (count - 1) + kUuidText;
  const Writer w[4] = {writer_of(kOfFour[0]), writer_of(kOfFour[1]), writer_of(kOfFour[2]), writer_of(kOfFour[3])};
  // Whole registers, as long as what they write behind their text is inside and will be overwritten.
  for (; count > 4 && end - out >= static_cast<ptrdiff_t>(3 * stride + 64);
       count -= 4, values += 64, out += 4 * stride) {
    const Digits d = digits_of(load512(values));
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) store512(out + i * stride, write(w[i], d));
  }
  const Writer one = writer_of(kOne);
  for (; count != 0; --count, values += 16, out += stride)
    store_halves(out, write(one, digits_of(_mm512_castsi128_si512(load128(values)))));
}

// Two permutations put high and low digits in turn.
constexpr Layout make_pairs(int first) {
  Layout layout{};
  for (int i = 0; i < 64; ++i) layout.index[i] = static_cast<uint8_t>(first + i / 2 + i % 2 * 64);
  return layout;
}
constexpr Layout kPairs[2] = {make_pairs(0), make_pairs(32)};

void hex(char* out, const uint8_t* in, size_t len) {
  const __m512i first = load512(kPairs[0].index), second = load512(kPairs[1].index);
  for (; len >= 64; len -= 64, in += 64, out += 128) {
    const Digits d = digits_of(load512(in));
    store512(out, _mm512_permutex2var_epi8(d.high, first, d.low));
    store512(out + 64, _mm512_permutex2var_epi8(d.high, second, d.low));
  }
  if (len == 0) return;
  const Digits d = digits_of(_mm512_maskz_loadu_epi8(low_bits(len), in));
  _mm512_mask_storeu_epi8(out, low_bits(2 * len), _mm512_permutex2var_epi8(d.high, first, d.low));
  if (len <= 32) return;
  _mm512_mask_storeu_epi8(out + 64, low_bits(2 * len - 64), _mm512_permutex2var_epi8(d.high, second, d.low));
}

// ---- parse ----

constexpr uint8_t kNoDigit = 0x80;

struct alignas(64) ParseTables {
  uint8_t value[128];  // of an ASCII character
  uint8_t digit[64];   // where the 32 digits are when characters 20 to 35 stand behind characters 0 to 31
};

constexpr ParseTables make_parse_tables() {
  ParseTables t{};
  for (int c = 0; c < 128; ++c) {
    t.value[c] = kNoDigit;
    if (c >= '0' && c <= '9') t.value[c] = static_cast<uint8_t>(c - '0');
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') t.value[c] = static_cast<uint8_t>((c | 0x20) - 'a' + 10);
  }
  size_t n = 0;
  for (int c = 0; c < 36; ++c)
    if (c != 8 && c != 13 && c != 18 && c != 23) t.digit[n++] = static_cast<uint8_t>(c < 32 ? c : c + 12);
  return t;
}
constexpr ParseTables kParse = make_parse_tables();

bool parse(uint8_t out[16], const char in[kUuidText]) {
  const __m256i head = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
  const __m512i text = _mm512_inserti64x4(_mm512_castsi256_si512(head), _mm256_castsi128_si256(load128(in + 20)), 1);
  const __m512i digits = _mm512_permutexvar_epi8(load512(kParse.digit), text);
  const __m512i values = _mm512_permutex2var_epi8(load512(kParse.value), digits, load512(kParse.value + 64));
  // The look-up minds seven bits of a character, so the eighth has to be looked at by itself.
  const uint32_t bad = static_cast<uint32_t>(_mm512_movepi8_mask(_mm512_or_si512(values, digits)));
  const uint32_t dashes = _mm256_cmpeq_epi8_mask(head, _mm256_set1_epi8('-'));
  constexpr uint32_t kDashes = 1u << 8 | 1u << 13 | 1u << 18 | 1u << 23;
  if ((bad | ((dashes & kDashes) ^ kDashes)) != 0) return false;
  const __m256i bytes = _mm256_maddubs_epi16(_mm512_castsi512_si256(values), _mm256_set1_epi16(0x0110));
  store128(out, _mm256_cvtepi16_epi8(bytes));
  return true;
}

}  // namespace
}  // namespace loguuid
