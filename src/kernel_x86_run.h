// Long runs with AES-NI on 128-bit registers, for the SSSE3 and the AVX2 kernel. Include it inside the target region,
// after kernel_x86.h.
//
// AES is the floor: ten rounds a block. Three stages run side by side in one loop: eight blocks are encrypted together,
// which hides the latency of a round; between the rounds the general registers write the inputs of blocks to come, and
// the eight blocks before become text.
#pragma once

namespace loguuid {
namespace {

constexpr size_t kGroup = 8;  // blocks
constexpr size_t kAhead = 2;  // groups between the writing of an input and its reading

// Inputs that are on their way from the general registers to the vector registers. A load of 16 bytes has to wait until
// the two stores that it covers have left the core, hence the distance. Wiped at the end: they show the state.
struct Ring {
  alignas(64) uint64_t word[kAhead + 1][2 * kGroup];

  uint64_t* begin() { return word[0]; }
  uint64_t* after(uint64_t* group) {
    group = group == word[kAhead] ? word[0] : group + 2 * kGroup;
    __asm__("" : "+r"(group));  // else clang 14 chooses between the two once for each store
    return group;
  }
};

// One turn of the loop, unrolled by templates, which no compiler overrules.
template <bool kPutIn, bool kPutOut, class Sink>
struct Turn {
  const Stream& stream;
  const __m128i& first;
  Sequence& sequence;
  Sink& sink;
  __m128i x[kGroup];

  template <size_t kFirst, size_t kEnd>
  void put_in(uint64_t* to) {
    if constexpr (kPutIn && kFirst < kEnd) {
      put_inputs(to + 2 * kFirst, sequence, 1);
      put_in<kFirst + 1, kEnd>(to);
    }
  }

  template <size_t kRound>
  void rounds(uint64_t* to) {
    const __m128i key = round_key(stream, kRound);
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroup; ++i)
      x[i] = kRound < 10 ? _mm_aesenc_si128(x[i], key) : _mm_aesenclast_si128(x[i], key);
    put_in<kGroup*(kRound - 1) / 10, kGroup * kRound / 10>(to);
    if constexpr (kPutOut && kRound % 2 == 1 && kRound < kGroup) sink.put_pair(kRound - 1);
    if constexpr (kRound < 10) rounds<kRound + 1>(to);
  }

  void all(const uint64_t* from, uint64_t* to) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroup; ++i) x[i] = _mm_xor_si128(load128(from + 2 * i), first);
    rounds<1>(to);
    if constexpr (kPutOut) sink.out += Sink::kStep * kGroup;
    sink.take(x);
  }
};

template <bool kPutIn, bool kPutOut, class Sink>
inline void turn(const Stream& stream, const __m128i& first, Sequence& sequence, Sink& sink, const uint64_t* from,
                 uint64_t* to) {
  Turn<kPutIn, kPutOut, Sink> t{stream, first, sequence, sink, {}};
  t.all(from, to);
}

// A sink takes groups (`take`), puts them out by pairs, one turn later (`put_pair`), and single blocks at once
// (`put_one`). At least one block comes singly, so that it can treat the last one as such.
template <class Sink>
inline void run(Stream& stream, Sink& sink, size_t count) {
  const __m128i first = first_key(stream);
  Sequence sequence = sequence_of(stream);
  if (count <= kGroup * (kAhead + 2)) {
    for (; count != 0; --count) {
      const __m128i x = one_input(sequence);
      sequence.step();
      sink.put_one(encrypt_one(stream, first, x), count == 1);
    }
    sequence_save(stream, sequence);
    return;
  }

  Ring ring;
  uint64_t* from = ring.begin();
  uint64_t* to = ring.word[kAhead];
  put_inputs(from, sequence, kGroup * kAhead);
  turn<true, false>(stream, first, sequence, sink, from, to);
  count -= kGroup;
  for (; count >= kGroup * (kAhead + 1); count -= kGroup) {
    from = ring.after(from);
    to = ring.after(to);
    turn<true, true>(stream, first, sequence, sink, from, to);
  }
  put_inputs(ring.after(to), sequence, count - kGroup * kAhead);
  sequence_save(stream, sequence);
  for (from = ring.after(from); count > kGroup; count -= kGroup, from = ring.after(from))
    turn<false, true>(stream, first, sequence, sink, from, to);
#pragma GCC unroll 4
  for (size_t i = 0; i < kGroup; i += 2) sink.put_pair(i);
  sink.out += Sink::kStep * kGroup;
  for (; count != 0; --count, from += 2) sink.put_one(encrypt_one(stream, first, load128(from)), count == 1);
  wipe(&ring, sizeof ring);
}

struct BlockSink {
  static constexpr size_t kStep = 0;  // moves on by itself
  uint8_t* out;

  void take(const __m128i (&x)[kGroup]) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroup; ++i) store128(out + 16 * i, x[i]);
    out += 16 * kGroup;
  }
  void put_pair(size_t) const {}
  void put_one(__m128i x, bool) {
    store128(out, x);
    out += 16;
  }
};

// Text of a run. `put_two` writes the text of two neighbouring values, `stride` bytes apart.
template <void (*put_two)(char* out, size_t stride, const uint8_t* values)>
struct TextSink {
  static constexpr size_t kStep = 37;
  char* out;
  char separator;
  alignas(32) uint8_t values[16 * kGroup];

  void take(const __m128i (&x)[kGroup]) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroup; ++i) store128(values + 16 * i, x[i]);
  }
  void put_pair(size_t i) const {
    put_two(out + 37 * i, 37, values + 16 * i);
    out[37 * i + 36] = separator;
    out[37 * i + 73] = separator;
  }
  void put_one(__m128i x, bool last) {
    text_one<true>(out, x);
    if (!last) out[36] = separator;
    out += 37;
  }
};

void blocks(Stream& stream, uint8_t* out, size_t count) {
  BlockSink sink{out};
  run(stream, sink, count);
}

void v4_one(Stream& stream, char out[kUuidText]) { text_one<true>(out, next_block(stream)); }

}  // namespace
}  // namespace loguuid
