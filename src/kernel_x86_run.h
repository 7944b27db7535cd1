// Long runs with AES-NI on 128-bit registers, for the SSSE3 and the AVX2 kernel. Include it inside the target region,
// after kernel_x86.h and a text_one().
//
// AES is the floor: ten rounds a block. Three stages run side by side in one loop: eight blocks are encrypted together,
// which hides the latency of a round; between the rounds the general registers write the inputs of blocks to come, and
// the eight blocks before become text.
#pragma once

namespace loguuid {
namespace {

constexpr size_t kGroup = 8;  // blocks
constexpr size_t kAhead = 2;  // groups between the writing of an input and its reading

// One lap of the loop, unrolled by templates, which no compiler overrules.
template <bool kPutIn, bool kPutOut, class Sink>
struct Lap {
  const Stream& stream;
  const __m128i& first;
  Sequence& sequence;
  Sink& sink;
  __m128i x[kGroup];

  template <size_t kFirst, size_t kEnd>
  void put_in(uint64_t* group) {
    if constexpr (kPutIn && kFirst < kEnd) {
      put_inputs(group + 2 * kFirst, sequence, 1);
      put_in<kFirst + 1, kEnd>(group);
    }
  }

  template <size_t kRound>
  void rounds(uint64_t* group) {
    const __m128i key = round_key(stream, kRound);
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroup; ++i)
      x[i] = kRound < 10 ? _mm_aesenc_si128(x[i], key) : _mm_aesenclast_si128(x[i], key);
    put_in<kGroup*(kRound - 1) / 10, kGroup * kRound / 10>(group);
    if constexpr (kPutOut && kRound <= kGroup) sink.put(kRound - 1);
    if constexpr (kRound < 10) rounds<kRound + 1>(group);
  }

  void all(uint64_t* group) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroup; ++i) x[i] = _mm_xor_si128(load128(group + 2 * i), first);
    rounds<1>(group);
    if constexpr (kPutOut) sink.out += Sink::kStep * kGroup;
  }
};

template <bool kPutIn, bool kPutOut, class Sink>
inline void lap(const Stream& stream, const __m128i& first, Sequence& sequence, Sink& sink, uint64_t* group,
                __m128i (&x)[kGroup]) {
  Lap<kPutIn, kPutOut, Sink> t{stream, first, sequence, sink, {}};
  t.all(group);
#pragma GCC unroll 8
  for (size_t i = 0; i < kGroup; ++i) x[i] = t.x[i];
}

constexpr size_t kFew = 4;

// Inputs straight from the general registers: slower than the ring in a long run, faster in a short one.
inline void few(const Stream& stream, const __m128i& first, Sequence& sequence, __m128i (&out)[kFew]) {
  __m128i x[kFew];  // a copy, because GCC works in memory on what others may look at
#pragma GCC unroll 4
  for (size_t i = 0; i < kFew; ++i) {
    x[i] = _mm_xor_si128(one_input(sequence), first);
    sequence.step();
  }
#pragma GCC unroll 10
  for (size_t round = 1; round <= 10; ++round) {
    const __m128i key = round_key(stream, round);
#pragma GCC unroll 4
    for (size_t i = 0; i < kFew; ++i) x[i] = round < 10 ? _mm_aesenc_si128(x[i], key) : _mm_aesenclast_si128(x[i], key);
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < kFew; ++i) out[i] = x[i];
}

template <class Sink>
inline void run_short(Stream& stream, Sink& sink, size_t count) {
  const __m128i first = first_key(stream);
  Sequence sequence = sequence_of(stream);
  __m128i x[kFew];
  for (; count > kFew; count -= kFew) {
    few(stream, first, sequence, x);
    sink.take(x);
#pragma GCC unroll 4
    for (size_t i = 0; i < kFew; ++i) sink.put(i);
    sink.out += Sink::kStep * kFew;
  }
  // The last few are made in any case, but the sequence stops where it should.
  Sequence end = sequence;
  for (size_t i = 0; i < count; ++i) end.step();
  sequence_save(stream, end);
  few(stream, first, sequence, x);
  sink.last(x, count);
}

