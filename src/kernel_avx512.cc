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

#include "kernel_avx512_text.h"  // builds on the one above

namespace loguuid {
namespace {

constexpr size_t kQuads = 4;           // registers of four blocks in a group: enough to hide the latency of AES
constexpr size_t kGroup = 4 * kQuads;  // blocks
constexpr size_t kAhead = 2;           // groups between the writing of an input and its reading
constexpr size_t kQuadWords = 8;

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

// One lap of the loop: a group is taken from the ring and encrypted; between its rounds a later group's inputs are
// written in its place, and the group before it is put out if there is one. Unrolled by templates, which no compiler
// overrules.
template <bool kPut, class Sink>
struct Lap {
  const Keys& keys;
  uint64_t* group;
  Sequence& sequence;
  const Sink& sink;
  const Quads<kQuads>& done;
  Quads<kQuads> q;

  template <size_t kFirst, size_t kEnd>
  void put_in() {
    if constexpr (kFirst < kEnd) {
      put_inputs(group + 2 * kFirst, sequence, 1);
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

  void all() {
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) q.x[i] = _mm512_xor_si512(load512(group + kQuadWords * i), keys.k[0]);
    rounds<1>();
  }
};

template <bool kPut, class Sink>
inline Quads<kQuads> lap(const Keys& keys, uint64_t* group, Sequence& sequence, const Sink& sink,
                         const Quads<kQuads>& done) {
  Lap<kPut, Sink> t{keys, group, sequence, sink, done, {}};
  t.all();
  return t.q;
}

template <class Sink>
inline void put_group(const __m512i (&x)[kQuads], Sink& sink) {
#pragma GCC unroll 8
  for (size_t i = 0; i < kQuads; ++i) sink.quad(i, x[i]);
  sink.out += Sink::kStep * kQuads;
}

template <class Sink>
inline void run_short(Stream& stream, size_t count, Sink sink) {
  const Keys keys = keys_of(stream);
  Sequence sequence = sequence_of(stream);
  for (; count > 4; count -= 4) {
    __m512i x[1] = {next_quad(sequence)};
    encrypt(keys, x);
    sink.quad(0, x[0]);
    sink.out += Sink::kStep;
  }
  // The last four are made in any case, but the sequence stops where it should.
  Sequence end = sequence;
  __m512i x[1] = {next_quad(sequence)};
  if (count == 4) {
    end = sequence;
  } else {
    for (size_t i = 0; i < count; ++i) end.step();
  }
  sequence_save(stream, end);
  encrypt(keys, x);
  sink.last(x[0], count);
}

template <class Sink>
inline void run_long(Stream& stream, size_t count, Sink sink) {
  Sequence sequence = sequence_of(stream);
  Ring<kGroup, kAhead> ring;
  uint64_t* group = ring.begin();
  put_inputs(group, sequence, kGroup * kAhead);
  const Keys keys = keys_of(stream);
  Quads<kQuads> done = lap<false>(keys, group, sequence, sink, {});
  size_t left = count - kGroup * (kAhead + 1);  // inputs to write
  for (; left >= kGroup; left -= kGroup) {
    group = ring.after(group);
    done = lap<true>(keys, group, sequence, sink, done);
    sink.out += Sink::kStep * kQuads;
  }
  put_group(done.x, sink);

  // What is left of the sequence goes into the place of the next group, and then the ring is emptied.
  group = ring.after(group);
  __m512i x[kQuads];
#pragma GCC unroll 8
  for (size_t i = 0; i < kQuads; ++i) x[i] = load512(group + kQuadWords * i);
  put_inputs(group, sequence, left);
  sequence_save(stream, sequence);
  put_inputs(group + 2 * left, sequence, -left % 4);  // to fill the last four; thrown away
  encrypt(keys, x);
  put_group(x, sink);
  for (left += kGroup * (kAhead - 1); left > kGroup; left -= kGroup) {
    group = ring.after(group);
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) x[i] = load512(group + kQuadWords * i);
    encrypt(keys, x);
    put_group(x, sink);
  }
  group = ring.after(group);
  __m512i last[1];
  for (;; left -= 4, group += kQuadWords) {
    last[0] = load512(group);
    encrypt(keys, last);
    if (left <= 4) break;
    sink.quad(0, last[0]);
    sink.out += Sink::kStep;
  }
  sink.last(last[0], left);
  ring.wipe();
}

template <class Sink>
inline void run(Stream& stream, size_t count, Sink sink) {
  count < kGroup*(kAhead + 1) ? run_short(stream, count, sink) : run_long(stream, count, sink);
}

// A short run with nothing left over, such as blocks made ahead: two registers at once hide more of the latency of AES.
LOGUUID_NOINLINE void blocks_by_eight(Stream& stream, uint8_t* out, size_t count) {
  const Keys keys = keys_of(stream);
  Sequence sequence = sequence_of(stream);
  for (const uint8_t* const end = out + 16 * count; out != end; out += 128) {
    __m512i x[2];
    x[0] = next_quad(sequence);
    x[1] = next_quad(sequence);
    encrypt(keys, x);
    store512(out, x[0]);
    store512(out + 64, x[1]);
  }
  sequence_save(stream, sequence);
}

void blocks(Stream& stream, uint8_t* out, size_t count) {
  if (count == 0) return;
  if (count == 1) return block(stream, out);
  if (count % 8 == 0 && count < kGroup * (kAhead + 1)) return blocks_by_eight(stream, out, count);
  run(stream, count, BlockSink{out});
}

LOGUUID_INLINE void v4_one(Stream& stream, char out[kUuidText]) {
  store_halves(out, write(writer_of(kOneV4), v4_digits_of(_mm512_castsi128_si512(next_block(stream)))));
}

size_t v4_take(Ahead& ahead, uint64_t number, const uint8_t block[16], char* out) {
  store_with_nul(out, write(writer_of(kOneV4AndNul), v4_digits_of(_mm512_castsi128_si512(load128(block)))));
  return end_v4_take(ahead, number, out);
}

LOGUUID_NOINLINE void v4_many(Stream& stream, char* out, char separator, size_t count) {
  run(stream, count,
      TextSink{{writer_of(kRun[0], separator), writer_of(kRun[1], separator), writer_of(kRun[2], separator)}, out});
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  return count == 1 ? v4_one(stream, out) : v4_many(stream, out, separator, count);
}

}  // namespace

constexpr auto kNeeds = kCpuSsse3 | kCpuAes | kCpuAvx2 | kCpuAvx512 | kCpuVbmi | kCpuVaes;
const Kernel kernel_avx512 = {"avx512", kNeeds, expand_key, blocks, text, v4_run, block, v4_one, hex, parse, v4_take};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
