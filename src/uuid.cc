#include "uuid.h"

#include "base.h"
#include "kernel.h"
#include "loguuid.h"
#include "process.h"
#include "single.h"

namespace loguuid {
namespace {

constexpr size_t kUuidCap = kUuidText + 1;
constexpr size_t kChunk = 64;  // blocks that a batch of v7 keeps on the stack at once
constexpr uint64_t kLastMs = (uint64_t{1} << 48) - 1;
constexpr uint64_t kCounterSeed = (uint64_t{1} << 41) - 1;  // a fresh counter leaves half of its range free
constexpr uint64_t kCounterEnd = uint64_t{1} << 42;

// What text functions do when the buffer is too small.
size_t refuse(char* out, size_t cap) {
  if (out != nullptr && cap != 0) out[0] = '\0';
  return 0;
}

void v7_run(Lane& lane, char* out, char separator, size_t count) {
  const uint64_t ms = wall_clock_ns(lane) / kNsPerMs;
  uint8_t values[16 * kChunk];
  while (count != 0) {
    const size_t n = count < kChunk ? count : kChunk;
    lane_blocks(lane, values, n);
    for (size_t i = 0; i < n; ++i) v7_from_block(lane, ms, values + 16 * i, values + 16 * i);
    kernel().text(out, kUuidCap, values, n);
    for (size_t i = 0; i + 1 < n; ++i) out[kUuidCap * i + kUuidText] = separator;
    out += kUuidCap * n;
    count -= n;
    if (count != 0) out[-1] = separator;
  }
}

template <class Run>
size_t many(char* out, size_t cap, size_t count, Run run) {
  if (out == nullptr || cap == 0 || count == 0 || count > cap / kUuidCap) return refuse(out, cap);
  draw(run);
  const size_t len = kUuidCap * count - 1;
  out[len] = '\0';
  return len;
}

// 32 digits in a row, spread to the text with dashes.
bool parse_digits(uint8_t out[16], const char* digits) {
  char text[kUuidText];
  memcpy(text, digits, 8);
  memcpy(text + 9, digits + 8, 4);
  memcpy(text + 14, digits + 12, 4);
  memcpy(text + 19, digits + 16, 4);
  memcpy(text + 24, digits + 20, 12);
  text[8] = text[13] = text[18] = text[23] = '-';
  return kernel().parse(out, text);
}

}  // namespace

void v7_from_block(Lane& lane, uint64_t ms, const uint8_t block[16], uint8_t out[16]) {
  const uint64_t lo = load_le64(block), hi = load_le64(block + 8);
  if (ms > kLastMs) ms = kLastMs;
#ifdef LOGUUID_MUTANT_V7_MONOTONIC
  lane.v7_ms = ms;
  lane.v7_counter = lo & kCounterSeed;
#else
  if (ms > lane.v7_ms) {
    lane.v7_ms = ms;
    lane.v7_counter = lo & kCounterSeed;
  } else if (++lane.v7_counter == kCounterEnd) {
    ++lane.v7_ms;
    lane.v7_counter = lo & kCounterSeed;
  }
#endif
  const uint64_t counter = lane.v7_counter;
  store_be64(out, lane.v7_ms << 16 | uint64_t{7} << 12 | counter >> 30);
  store_be64(out + 8, uint64_t{2} << 62 | (counter & 0x3fffffff) << 32 | (hi & 0xffffffff));
}

// As draw_single_slow(): should a handler take the block that was just made ahead, v4_take() comes back here, nothing
// is filled, since others are ready still, and the draw goes through the gate.
LOGUUID_NOINLINE size_t v4_again(char* out) {
  if (LOGUUID_LIKELY(fill_ahead())) {
    Lane& lane = *current_lane;
    const uint64_t number = load_next(lane.ahead);
    if (LOGUUID_LIKELY(is_ready(number))) return kernel().v4_take(lane.ahead, number, block_ahead(lane, number), out);
  }
  draw_unready([out](Lane& lane) {
    lane_v4_one(lane, out);
    return Nothing{};
  });
  out[kUuidText] = '\0';
  return kUuidText;
}

void v7_value(Lane& lane, uint64_t ms, uint8_t out[16]) {
  uint8_t block[16];
  lane_block(lane, block);
  v7_from_block(lane, ms, block, out);
}

}  // namespace loguuid

using namespace loguuid;

void loguuid_v4_bytes(unsigned char out[16]) {
  draw_single([=](const uint8_t* block) {
    memcpy(out, block, 16);
    return Nothing{};
  });
  set_v4_bits(out);
}

void loguuid_v7_bytes(unsigned char out[16]) {
  draw([=](Lane& lane) { v7_value(lane, wall_clock_ns(lane) / kNsPerMs, out); });
}

size_t loguuid_v4(char* out, size_t cap) {
  if (LOGUUID_UNLIKELY(out == nullptr || cap < kUuidCap)) return refuse(out, cap);
  return v4_text(out);
}

size_t loguuid_v7(char* out, size_t cap) {
  if (LOGUUID_UNLIKELY(out == nullptr || cap < kUuidCap)) return refuse(out, cap);
  draw([=](Lane& lane) {
    uint8_t value[16];
    v7_value(lane, wall_clock_ns(lane) / kNsPerMs, value);
    kernel().text(out, kUuidText, value, 1);
  });
  out[kUuidText] = '\0';
  return kUuidText;
}

size_t loguuid_v4_many(char* out, size_t cap, size_t count, char separator) {
  return many(out, cap, count, [=](Lane& lane) {
    lane_refresh(lane);
    lane_v4_run(lane, out, separator, count);
  });
}

size_t loguuid_v7_many(char* out, size_t cap, size_t count, char separator) {
  return many(out, cap, count, [=](Lane& lane) {
    lane_refresh(lane);
    v7_run(lane, out, separator, count);
  });
}

loguuid_status loguuid_parse(unsigned char out[16], const char* text, size_t len) {
  if (out == nullptr || text == nullptr) return LOGUUID_ERR_ARG;
  constexpr char kUrn[] = "urn:uuid:";
  constexpr size_t kUrnLen = sizeof kUrn - 1;
  bool ok = false;
  if (len == kUuidText) {
    ok = kernel().parse(out, text);
  } else if (len == 32) {
    ok = parse_digits(out, text);
  } else if (len == kUuidText + 2) {
    ok = text[0] == '{' && text[kUuidText + 1] == '}' && kernel().parse(out, text + 1);
  } else if (len == kUuidText + kUrnLen) {
    bool urn = true;
    for (size_t i = 0; i < kUrnLen; ++i) {  // the scheme and the namespace are in either case (RFC 8141)
      const char c = text[i];
      urn &= (c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c) == kUrn[i];
    }
    ok = urn && kernel().parse(out, text + kUrnLen);
  }
  return ok ? LOGUUID_OK : LOGUUID_ERR_SYNTAX;
}

size_t loguuid_unparse(char* out, size_t cap, const unsigned char in[16]) {
  if (out == nullptr || cap < kUuidCap || in == nullptr) return refuse(out, cap);
  kernel().text(out, kUuidText, in, 1);
  out[kUuidText] = '\0';
  return kUuidText;
}
