// What HAProxy does its own way: seeding from any bytes, the layout of a UUID's bits, and two clocks
// (loguuid_haproxy.h).
#include "loguuid_haproxy.h"

#include "process.h"
#include "uuid.h"

namespace loguuid {
namespace {

// The state that the last loguuid_haproxy_seed() made; threads that join read it. All zero: nobody has seeded.
uint64_t seed_words[4];

Seed load_seed() {
  Seed seed = {};
  for (size_t i = 0; i < 4; ++i) seed.state[i] = __atomic_load_n(&seed_words[i], __ATOMIC_RELAXED);
  return seed;
}

bool is_seeded(const Seed& seed) { return (seed.state[0] | seed.state[1] | seed.state[2] | seed.state[3]) != 0; }

struct Fields {
  uint64_t first48, mid12, clock14, node48;
};

size_t write_uuid(char* out, unsigned version, const Fields& f) {
  uint8_t value[16];
  store_be64(value, f.first48 << 16 | uint64_t{version} << 12 | f.mid12);
  store_be64(value + 8, uint64_t{2} << 62 | f.clock14 << 48 | f.node48);
  kernel().text(out, kUuidText, value, 1);
  out[kUuidText] = '\0';
  return kUuidText;
}

constexpr uint64_t kMask48 = (uint64_t{1} << 48) - 1;

// Draws a pair and hands it to fields(lane, lo, hi).
template <class MakeFields>
size_t uuid(char* out, size_t cap, unsigned version, MakeFields make_fields) {
  if (out == nullptr || cap < kUuidText + 1) {
    if (out != nullptr && cap != 0) out[0] = '\0';
    return 0;
  }
  Fields fields;
  draw([&](Lane& lane) {
    uint8_t block[16];
    lane_block(lane, block);
    const uint64_t lo = load_le64(block), hi = load_le64(block + 8);
    fields = make_fields(lane, lo, hi);
    fields.clock14 = hi & 0x3fff;
    fields.node48 = hi >> 14 & kMask48;
  });
  return write_uuid(out, version, fields);
}

// In a seeded sequence the milliseconds that were pinned; they wait where v7_value would keep its own.
uint64_t unix_ms(const Lane& lane) {
  return lane.pinned && lane.hash == Hash::xxh3 && lane.v7_ms != 0 ? lane.v7_ms : wall_clock_ns(lane) / kNsPerMs;
}

}  // namespace
}  // namespace loguuid

using namespace loguuid;

void loguuid_haproxy_seed(const unsigned char* seed, size_t len) {
  if (seed == nullptr) len = 0;
  uint8_t bytes[32];
  memset(bytes, 0x55, sizeof bytes);
  while (len != 0 && *seed == 0) ++seed, --len;
  if (len != 0) memcpy(bytes, seed, len < sizeof bytes ? len : sizeof bytes);
  for (size_t i = 0; i < 4; ++i) __atomic_store_n(&seed_words[i], load_le64(bytes + 8 * i), __ATOMIC_RELAXED);
  wipe(bytes, sizeof bytes);
  thread_walks(load_seed(), 0, 0, Hash::xxh3);
}

void loguuid_haproxy_seed_thread(unsigned tid) {
  const Seed seed = load_seed();
  if (is_seeded(seed))
    thread_walks(seed, uint64_t{tid} + 1, 0, Hash::xxh3);
  else
    thread_start(tid);
}

void loguuid_haproxy_jump(uint32_t jumps192, uint32_t jumps128) {
  draw([&](Lane& lane) { lane_jump(lane, jumps192, jumps128); });
}

void loguuid_haproxy_set_clock(uint64_t now_ns, uint64_t unix_ms) {
  draw([&](Lane& lane) {
    if (lane.hash != Hash::xxh3 || lane_is_live(lane)) return;
    lane_pin(lane, now_ns);
    lane.v7_ms = unix_ms;
  });
}

size_t loguuid_haproxy_v4(char* out, size_t cap) {
  return uuid(out, cap, 4, [](const Lane&, uint64_t lo, uint64_t) {
    // HAProxy prints the low half from its lowest bits on: 32, 16, then 12 after the version.
    return Fields{(lo & 0xffffffff) << 16 | (lo >> 32 & 0xffff), lo >> 48 & 0xfff, 0, 0};
  });
}

size_t loguuid_haproxy_v7(char* out, size_t cap) {
  return uuid(out, cap, 7, [](const Lane& lane, uint64_t lo, uint64_t) {
    return Fields{unix_ms(lane) & kMask48, lo >> 16 & 0xfff, 0, 0};
  });
}
