// x86 with AVX-512, VBMI and VAES: four blocks in a register, and text of any shape in one permutation.
//
// The sequence is the floor: one step depends on the one before and takes two cycles. All else is arranged to fit into
// its shadow. Three stages run side by side in one loop: the general registers write the inputs of blocks to come into
// a small ring, one group of blocks is encrypted, and the group before it becomes text.
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#include <bit>

#include "base.h"
#include "kernel.h"
#include "kernel_target.h"
#include "platform.h"

// GCC 12 warns of the undefined registers that its own intrinsics start from.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

LOGUUID_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,vaes,aes")
#include "kernel_x86.h"

namespace loguuid {
namespace {

inline __m512i load512(const void* p) { return _mm512_loadu_si512(p); }
inline void store512(void* p, __m512i v) { _mm512_storeu_si512(p, v); }
inline void store256(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }

inline __mmask64 low_bits(size_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// ---- text ----
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

// ---- blocks ----

constexpr size_t kQuads = 4;           // registers of four blocks in a group: enough to hide the latency of AES
constexpr size_t kGroup = 4 * kQuads;  // blocks
constexpr size_t kAhead = 2;           // groups between the writing of an input and its reading
constexpr size_t kQuadWords = 8;

// Inputs that are on their way from the general registers to the vector registers. A load of 64 bytes has to wait until
// the eight stores that it covers have left the core, hence the distance. Wiped at the end: they show the state. That
// costs a hundredth of a run of 100.
struct Ring {
  alignas(64) uint64_t word[kAhead + 1][kQuadWords * kQuads];

  uint64_t* begin() { return word[0]; }
  uint64_t* after(uint64_t* group) {
    group = group == word[kAhead] ? word[0] : group + kQuadWords * kQuads;
    __asm__("" : "+r"(group));  // else clang 14 chooses between the two once for each store
    return group;
  }
};

struct Keys {
  __m512i k[11];
};

inline Keys keys_of(const Stream& stream) {
  Keys keys;
  keys.k[0] = _mm512_broadcast_i32x4(first_key(stream));
#pragma GCC unroll 10
  for (size_t round = 1; round < 11; ++round) keys.k[round] = _mm512_broadcast_i32x4(round_key(stream, round));
  return keys;
}

inline __m512i round_of(const Keys& keys, size_t round, __m512i x) {
  return round < 10 ? _mm512_aesenc_epi128(x, keys.k[round]) : _mm512_aesenclast_epi128(x, keys.k[10]);
}

template <size_t kCount>
struct Quads {
  __m512i x[kCount];
};

template <size_t kCount>
inline void encrypt(const Keys& keys, __m512i (&x)[kCount]) {
#pragma GCC unroll 8
  for (size_t i = 0; i < kCount; ++i) x[i] = _mm512_xor_si512(x[i], keys.k[0]);
#pragma GCC unroll 10
  for (size_t round = 1; round <= 10; ++round) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; ++i) x[i] = round_of(keys, round, x[i]);
  }
}

// Four inputs straight from the general registers: slower than the ring in a long run, faster in a short one.
inline __m512i next_quad(Sequence& sequence) {
  __m128i x[4];
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    x[i] = one_input(sequence);
    sequence.step();
  }
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_inserti128_si256(_mm256_castsi128_si256(x[0]), x[1], 1)),
                            _mm256_inserti128_si256(_mm256_castsi128_si256(x[2]), x[3], 1), 1);
}

// What becomes of a block: text of a run.
struct TextSink {
  static constexpr size_t kStep = 148;
  Writer w[3];
  char* out;

  void quad(size_t i, __m512i x) const {
    const Digits d = v4_digits_of(x);
    char* const to = out + kStep * i;
    store512(to, write(w[0], d));
    store512(to + 64, write(w[1], d));
    // The twelve bytes too many are the next UUID's.
    store256(to + 128, _mm512_castsi512_si256(write(w[2], d)));
  }

  // The last one to four blocks, and not a byte too many: the last store begins early instead. (A masked store would
  // do, but takes 0.2 microseconds where its empty part lies on a page that cannot be written.)
  void last(__m512i x, size_t count) const {
    const Digits d = v4_digits_of(x);
    if (count == 1) return store_halves(out, write(writer_of(kOneV4), d));
    const bool full = count == 4;
    const size_t whole = full ? 64 : 0;
    const __m512i head = write(w[0], d), middle = write(w[1], d), tail = write(w[2], d);
    store512(out, head);
    store512(out + whole, full ? middle : head);
    const size_t late = 37 * count - 1 - 64 - whole;
    const __m512i window = _mm512_add_epi8(load512(kCount64.index), _mm512_set1_epi8(static_cast<char>(late)));
    store512(out + whole + late, _mm512_permutex2var_epi8(full ? middle : head, window, full ? tail : middle));
  }
};

// The blocks themselves.
struct BlockSink {
  static constexpr size_t kStep = 64;
  uint8_t* out;

  void quad(size_t i, __m512i x) const { store512(out + kStep * i, x); }
  void last(__m512i x, size_t count) const {
    if (count == 4) return store512(out, x);
    if (count == 1) return store128(out, _mm512_castsi512_si128(x));
    store256(out, _mm512_castsi512_si256(x));
    if (count == 3) store128(out + 32, _mm512_extracti32x4_epi32(x, 2));
  }
};

