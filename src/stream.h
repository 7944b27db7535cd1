// What a kernel draws from, and the sizes that all of them know.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loguuid {

constexpr size_t kRoundKeyBytes = 176;  // AES-128: 11 round keys (FIPS 197, 5.2), each as its 16 bytes in order
constexpr size_t kUuidText = 36;

// What a kernel draws from: the sequence and the key that hides it.
// One block = AES128(key, LE64(s0 ^ mix) || LE64(s1)), then one step of xoshiro256**.
struct Stream {
  uint64_t s[4];
  uint64_t mix;
  uint8_t round_keys[kRoundKeyBytes];
};

}  // namespace loguuid
