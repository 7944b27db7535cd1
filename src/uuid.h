// UUIDs (RFC 9562) out of a lane's blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lane.h"

namespace loguuid {

constexpr uint64_t kNsPerMs = 1000000;

// One draw as a version-7 value: 48 bits of milliseconds, a counter of 42 bits, 32 random bits. Strictly increasing within
// the lane, whatever `ms` does.
void v7_value(Lane& lane, uint64_t ms, uint8_t out[16]);
// The same from a block that was drawn already.
void v7_from_block(Lane& lane, uint64_t ms, const uint8_t block[16], uint8_t out[16]);

}  // namespace loguuid
