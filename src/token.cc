#include "token.h"

#include "base.h"
#include "process.h"
#include "single.h"
#include "uuid.h"

namespace loguuid {
namespace {

constexpr size_t kChunkBytes = 960;  // on the stack: a multiple of 16 (a draw), of 3 and of 5 (whole characters)

// Up to four draws count as single ones, for which the clock is read every kServiceDraws draws; more are a batch.
constexpr size_t kSingleBytes = 64;

size_t refuse(char* out, size_t cap) {
  if (out != nullptr && cap != 0) out[0] = '\0';
  return 0;
}

size_t finish(char* out, size_t len) {
  out[len] = '\0';
  return len;
}

bool is_known(loguuid_encoding encoding) { return static_cast<unsigned>(encoding) <= LOGUUID_BASE32; }

void bytes_from(Lane& lane, uint8_t* out, size_t len) {
  lane_blocks(lane, out, len / 16);
  if (len % 16 != 0) {
    uint8_t block[16];
    lane_blocks(lane, block, 1);
    memcpy(out + len / 16 * 16, block, len % 16);
    wipe(block, sizeof block);
  }
}

void token_from(Lane& lane, char* out, size_t num_bytes, loguuid_encoding encoding) {
  uint8_t bytes[kChunkBytes];
  while (num_bytes != 0) {
    const size_t n = num_bytes < sizeof bytes ? num_bytes : sizeof bytes;
    bytes_from(lane, bytes, n);
    out += encode(out, bytes, n, encoding);
    num_bytes -= n;
  }
  wipe(bytes, sizeof bytes);
}

bool all_zero(const uint8_t* bytes, size_t len) {
  uint8_t any = 0;
  for (size_t i = 0; i < len; ++i) any |= bytes[i];
  return any == 0;
}

}  // namespace

bool ulid_next(Lane& lane, uint64_t ms, uint8_t out[16]) {
  constexpr uint64_t kLastMs = (uint64_t{1} << 48) - 1;
  uint8_t block[16];
  lane_block(lane, block);
  if (ms > kLastMs) ms = kLastMs;
  UlidState& last = lane.ulid;
  if (ms > last.ms || (last.ms | last.high | last.low) == 0) {
    const uint64_t front = load_be64(block);
    last = {ms, front >> 48, front << 16 | uint64_t{block[8]} << 8 | block[9]};
  } else {
    if (last.low == ~uint64_t{0} && last.high == 0xffff) return false;
    last.high += ++last.low == 0;
  }
  store_be64(out, last.ms << 16 | last.high);
  store_be64(out + 8, last.low);
  return true;
}

void traceparent_text(Lane& lane, char out[kTraceparentText], unsigned flags) {
  uint8_t trace[16], parent[16];
  do lane_blocks(lane, trace, 1);
  while (all_zero(trace, 16));
  do lane_blocks(lane, parent, 1);
  while (all_zero(parent, 8));
  const uint8_t flag_byte = static_cast<uint8_t>(flags);
  memcpy(out, "00-", 3);
  kernel().hex(out + 3, trace, 16);
  out[35] = '-';
  kernel().hex(out + 36, parent, 8);
  out[52] = '-';
  kernel().hex(out + 53, &flag_byte, 1);
}

}  // namespace loguuid

using namespace loguuid;

uint64_t loguuid_random64(void) {
  return draw_single([](const uint8_t* block) { return load_le64(block); },
                     [](Lane& lane) { return lane_random64(lane); });
}

uint32_t loguuid_random32(void) { return static_cast<uint32_t>(loguuid_random64() >> 32); }

// Lemire, "Fast Random Integer Generation in an Interval" (2019): the upper half of a product is uniform once the lower
// halves below 2^64 mod bound are drawn again.
uint64_t loguuid_random_below(uint64_t bound) {
  if (bound == 0) return 0;
  const uint64_t redraw_below = (0 - bound) % bound;
  for (;;) {
    const WideProduct product = multiply_wide(loguuid_random64(), bound);
    if (product.lo >= redraw_below) return product.hi;
  }
}

uint64_t loguuid_random64_internal(void) {
  return draw([](Lane& lane) { return lane_internal(lane); });
}

void loguuid_random_pair(uint64_t* lo, uint64_t* hi) {
  struct Pair {
    uint64_t lo, hi;
  };
  const Pair pair = draw_single([](const uint8_t* block) { return Pair{load_le64(block), load_le64(block + 8)}; });
  if (lo != nullptr) *lo = pair.lo;
  if (hi != nullptr) *hi = pair.hi;
}

void loguuid_random_bytes(void* out, size_t len) {
  if (out == nullptr || len == 0) return;
  draw([=](Lane& lane) {
    if (len > kSingleBytes) lane_refresh(lane);
    bytes_from(lane, static_cast<uint8_t*>(out), len);
  });
}

size_t loguuid_token_size(size_t num_bytes, loguuid_encoding encoding) {
  if (num_bytes > SIZE_MAX / 2 - 1 || !is_known(encoding)) return 0;
  return encoded_len(num_bytes, encoding) + 1;
}

size_t loguuid_token(char* out, size_t cap, size_t num_bytes, loguuid_encoding encoding) {
  const size_t need = loguuid_token_size(num_bytes, encoding);
  if (out == nullptr || need == 0 || cap < need) return refuse(out, cap);
  if (num_bytes - 1 < 16)
    draw_single([=](const uint8_t* block) { return encode(out, block, num_bytes, encoding); });
  else
    draw([=](Lane& lane) {
      if (num_bytes > kSingleBytes) lane_refresh(lane);
      token_from(lane, out, num_bytes, encoding);
    });
  return finish(out, need - 1);
}

size_t loguuid_ulid(char* out, size_t cap) {
  if (out == nullptr || cap < kUlidText + 1) return refuse(out, cap);
  const bool ok = draw([=](Lane& lane) {
    uint8_t value[16];
    if (!ulid_next(lane, wall_clock_ns(lane) / kNsPerMs, value)) return false;
    ulid_text(out, value);
    return true;
  });
  return ok ? finish(out, kUlidText) : refuse(out, cap);
}

size_t loguuid_traceparent(char* out, size_t cap, unsigned flags) {
  if (out == nullptr || cap < kTraceparentText + 1) return refuse(out, cap);
  draw([=](Lane& lane) { traceparent_text(lane, out, flags); });
  return finish(out, kTraceparentText);
}

size_t loguuid_websocket_key(char* out, size_t cap) {
  constexpr size_t kText = 24;
  if (out == nullptr || cap < kText + 1) return refuse(out, cap);
  return finish(out, draw_single([=](const uint8_t* block) { return encode(out, block, 16, LOGUUID_BASE64); }));
}
