#include "xxh3_pair.h"

#include "base.h"

namespace loguuid {
namespace {

constexpr uint64_t kPrime64_1 = 0x9e3779b185ebca87;
constexpr uint64_t kPrime64_2 = 0xc2b2ae3d27d4eb4f;
constexpr uint64_t kPrime32_2 = 0x85ebca77;
constexpr uint64_t kMixPrime = 0x9fb21c651e98df25;
constexpr uint64_t kAvalanchePrime = 0x165667919e3779f9;

// Eight-byte words of XXH3's default secret, read at offsets 8, 16, 32, 40, 48 and 56.
constexpr uint64_t kSecret8 = 0x1cad21f72c81017c;
constexpr uint64_t kSecret16 = 0xdb979083e96dd4de;
constexpr uint64_t kSecret32 = 0x78e5c0cc4ee679cb;
constexpr uint64_t kSecret40 = 0x2172ffcc7dd05a82;
constexpr uint64_t kSecret48 = 0x8e2443f7744608b8;
constexpr uint64_t kSecret56 = 0x4c263a81e69035e0;

uint64_t avalanche(uint64_t h) {
  h = (h ^ h >> 37) * kAvalanchePrime;
  return h ^ h >> 32;
}

}  // namespace

uint64_t xxh3_64(uint64_t input, uint64_t seed) {
  seed ^= uint64_t{__builtin_bswap32(static_cast<uint32_t>(seed))} << 32;
  uint64_t h = std::rotl(input, 32) ^ ((kSecret8 ^ kSecret16) - seed);
  h ^= std::rotl(h, 49) ^ std::rotl(h, 24);
  h *= kMixPrime;
  h ^= (h >> 35) + 8;
  h *= kMixPrime;
  return h ^ h >> 28;
}

Pair xxh3_128(uint64_t input_lo, uint64_t input_hi, uint64_t seed) {
  WideProduct m = multiply_wide(input_lo ^ input_hi ^ ((kSecret32 ^ kSecret40) - seed), kPrime64_1);
  m.lo += uint64_t{16 - 1} << 54;
  input_hi ^= (kSecret48 ^ kSecret56) + seed;
  m.hi += input_hi + (input_hi & 0xffffffff) * (kPrime32_2 - 1);
  m.lo ^= __builtin_bswap64(m.hi);
  WideProduct h = multiply_wide(m.lo, kPrime64_2);
  h.hi += m.hi * kPrime64_2;
  return {avalanche(h.lo), avalanche(h.hi)};
}

}  // namespace loguuid
