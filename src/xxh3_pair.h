// XXH3 (Yann Collet, xxHash 0.8) for the two input sizes that HAProxy hashes: 8 bytes to 64 bits, 16 bytes to 128 bits.
// For comparison with HAProxy only: it is fast, and it hides nothing (doc/security.md).
#pragma once

#include <cstdint>

namespace loguuid {

struct Pair {
  uint64_t lo, hi;
};

uint64_t xxh3_64(uint64_t input, uint64_t seed);
Pair xxh3_128(uint64_t input_lo, uint64_t input_hi, uint64_t seed);

}  // namespace loguuid