// One turn of the loop: a group is encrypted; between its rounds a later group's inputs are written, and the group
// before it is put out if there is one. Unrolled by templates, which no compiler overrules.
template <bool kPut, class Sink>
struct Turn {
  const Keys& keys;
  uint64_t* to;
  Sequence& sequence;
  const Sink& sink;
  const Quads<kQuads>& done;
  Quads<kQuads> q;

  template <size_t kFirst, size_t kEnd>
  void put_in() {
    if constexpr (kFirst < kEnd) {
      put_inputs(to + 2 * kFirst, sequence, 1);
      put_in<kFirst + 1, kEnd>();
    }
  }

  template <size_t kFirst, size_t kEnd>
  void put_out() {
    if constexpr (kPut && kFirst < kEnd) {
      sink.quad(kFirst, done.x[kFirst]);
      put_out<kFirst + 1, kEnd>();
    }
  }

  template <size_t kRound>
  void rounds() {
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) q.x[i] = round_of(keys, kRound, q.x[i]);
    put_in<kGroup*(kRound - 1) / 10, kGroup * kRound / 10>();
    put_out<kQuads*(kRound - 1) / 10, kQuads * kRound / 10>();
    if constexpr (kRound < 10) rounds<kRound + 1>();
  }

  void all(const uint64_t* from) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) q.x[i] = _mm512_xor_si512(load512(from + kQuadWords * i), keys.k[0]);
    rounds<1>();
  }
};

template <bool kPut, class Sink>
inline Quads<kQuads> turn(const Keys& keys, const uint64_t* from, uint64_t* to, Sequence& sequence, const Sink& sink,
                          const Quads<kQuads>& done) {
  Turn<kPut, Sink> t{keys, to, sequence, sink, done, {}};
  t.all(from);
  return t.q;
}

template <class Sink>
inline void run(Stream& stream, size_t count, Sink sink) {
  const Keys keys = keys_of(stream);
  Sequence sequence = sequence_of(stream);
  if (count < kGroup * (kAhead + 1)) {
    for (; count > 4; count -= 4) {
      __m512i x[1] = {next_quad(sequence)};
      encrypt(keys, x);
      sink.quad(0, x[0]);
      sink.out += Sink::kStep;
    }
    // The last four are made in any case, but the sequence stops where it should.
    Sequence end = sequence;
    for (size_t i = 0; i < count; ++i) end.step();
    sequence_save(stream, end);
    __m512i x[1] = {next_quad(sequence)};
    encrypt(keys, x);
    sink.last(x[0], count);
    return;
  }

  Ring ring;
  uint64_t* from = ring.begin();
  uint64_t* to = ring.word[kAhead];
  put_inputs(from, sequence, kGroup * kAhead);
  Quads<kQuads> done = turn<false>(keys, from, to, sequence, sink, {});
  size_t left = count - kGroup * (kAhead + 1);  // inputs to write
  for (; left >= kGroup; left -= kGroup) {
    from = ring.after(from);
    to = ring.after(to);
    done = turn<true>(keys, from, to, sequence, sink, done);
    sink.out += Sink::kStep * kQuads;
  }
  to = ring.after(to);
  put_inputs(to, sequence, left);
  sequence_save(stream, sequence);
  put_inputs(to + 2 * left, sequence, -left % 4);  // to fill the last four; thrown away
#pragma GCC unroll 8
  for (size_t i = 0; i < kQuads; ++i) sink.quad(i, done.x[i]);
  sink.out += Sink::kStep * kQuads;

  from = ring.after(from);
  for (count = kGroup * kAhead + left; count > kGroup; count -= kGroup) {
    __m512i x[kQuads];
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) x[i] = load512(from + kQuadWords * i);
    encrypt(keys, x);
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) sink.quad(i, x[i]);
    sink.out += Sink::kStep * kQuads;
    from = ring.after(from);
  }
  for (; count > 4; count -= 4) {
    __m512i x[1] = {load512(from)};
    encrypt(keys, x);
    sink.quad(0, x[0]);
    sink.out += Sink::kStep;
    from += kQuadWords;
  }
  __m512i x[1] = {load512(from)};
  encrypt(keys, x);
  sink.last(x[0], count);
  wipe(&ring, sizeof ring);
}

void blocks(Stream& stream, uint8_t* out, size_t count) {
  if (count == 0) return;
  if (count == 1) return block(stream, out);
  run(stream, count, BlockSink{out});
}

void v4_one(Stream& stream, char out[kUuidText]) {
  store_halves(out, write(writer_of(kOneV4), v4_digits_of(_mm512_castsi128_si512(next_block(stream)))));
}

LOGUUID_NOINLINE void v4_many(Stream& stream, char* out, char separator, size_t count) {
  run(stream, count,
      TextSink{{writer_of(kRun[0], separator), writer_of(kRun[1], separator), writer_of(kRun[2], separator)}, out});
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  return count == 1 ? v4_one(stream, out) : v4_many(stream, out, separator, count);
}

}  // namespace

const Kernel kernel_avx512 = {"avx512",   kCpuSsse3 | kCpuAes | kCpuAvx2 | kCpuAvx512 | kCpuVbmi | kCpuVaes,
                              expand_key, blocks,
                              text,       v4_run,
                              block,      v4_one,
                              hex,        parse};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
