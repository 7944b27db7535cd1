// UUIDs (RFC 9562) out of a lane's blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lane.h"

namespace loguuid {

constexpr uint64_t kNsPerMs = 1000000;

// What the public text functions return when the buffer is too small: 0, and "" where there is room for it.
inline size_t refuse(char* out, size_t cap) {
  if (out != nullptr && cap != 0) out[0] = '\0';
  return 0;
}

// One draw as a version-7 value: 48 bits of milliseconds, a counter of 42 bits, 32 random bits. Strictly increasing within
// the lane, whatever `ms` does.
void v7_value(Lane& lane, uint64_t ms, uint8_t out[16]);
// The same from a block that was drawn already.
void v7_from_block(Lane& lane, uint64_t ms, const uint8_t block[16], uint8_t out[16]);

}  // namespace loguuid
