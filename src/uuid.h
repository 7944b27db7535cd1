// UUIDs (RFC 9562) out of a lane's blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base.h"
#include "process.h"
#include "single.h"

namespace loguuid {

constexpr uint64_t kNsPerMs = 1000000;

// One draw as the text of a version-4 value and a NUL: 37 bytes. Returns 36.
inline size_t v4_text(char* out) {
  Lane& lane = *current_lane;
  const uint64_t number = load_next(lane.ahead);
  if (LOGUUID_UNLIKELY(!is_ready(number))) return v4_again(out);
  return kernel().v4_take(lane.ahead, number, block_ahead(lane, number), out);
}

// One draw as a version-7 value: 48 bits of milliseconds, a counter of 42 bits, 32 random bits. Strictly increasing
// within the lane, whatever `ms` does.
void v7_value(Lane& lane, uint64_t ms, uint8_t out[16]);
// The same from a block that was drawn already.
void v7_from_block(Lane& lane, uint64_t ms, const uint8_t block[16], uint8_t out[16]);

}  // namespace loguuid
