// Random bytes as text, and the identifiers made of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lane.h"
#include "loguuid.h"

namespace loguuid {

// Characters that `len` bytes become, without a NUL. `len` must be under SIZE_MAX / 2 (callers check).
size_t encoded_len(size_t len, loguuid_encoding encoding);
// Writes them, no NUL; returns encoded_len(). Branches and look-ups depend on `len` alone.
size_t encode(char* out, const uint8_t* in, size_t len, loguuid_encoding encoding);

// One draw as a ULID value: 48 bits of milliseconds, 80 random bits; within one millisecond, or when `ms` goes back,
// the last value plus one. False: the 80 bits would overflow.
bool ulid_next(Lane& lane, uint64_t ms, uint8_t out[16]);
constexpr size_t kUlidText = 26;
void ulid_text(char out[kUlidText], const uint8_t value[16]);

// `version-trace-parent-flags` from draws of the lane (W3C Trace Context).
constexpr size_t kTraceparentText = 55;
void traceparent_text(Lane& lane, char out[kTraceparentText], unsigned flags);

}  // namespace loguuid
