// A lane as portable bytes: 19 little-endian words and a checksum over them. FNV-1a is a bijection of its state for
// each byte, so that one changed byte always shows.
#include "base.h"
#include "lane.h"

namespace loguuid {
namespace {

constexpr uint64_t kSaveMagic = 0x3147444955554c47;  // "GLUUIDG1": the version is its last character

enum SaveWord {
  kMagic,
  kFlags,
  kState,
  kKey = 6,
  kThread = 8,
  kProcess,
  kServed,
  kKeyLeft,
  kRekeys,
  kV7Ms,
  kV7Counter,
  kUlidMs,
  kUlidHigh,
  kUlidLow,
  kPinnedNs,
  kChecksum,
  kWords
};
static_assert(kWords * 8 == kSaveBytes);

constexpr uint64_t kLiveFlag = 1 << 8, kPinnedFlag = 1 << 9;  // the hash is in the lower eight bits

uint64_t checksum(const uint8_t* bytes, size_t len) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i < len; ++i) h = (h ^ bytes[i]) * 0x100000001b3;
  return h;
}

}  // namespace

void lane_save(const Lane& lane, uint8_t out[kSaveBytes]) {
  const auto put = [out](size_t word, uint64_t value) { store_le64(out + 8 * word, value); };
  put(kMagic, kSaveMagic);
  put(kFlags,
      static_cast<uint64_t>(lane.hash) | (lane_is_live(lane) ? kLiveFlag : 0) | (lane.pinned ? kPinnedFlag : 0));
  for (size_t i = 0; i < 4; ++i) put(kState + i, lane.stream.s[i]);
  memcpy(out + 8 * kKey, lane.key, 16);
  put(kThread, lane.thread);
  put(kProcess, lane.process);
  put(kServed, lane.served);
  put(kKeyLeft, uint64_t{lane.left} + lane.rest);
  put(kRekeys, lane.rekeys);
  put(kV7Ms, lane.v7_ms);
  put(kV7Counter, lane.v7_counter);
  put(kUlidMs, lane.ulid.ms);
  put(kUlidHigh, lane.ulid.high);
  put(kUlidLow, lane.ulid.low);
  put(kPinnedNs, lane.pinned_ns);
  put(kChecksum, checksum(out, 8 * kChecksum));
}

bool lane_restore(Lane& lane, const uint8_t in[kSaveBytes], bool& was_live) {
  const auto get = [in](size_t word) { return load_le64(in + 8 * word); };
  const uint64_t flags = get(kFlags);
  const uint64_t any_state = get(kState) | get(kState + 1) | get(kState + 2) | get(kState + 3);
  if (get(kMagic) != kSaveMagic || get(kChecksum) != checksum(in, 8 * kChecksum)) return false;
  // The checksum is no secret, so a made-up state may carry a right one: every value is looked at as well.
  if ((flags & 0xff) > 1 || flags >= kPinnedFlag * 2 || any_state == 0 || get(kKeyLeft) > kKeyDraws ||
      get(kV7Ms) >> 48 != 0 || get(kV7Counter) >> 42 != 0 || get(kUlidMs) >> 48 != 0 || get(kUlidHigh) >> 16 != 0)
    return false;

  memset(static_cast<void*>(&lane), 0, sizeof lane);
  lane.hash = static_cast<Hash>(flags & 0xff);
  lane.pinned = (flags & kPinnedFlag) != 0;
  was_live = (flags & kLiveFlag) != 0;
  lane.magic = kLaneMagic;
  for (size_t i = 0; i < 4; ++i) lane.stream.s[i] = get(kState + i);
  memcpy(lane.key, in + 8 * kKey, 16);
  kernel().expand_key(lane.stream.round_keys, lane.key);
  lane.thread = get(kThread);
  lane.process = get(kProcess);
  lane.served = get(kServed);
  lane.rest = static_cast<uint32_t>(get(kKeyLeft));  // `left` is 0: the first draw asks for service
  lane.rekeys = get(kRekeys);
  lane.v7_ms = get(kV7Ms);
  lane.v7_counter = get(kV7Counter);
  lane.ulid = {get(kUlidMs), get(kUlidHigh), get(kUlidLow)};
  lane.pinned_ns = get(kPinnedNs);
  if (lane.pinned && lane.hash == Hash::xxh3) lane.stream.mix = lane.pinned_ns;
  return true;
}

}  // namespace loguuid
