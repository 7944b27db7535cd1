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

// Inputs that are on their way from the general registers to the vector registers, in kGroups groups of kBlocks blocks.
// A vector load has to wait until all stores that it covers have left the core, hence the distance of the groups. Wiped
// at the end, because they show the state; by plain stores, since the call of memset() took a fifth of a line under
// AVX2.
template <size_t kBlocks, size_t kGroups>
struct Ring {
  static constexpr size_t kGroupWords = 2 * kBlocks;
  alignas(64) uint64_t word[kGroups * kGroupWords];

  uint64_t* begin() { return word; }
  uint64_t* after(uint64_t* group) {
    group = group == word + (kGroups - 1) * kGroupWords ? word : group + kGroupWords;
    __asm__("" : "+r"(group));  // else clang 14 chooses between the two once for each store
    return group;
  }
  void wipe() {
    using Widest = long long __attribute__((vector_size(64)));  // the compiler splits it where registers are smaller
    const Widest zero = {};
#pragma GCC unroll 8
    for (size_t i = 0; i < kGroups * kGroupWords; i += 8) memcpy(word + i, &zero, sizeof zero);
    __asm__ volatile("" : : "r"(this) : "memory");  // so that the stores stay
  }
};

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

inline __m128i hex_digits() {
  return _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
}

}  // namespace
}  // namespace loguuid
