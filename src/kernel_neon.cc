// ARMv8 with the cryptography extension: AESE does ShiftRows and SubBytes after adding a key, AESMC does MixColumns; a
// table look-up of 16 or 32 bytes puts digits and dashes in their places.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "base.h"
#include "kernel.h"
#include "platform.h"

// Only this file's functions need the extension, so that the library runs without it.
#if defined(__clang__)
#define LOGUUID_NEON __attribute__((target("aes")))
#else
#define LOGUUID_NEON __attribute__((target("+crypto")))
#endif
#define LOGUUID_NEON_INLINE LOGUUID_NEON inline __attribute__((always_inline))

namespace loguuid {
namespace {

constexpr size_t kRounds = 10;
// AESE and AESMC take two to three cycles and one or two start in each, so that eight blocks fill the pipes.
constexpr size_t kGroup = 8;

struct Keys {
  uint8x16_t k[kRounds + 1];
};

struct State {
  uint64_t s0, s1, s2, s3;
};

LOGUUID_NEON_INLINE void load_keys(Keys& keys, const Stream& stream) {
  LOGUUID_UNROLL
  for (size_t i = 0; i <= kRounds; ++i) keys.k[i] = vld1q_u8(stream.round_keys + 16 * i);
}

LOGUUID_NEON_INLINE State load_state(const Stream& stream) {
  return {stream.s[0], stream.s[1], stream.s[2], stream.s[3]};
}

LOGUUID_NEON_INLINE void store_state(Stream& stream, const State& state) {
  stream.s[0] = state.s0;
  stream.s[1] = state.s1;
  stream.s[2] = state.s2;
  stream.s[3] = state.s3;
}

// The input of one block, then one step. The assembly holds the state in general registers: g++ would take the word
// that goes into the vector through vector registers on every step.
LOGUUID_NEON_INLINE uint8x16_t next_input(State& s, uint64_t mix) {
  __asm__("" : "+r"(s.s0), "+r"(s.s1));
  const uint64x2_t input = vcombine_u64(vcreate_u64(s.s0 ^ mix), vcreate_u64(s.s1));
  const uint64_t t = s.s1 << 17;
  s.s2 ^= s.s0;
  s.s3 ^= s.s1;
  s.s1 ^= s.s2;
  s.s0 ^= s.s3;
  s.s2 ^= t;
  s.s3 = std::rotl(s.s3, 45);
  return vreinterpretq_u8_u64(input);
}

// Assembly, because arm_neon.h of clang before 16 shows vaeseq_u8() only to files built for the extension as a
// whole, and because cores fuse the two instructions when they stand together.
LOGUUID_NEON_INLINE uint8x16_t middle_round(uint8x16_t v, uint8x16_t key) {
  __asm__("aese %0.16b, %1.16b\n\taesmc %0.16b, %0.16b" : "+w"(v) : "w"(key));
  return v;
}

LOGUUID_NEON_INLINE uint8x16_t last_substitution(uint8x16_t v, uint8x16_t key) {
  __asm__("aese %0.16b, %1.16b" : "+w"(v) : "w"(key));
  return v;
}

template <size_t Count>
LOGUUID_NEON_INLINE void encrypt(const Keys& keys, uint8x16_t* v) {
  LOGUUID_UNROLL
  for (size_t round = 0; round < kRounds - 1; ++round) {
    LOGUUID_UNROLL
    for (size_t i = 0; i < Count; ++i) v[i] = middle_round(v[i], keys.k[round]);
  }
  LOGUUID_UNROLL
  for (size_t i = 0; i < Count; ++i) v[i] = veorq_u8(last_substitution(v[i], keys.k[kRounds - 1]), keys.k[kRounds]);
}

// ---- text ----

// The two digits of each byte.
LOGUUID_NEON_INLINE uint8x16x2_t digits_of(uint8x16_t value) {
  const uint8x16_t alphabet = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
  const uint8x16_t upper = vqtbl1q_u8(alphabet, vshrq_n_u8(value, 4));
  const uint8x16_t lower = vqtbl1q_u8(alphabet, vandq_u8(value, vdupq_n_u8(15)));
  return {{vzip1q_u8(upper, lower), vzip2q_u8(upper, lower)}};
}

// An index past the 32 digits leaves the dash that was there.
constexpr uint8_t kDash = 32;
alignas(16) constexpr uint8_t kFirst16[16] = {0, 1, 2, 3, 4, 5, 6, 7, kDash, 8, 9, 10, 11, kDash, 12, 13};
alignas(16) constexpr uint8_t kSecond16[16] = {14, 15, kDash, 16, 17, 18, 19, kDash, 20, 21, 22, 23, 24, 25, 26, 27};

LOGUUID_NEON_INLINE void write_uuid(char* out, uint8x16_t value) {
  const uint8x16x2_t digits = digits_of(value);
  uint8_t* bytes = reinterpret_cast<uint8_t*>(out);
  const uint8x16_t dash = vdupq_n_u8('-');
  const uint8x16_t first = vld1q_u8(kFirst16), second = vld1q_u8(kSecond16);
  vst1q_u8(bytes, vqtbx2q_u8(dash, digits, first));
  vst1q_u8(bytes + 16, vqtbx2q_u8(dash, digits, second));
  vst1q_lane_u32(reinterpret_cast<uint32_t*>(bytes + 32), vreinterpretq_u32_u8(digits.val[1]), 3);
}

LOGUUID_NEON_INLINE uint8x16_t with_v4_bits(uint8x16_t value) {
  const uint8x16_t keep = {255, 255, 255, 255, 255, 255, 0x0f, 255, 0x3f, 255, 255, 255, 255, 255, 255, 255};
  const uint8x16_t set = {0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0};
  return vorrq_u8(vandq_u8(value, keep), set);
}

LOGUUID_NEON void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  for (; count > 0; --count, out += stride, values += 16) write_uuid(out, vld1q_u8(values));
}

LOGUUID_NEON void hex(char* out, const uint8_t* in, size_t len) {
  for (; len >= 16; len -= 16, in += 16, out += 32) {
    const uint8x16x2_t digits = digits_of(vld1q_u8(in));
    vst1q_u8(reinterpret_cast<uint8_t*>(out), digits.val[0]);
    vst1q_u8(reinterpret_cast<uint8_t*>(out + 16), digits.val[1]);
  }
  kernel_scalar.hex(out, in, len);
}

// ---- draws ----

LOGUUID_NEON void blocks(Stream& stream, uint8_t* out, size_t count) {
  Keys keys;
  load_keys(keys, stream);
  State state = load_state(stream);
  for (; count >= kGroup; count -= kGroup, out += 16 * kGroup) {
    uint8x16_t v[kGroup];
    LOGUUID_UNROLL
    for (size_t i = 0; i < kGroup; ++i) v[i] = next_input(state, stream.mix);
    encrypt<kGroup>(keys, v);
    LOGUUID_UNROLL
    for (size_t i = 0; i < kGroup; ++i) vst1q_u8(out + 16 * i, v[i]);
  }
  for (; count > 0; --count, out += 16) {
    uint8x16_t v = next_input(state, stream.mix);
    encrypt<1>(keys, &v);
    vst1q_u8(out, v);
  }
  store_state(stream, state);
}

// Groups stop short of the last UUID, which has no separator behind it.
LOGUUID_NEON void v4_run(Stream& stream, char* out, char separator, size_t count) {
  Keys keys;
  load_keys(keys, stream);
  State state = load_state(stream);
  for (; count > kGroup; count -= kGroup) {
    uint8x16_t v[kGroup];
    LOGUUID_UNROLL
    for (size_t i = 0; i < kGroup; ++i) v[i] = next_input(state, stream.mix);
    encrypt<kGroup>(keys, v);
    LOGUUID_UNROLL
    for (size_t i = 0; i < kGroup; ++i, out += 37) {
      write_uuid(out, with_v4_bits(v[i]));
      out[36] = separator;
    }
  }
  for (; count > 0; --count, out += 37) {
    uint8x16_t v = next_input(state, stream.mix);
    encrypt<1>(keys, &v);
    write_uuid(out, with_v4_bits(v));
    if (count > 1) out[36] = separator;
  }
  store_state(stream, state);
}

LOGUUID_NEON_INLINE uint8x16_t draw_one(Stream& stream) {
  Keys keys;
  load_keys(keys, stream);
  State state = load_state(stream);
  uint8x16_t v = next_input(state, stream.mix);
  store_state(stream, state);
  encrypt<1>(keys, &v);
  return v;
}

LOGUUID_NEON void block(Stream& stream, uint8_t* out) { vst1q_u8(out, draw_one(stream)); }

LOGUUID_NEON void v4_one(Stream& stream, char* out) { write_uuid(out, with_v4_bits(draw_one(stream))); }

LOGUUID_NEON size_t v4_take(Ahead& ahead, uint64_t number, const uint8_t* block, char* out) {
  write_uuid(out, with_v4_bits(vld1q_u8(block)));
  out[kUuidText] = '\0';
  return end_v4_take(ahead, number, out);
}

// ---- keys ----

// The S-box of one word: AESE of a state whose columns are all alike, since ShiftRows then changes nothing.
LOGUUID_NEON_INLINE uint32_t substitute_word(uint32_t word) {
  const uint8x16_t columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
  return vgetq_lane_u32(vreinterpretq_u32_u8(last_substitution(columns, vdupq_n_u8(0))), 0);
}

LOGUUID_NEON void expand_key(uint8_t* round_keys, const uint8_t* key) {
  uint32_t w[4];
  memcpy(w, key, sizeof w);
  memcpy(round_keys, w, sizeof w);
  uint32_t constant = 1;
  for (size_t round = 1; round <= kRounds; ++round) {
    w[0] ^= std::rotr(substitute_word(w[3]), 8) ^ constant;
    for (size_t i = 1; i < 4; ++i) w[i] ^= w[i - 1];
    memcpy(round_keys + 16 * round, w, sizeof w);
    constant = constant == 0x80 ? 0x1b : constant << 1;
  }
}

// ---- parse ----

// Where the 32 digits stand in the first 32 bytes of the text and in its last 16.
alignas(16) constexpr uint8_t kUpperFrom[16] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17};
alignas(16) constexpr uint8_t kLowerFrom[16] = {19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35};

