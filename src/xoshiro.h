// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018): the sequence, and jumps
// of any distance.
//
// The state transition is linear over GF(2), so walking d steps is multiplying by x^d modulo its characteristic
// polynomial. The compiler computes x^(2^k) for k = 0 .. 255; a jump applies one of them for each bit of its distance.
// Entries 128 and 192 are the published jump() and long_jump() constants.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace loguuid {

// Also the coefficients of a polynomial of degree under 256, lowest first.
using Words256 = std::array<uint64_t, 4>;

namespace xoshiro {

// The generator's output for a state. It shows the state: never print it.
constexpr uint64_t output(const Words256& s) { return std::rotl(s[1] * 5, 7) * 9; }

constexpr void step(Words256& s) {
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
}

constexpr void step_back(Words256& s) {
  s[3] = std::rotr(s[3], 45);
  s[0] ^= s[3];
  // s[1] and s[2] hold a ^ b and b ^ a << 17, a being what s[1] was before.
  uint64_t a = s[1] ^ s[2];  // a ^ a << 17
  a ^= a << 17;
  a ^= a << 34;
  s[2] ^= a << 17;
  s[1] = a;
  s[3] ^= a;
  s[2] ^= s[0];
}

// x^256 modulo the characteristic polynomial of the transition (found with Berlekamp and Massey from the sequence; that
// entries 128 and 192 below come out as published proves it).
constexpr Words256 kX256 = {0x9d116f2bb0f0f001, 0x0280002bcefd1a5e, 0x04b4edcf26259f85, 0x0003c03c3f3ecb19};

constexpr void add(Words256& a, const Words256& b) {
  for (size_t i = 0; i < 4; ++i) a[i] ^= b[i];
}

constexpr Words256 times_x(const Words256& a) {
  Words256 r = {a[0] << 1, a[1] << 1 | a[0] >> 63, a[2] << 1 | a[1] >> 63, a[3] << 1 | a[2] >> 63};
  if (a[3] >> 63) add(r, kX256);
  return r;
}

// The bits of a 32-bit word with a zero above each: the square of a polynomial over GF(2).
constexpr uint64_t spread(uint64_t x) {
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
  x = (x | x << 2) & 0x3333333333333333;
  return (x | x << 1) & 0x5555555555555555;
}

// kPowersOfTwo[k] = x^(2^k). Squaring over GF(2) only spreads the bits: x^i becomes x^(2i), which is looked up reduced.
// Plain words, since clang counts steps and gives up after a million.
constexpr std::array<Words256, 256> powers_of_two() {
  uint64_t high[128][4] = {};  // x^(256 + 2i)
  Words256 power = kX256;
  for (auto& words : high) {
    for (size_t i = 0; i < 4; ++i) words[i] = power[i];
    power = times_x(times_x(power));
  }

  std::array<Words256, 256> table{};
  uint64_t a = 2, b = 0, c = 0, d = 0;
  for (Words256& entry : table) {
    entry = {a, b, c, d};
    const uint64_t upper[2] = {c, d};
    c = spread(b & 0xffffffff), d = spread(b >> 32);
    b = spread(a >> 32), a = spread(a & 0xffffffff);
    for (size_t i = 0; i < 128; ++i)
      if (upper[i / 64] >> (i % 64) & 1) a ^= high[i][0], b ^= high[i][1], c ^= high[i][2], d ^= high[i][3];
  }
  return table;
}
inline constexpr std::array<Words256, 256> kPowersOfTwo = powers_of_two();

// The state as many steps on as the polynomial says. No branch depends on the state. Plain words, since with arrays g++
// 12 keeps the state in memory, which takes four times as long.
constexpr void multiply(Words256& s, const Words256& polynomial) {
  uint64_t s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
  uint64_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (uint64_t word : polynomial) {
    for (int bit = 0; bit < 64; ++bit, word >>= 1) {
      const uint64_t mask = 0 - (word & 1);
      sum0 ^= s0 & mask, sum1 ^= s1 & mask, sum2 ^= s2 & mask, sum3 ^= s3 & mask;
      const uint64_t t = s1 << 17;
      s2 ^= s0, s3 ^= s1, s1 ^= s2, s0 ^= s3;
      s2 ^= t;
      s3 = std::rotl(s3, 45);
    }
  }
  s = {sum0, sum1, sum2, sum3};
}

// Walks distance * 2^shift steps, at most 64 table entries of some 0.3 microseconds each.
constexpr void jump(Words256& s, uint64_t distance, unsigned shift) {
  for (size_t k = shift; distance != 0; ++k, distance >>= 1)
    if (distance & 1) multiply(s, kPowersOfTwo[k]);
}

// From the seed state to the start of lane (thread, process): thread * 2^192 + process * 2^128 steps.
constexpr void jump_to_lane(Words256& s, uint64_t thread, uint64_t process) {
  jump(s, process, 128);
  jump(s, thread, 192);
}

}  // namespace xoshiro
}  // namespace loguuid