// A sink takes blocks (`take`) and puts them out one by one, a lap later (`put`); it gets the last ones in
// another way, so that it can treat the very last one as such.
template <class Sink>
inline void run(Stream& stream, Sink& sink, size_t count) {
  if (count <= kGroup * (kAhead + 1)) return run_short(stream, sink, count);
  const __m128i first = first_key(stream);
  Sequence sequence = sequence_of(stream);
  Ring<kGroup, kAhead> ring;
  uint64_t* group = ring.begin();
  __m128i x[kGroup];
  put_inputs(group, sequence, kGroup * kAhead);
  lap<true, false>(stream, first, sequence, sink, group, x);
  sink.take(x);
  for (count -= kGroup; count >= kGroup * (kAhead + 1); count -= kGroup) {
    group = ring.after(group);
    lap<true, true>(stream, first, sequence, sink, group, x);
    sink.take(x);
  }
  // What is left of the sequence goes into the place of the next group, and then the ring is emptied.
  group = ring.after(group);
  lap<false, true>(stream, first, sequence, sink, group, x);
  sink.take(x);
  const size_t left = count - kGroup * kAhead;
  put_inputs(group, sequence, left);
  sequence_save(stream, sequence);
  put_inputs(group + 2 * left, sequence, kGroup - left);  // to fill the group; thrown away
  for (count -= kGroup;; count -= kGroup) {
    group = ring.after(group);
    lap<false, true>(stream, first, sequence, sink, group, x);
    if (count <= kGroup) break;
    sink.take(x);
  }
  sink.last(x, count);
  ring.wipe();
}

struct BlockSink {
  static constexpr size_t kStep = 0;  // moves on by itself
  uint8_t* out;

  template <size_t kCount>
  void take(const __m128i (&x)[kCount]) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; ++i) store128(out + 16 * i, x[i]);
    out += 16 * kCount;
  }
  void put(size_t) const {}
  void last(const __m128i* x, size_t count) const {
    for (size_t i = 0; i < count; ++i) store128(out + 16 * i, x[i]);
  }
};

// Text of a run.
struct TextSink {
  static constexpr size_t kStep = 37;
  char* out;
  char separator;
  alignas(16) uint8_t values[16 * kGroup];

  TextSink(char* to, char between) : out(to), separator(between) {}

  template <size_t kCount>
  void take(const __m128i (&x)[kCount]) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kCount; ++i) store128(values + 16 * i, x[i]);
  }
  void put(size_t i) const {
    text_one<true>(out + 37 * i, load128(values + 16 * i));
    out[37 * i + 36] = separator;
  }
  void last(const __m128i* x, size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) out[37 * i - 1] = separator;
      text_one<true>(out + 37 * i, x[i]);
    }
  }
};

// ---- the row ----
// Counts of one, the most frequent, skip what only a run needs.

LOGUUID_NOINLINE void blocks_many(Stream& stream, uint8_t* out, size_t count) {
  BlockSink sink{out};
  run(stream, sink, count);
}

void blocks(Stream& stream, uint8_t* out, size_t count) {
  if (count > 1) return blocks_many(stream, out, count);
  if (count != 0) block(stream, out);
}

LOGUUID_INLINE void v4_one(Stream& stream, char out[kUuidText]) { text_one<true>(out, next_block(stream)); }

size_t v4_take(Ahead& ahead, uint64_t number, const uint8_t block[16], char* out) {
  text_one<true>(out, load128(block));
  out[kUuidText] = '\0';
  return end_v4_take(ahead, number, out);
}

LOGUUID_NOINLINE void v4_many(Stream& stream, char* out, char separator, size_t count) {
  TextSink sink(out, separator);
  run(stream, sink, count);
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  return count == 1 ? v4_one(stream, out) : v4_many(stream, out, separator, count);
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  for (; count != 0; --count, out += stride, values += 16) text_one<false>(out, load128(values));
}

}  // namespace
}  // namespace loguuid