// Digits to their values; bytes that are none set bits in `bad`.
LOGUUID_NEON_INLINE uint8x16_t values_of(uint8x16_t digits, uint8x16_t& bad) {
  const uint8x16_t number = vsubq_u8(digits, vdupq_n_u8('0'));
  const uint8x16_t letter = vsubq_u8(vorrq_u8(digits, vdupq_n_u8(0x20)), vdupq_n_u8('a'));
  const uint8x16_t is_number = vcltq_u8(number, vdupq_n_u8(10));
  const uint8x16_t is_letter = vcltq_u8(letter, vdupq_n_u8(6));
  bad = vorrq_u8(bad, vmvnq_u8(vorrq_u8(is_number, is_letter)));
  return vbslq_u8(is_number, number, vaddq_u8(letter, vdupq_n_u8(10)));
}

LOGUUID_NEON bool parse(uint8_t* out, const char* in) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(in);
  uint8x16x3_t from;
  for (int i = 0; i < 2; ++i) from.val[i] = vld1q_u8(bytes + 16 * i);
  uint32_t last;
  memcpy(&last, bytes + 32, sizeof last);
  from.val[2] = vreinterpretq_u8_u32(vdupq_n_u32(last));

  uint8x16_t bad = vdupq_n_u8(0);
  const uint8x16_t first = values_of(vqtbl3q_u8(from, vld1q_u8(kUpperFrom)), bad);
  const uint8x16_t second = values_of(vqtbl3q_u8(from, vld1q_u8(kLowerFrom)), bad);
  const int dashes = (in[8] ^ '-') | (in[13] ^ '-') | (in[18] ^ '-') | (in[23] ^ '-');
  if (dashes != 0 || vmaxvq_u8(bad) != 0) return false;
  const uint8x16_t value = vorrq_u8(vshlq_n_u8(vuzp1q_u8(first, second), 4), vuzp2q_u8(first, second));
  vst1q_u8(out, value);
  return true;
}

}  // namespace

const Kernel kernel_neon = {"neon", kCpuNeon | kCpuAes, expand_key, blocks, text, v4_run, block, v4_one, hex, parse,
                            v4_take};

}  // namespace loguuid

#endif
