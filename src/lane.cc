#include "lane.h"

#include "base.h"
#include "xxh3_pair.h"

namespace loguuid {
namespace {

// Steps that one key period takes: its draws, and the block that becomes the next key.
constexpr Words256 kStepsOfKey = xoshiro::kPowersOfTwo[10];
static_assert(kKeyDraws == 1u << 10);

Words256 state_of(const Lane& lane) { return {lane.stream.s[0], lane.stream.s[1], lane.stream.s[2], lane.stream.s[3]}; }

void set_state(Lane& lane, const Words256& s) {
  for (size_t i = 0; i < 4; ++i) lane.stream.s[i] = s[i];
}

// How long the lane may go on without looking outside. The xxh3 seed is the clock itself: it is read for each draw.
uint32_t service_interval(const Lane& lane) {
  if (lane.outside == nullptr || lane.pinned) return kKeyDraws;
  return lane.hash == Hash::xxh3 ? 1 : kServiceDraws;
}

void set_total(Lane& lane, uint32_t total, uint32_t until_service) {
  lane.left = total < until_service ? total : until_service;
  lane.rest = total - lane.left;
}

// Just looked, or nothing to look at.
void set_total(Lane& lane, uint32_t total) { set_total(lane, total, service_interval(lane)); }

// After `count` draws at once. What begins right after a look, as a batch does, may be of any length; what does not
// uses up the draws until the next one.
void set_total_after(Lane& lane, uint32_t total, size_t count) {
  const uint32_t interval = service_interval(lane);
  if (interval != kServiceDraws) return set_total(lane, total);
  const bool just_looked = lane.left == interval;
  set_total(lane, total, count < lane.left ? lane.left - static_cast<uint32_t>(count) : just_looked ? interval - 1 : 0);
}

void set_key(Lane& lane, const uint8_t key[16]) {
  memcpy(lane.key, key, 16);
  lane_row(lane).expand_key(lane.stream.round_keys, key);
}

// The key has served its draws: the next block takes its place and is never given out.
void rekey(Lane& lane) {
  lane.served += kKeyDraws;
  if (lane.hash == Hash::xxh3) return;
#ifndef LOGUUID_MUTANT_REKEY
  uint8_t next[32];  // the next key, then fresh entropy
  lane_row(lane).block(lane.stream, next);
  ++lane.rekeys;
  const Outside* outside = lane_outside(lane);
  if (outside != nullptr && outside->entropy != nullptr && lane.rekeys % kRekeysPerFreshEntropy == 0 &&
      outside->entropy(next + 16))
    for (size_t i = 0; i < 16; ++i) next[i] = static_cast<uint8_t>(next[i] ^ next[16 + i]);
  set_key(lane, next);
  wipe(next, sizeof next);
#endif
}

// Calls emit(n) for runs of draws that one key serves, n draws in all.
template <class Emit>
void for_each_key(Lane& lane, const size_t all, Emit emit) {
  uint32_t total = lane.left + lane.rest;
  size_t count = all;
  while (count != 0) {
    if (total == 0) {
      rekey(lane);
      total = kKeyDraws;
    }
    const uint32_t n = count < total ? static_cast<uint32_t>(count) : total;
    emit(n);
    total -= n;
    count -= n;
  }
  set_total_after(lane, total, all);
}

uint64_t splitmix64(uint64_t& x) {
  x += 0x9e3779b97f4a7c15;
  uint64_t z = x;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

bool seed_from_bytes(Seed& seed, const uint8_t bytes[kSeedBytes]) {
  uint64_t any = 0;
  memcpy(seed.key, bytes, 16);
  for (size_t i = 0; i < 4; ++i) any |= seed.state[i] = load_le64(bytes + 16 + 8 * i);
  return any != 0;
}

Seed seed_from_integer(uint64_t x) {
  Seed seed;
  store_le64(seed.key, splitmix64(x));
  store_le64(seed.key + 8, splitmix64(x));
  for (uint64_t& word : seed.state) word = splitmix64(x);
  return seed;
}

void lane_init(Lane& lane, const Seed& seed, uint64_t thread, uint64_t process, Hash hash) {
  // All but the gate and the numbers of blocks, by which handlers and calls that were interrupted go.
  char* const first = reinterpret_cast<char*>(&lane.left);
  memset(first, 0, static_cast<size_t>(reinterpret_cast<char*>(&lane + 1) - first));
  lane.thread = thread;
  lane.process = process;
  lane.magic = kLaneMagic;
  lane.hash = hash;

  Words256 s = seed.state;
  xoshiro::jump_to_lane(s, thread, process);
  set_state(lane, s);

  // AES128(K0, LE64(thread) || LE64(process)) is one block of a stream that has just these words as its state.
  Stream k0 = {{thread, process, 0, 0}, 0, {}};
  uint8_t key[16];
  kernel().expand_key(k0.round_keys, seed.key);
  kernel().block(k0, key);
#ifdef LOGUUID_MUTANT_KEY_OF_PROCESS
  memcpy(key, seed.key, 16);
#endif
  set_key(lane, key);
  wipe(key, sizeof key);
  wipe(&k0, sizeof k0);
  set_total(lane, kKeyDraws);
}

void lane_attach(Lane& lane, const Outside& outside, const uint8_t* fresh) {
  lane.outside = &outside;
  if (fresh != nullptr) set_key(lane, fresh);
  set_total(lane, lane.left + lane.rest);
  lane_refresh(lane);
}

void lane_pin(Lane& lane, uint64_t now_ns) {
  lane.pinned = true;
  lane.pinned_ns = now_ns;
  if (lane.hash == Hash::xxh3) lane.stream.mix = now_ns;
  set_total(lane, lane.left + lane.rest);
}

void lane_reseed(Lane& lane, const uint8_t fresh[16]) {
  uint8_t key[16];
  for (size_t i = 0; i < 16; ++i) key[i] = static_cast<uint8_t>(lane.key[i] ^ fresh[i]);
  set_key(lane, key);
  wipe(key, sizeof key);
}

void lane_blocks(Lane& lane, uint8_t* out, size_t count) {
  for_each_key(lane, count, [&](uint32_t n) {
    lane_row(lane).blocks(lane.stream, out, n);
    out += size_t{16} * n;
  });
}

void lane_v4_run(Lane& lane, char* out, char separator, size_t count) {
  const char* const first = out;
  for_each_key(lane, count, [&](uint32_t n) {
    if (out != first) out[-1] = separator;
    lane_row(lane).v4_run(lane.stream, out, separator, n);
    out += size_t{37} * n;
  });
}

uint64_t lane_xxh3_random64(Lane& lane) {
  if (lane.left == 0) lane_service(lane);
  --lane.left;
  return xxh3_64(lane_internal(lane), lane.stream.mix);
}

void lane_refresh(Lane& lane) {
  const Outside* outside = lane_outside(lane);
  if (outside == nullptr || lane.pinned) return;
#ifndef LOGUUID_MUTANT_SNAPSHOT
  if (outside->look != nullptr) outside->look(lane);
#endif
#ifndef LOGUUID_MUTANT_MIX
  lane.stream.mix = outside->mix();
#endif
  set_total(lane, lane.left + lane.rest);
}

void lane_service(Lane& lane) {
  lane_refresh(lane);
  uint32_t total = lane.left + lane.rest;
  if (total == 0) {
    rekey(lane);
    total = kKeyDraws;
  }
  set_total(lane, total);
}

bool lane_fill_ahead(OwnLane& lane, uint64_t number) {
  const uint32_t count = lane.left < kAheadBlocks ? lane.left : kAheadBlocks;
  lane_row(lane).blocks(lane.stream, lane.blocks + 16 * (kAheadBlocks - count), count);
  lane.left -= count;
  signal_fence();  // from here on signal handlers take
  const uint64_t first = next_page(number) + 2 * kAheadBlocks - count;
#ifdef LOGUUID_MUTANT_AHEAD_FORKED
  lane.ahead.next = first;
  return true;
#else
  return move_next(lane.ahead, number, first);
#endif
}

void lane_give_back(OwnLane& lane) {
  uint64_t next = load_next(lane.ahead);
  while (is_ready(next) && !move_next(lane.ahead, next, next_page(next))) {
  }
  // From here on no handler takes any, and a call that this one interrupted finds that its block is gone.
  signal_fence();
  if (is_ready(next)) {
    const uint64_t count = ready_from(next);
    Words256 s = state_of(lane);
    for (uint64_t i = 0; i < count; ++i) xoshiro::step_back(s);
    set_state(lane, s);
    lane.left += static_cast<uint32_t>(count);
  }
  wipe(lane.blocks, sizeof lane.blocks);
}

uint64_t lane_draws(const Lane& lane) { return lane.served + (kKeyDraws - lane.left - lane.rest); }

void lane_skip(Lane& lane, uint64_t draws) {
  Words256 s = state_of(lane);
  uint64_t total = uint64_t{lane.left} + lane.rest;
  if (lane.hash == Hash::xxh3 && draws > total) {  // no key wears out: one jump
    const uint64_t keys = (draws - total) / kKeyDraws;
    xoshiro::jump(s, keys * kKeyDraws, 0);
    lane.served += keys * kKeyDraws;
    draws -= keys * kKeyDraws;
  }
  while (draws != 0) {
    if (total == 0) {
      set_state(lane, s);
      rekey(lane);
      s = state_of(lane);
      total = kKeyDraws;
    }
    const uint64_t n = draws < total ? draws : total;
    if (n == kKeyDraws)
      xoshiro::multiply(s, kStepsOfKey);
    else
      for (uint64_t i = 0; i < n; ++i) xoshiro::step(s);
    total -= n;
    draws -= n;
  }
  set_state(lane, s);
  set_total(lane, static_cast<uint32_t>(total));
}

void lane_jump(Lane& lane, uint64_t thread, uint64_t process) {
  Words256 s = state_of(lane);
  xoshiro::jump_to_lane(s, thread, process);
  set_state(lane, s);
  lane.thread += thread;
  lane.process += process;
}

}  // namespace loguuid
