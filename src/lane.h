// One generator: the sequence's state and a key make blocks; rekey, skip, save. It knows no thread and no system:
// whoever owns a lane brings it fresh entropy and clocks through `Outside`, and sees that one thread at a time uses it.
//
// A key serves kKeyDraws draws; then one more block becomes the next key and is never given out, so that a memory image
// shows at most the last kKeyDraws draws. A live lane also stops every kServiceDraws draws to look at the world (clock,
// snapshots), which costs the single call a tenth of what looking each time would. Batches look before they begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base.h"
#include "kernel.h"
#include "turn.h"
#include "xoshiro.h"

namespace loguuid {

constexpr size_t kSeedBytes = 48;
constexpr uint32_t kKeyDraws = 1024;
constexpr uint32_t kServiceDraws = 32;
constexpr uint64_t kRekeysPerFreshEntropy = 1024;
constexpr size_t kSaveBytes = 160;

enum class Hash : uint8_t { aes = 0, xxh3 = 1 };

struct Lane;

// What a live lane needs from the world. A reproducible aes lane has none of it, a reproducible xxh3 lane only the
// clock.
struct Outside {
  uint64_t (*mix)();                 // aes: a fine clock for the input of the next draws; xxh3: the clock that seeds it
  bool (*entropy)(uint8_t out[16]);  // 16 fresh bytes, or false; NULL: a reproducible lane
  void (*look)(Lane& lane);          // before `mix` is read: has the machine been cloned? May reseed the lane. NULL: no
};

struct Seed {
  uint8_t key[16];
  Words256 state;
};

struct UlidState {
  uint64_t ms;
  uint64_t high;  // the upper 16 of the 80 random bits
  uint64_t low;
};

// The turn comes first: gate, what is ahead, `left`, `rest` and the stream.
struct Lane : Turn {
  uint8_t key[16];  // for save and reseed; the round keys show it anyway
  uint64_t served;  // draws made under earlier keys
  uint64_t rekeys;
  uint64_t thread, process;
  uint64_t v7_ms, v7_counter;
  UlidState ulid;
  uint64_t pinned_ns;
  uint64_t single_end;     // lane_draws() after the last single draw
  uint64_t snapshot;       // the machine's generation when last looked at
  const Outside* outside;  // NULL: reproducible
  uint32_t magic;          // kLaneMagic once initialised
  Hash hash;
  bool pinned;      // pinned_ns is the clock
  bool of_process;  // a caller-owned generator that moves to a lane of the child after a fork
};
static_assert(sizeof(Lane) <= 512, "fits loguuid_gen");

// A thread's own lane, the only kind that makes blocks ahead: it lies on pages that a fork wipes.
struct OwnLane : Lane {
  alignas(64) uint8_t blocks[16 * kAheadBlocks];
};

constexpr uint32_t kLaneMagic = 0x4e414c4c;

// 48 bytes as they are, or a 64-bit integer expanded by SplitMix64. False for four zero state words.
bool seed_from_bytes(Seed& seed, const uint8_t bytes[kSeedBytes]);
Seed seed_from_integer(uint64_t x);

// The start of lane (thread, process), with the key of reproducible mode: AES128(K0, LE64(thread) || LE64(process)).
void lane_init(Lane& lane, const Seed& seed, uint64_t thread, uint64_t process, Hash hash);
// Connects it to the world; `fresh` (16 bytes; NULL: keep the key) replaces the key.
void lane_attach(Lane& lane, const Outside& outside, const uint8_t* fresh);
inline bool lane_is_live(const Lane& lane);
// Its wall clock stands still from now on.
void lane_pin(Lane& lane, uint64_t now_ns);
// XORs 16 bytes into the key, at once.
void lane_reseed(Lane& lane, const uint8_t fresh[16]);

// One draw.
inline void lane_block(Lane& lane, uint8_t out[16]);
// The same as text.
inline void lane_v4_one(Lane& lane, char out[kUuidText]);
// `count` draws into 16 * count bytes.
void lane_blocks(Lane& lane, uint8_t* out, size_t count);
// `count` v4 UUIDs as text with a separator between: 37 * count - 1 bytes. The same draws as lane_blocks.
void lane_v4_run(Lane& lane, char* out, char separator, size_t count);
// HAProxy's hashed 64 bits in xxh3 mode; the low half of a block in aes mode.
inline uint64_t lane_random64(Lane& lane);
// The raw output word, then one step.
inline uint64_t lane_internal(Lane& lane);

// Before a batch: reads the clock again, so that the whole batch sees one value.
void lane_refresh(Lane& lane);
// When `left` is 0: rekeys if the key is worn, looks outside, refills `left`.
void lane_service(Lane& lane);

// Makes up to kAheadBlocks of the next draws of an aes lane and lets them be taken. False: `next` is not `number` any
// more (a fork wiped it), and the lane is of no use.
bool lane_fill_ahead(OwnLane& lane, uint64_t number);
// Takes back what was made ahead and not taken: the sequence stands again where the next draw is. Wipes the blocks.
void lane_give_back(OwnLane& lane);

uint64_t lane_draws(const Lane& lane);
void lane_skip(Lane& lane, uint64_t draws);
// Steps the sequence itself by thread * 2^192 + process * 2^128.
void lane_jump(Lane& lane, uint64_t thread, uint64_t process);

void lane_save(const Lane& lane, uint8_t out[kSaveBytes]);
bool lane_restore(Lane& lane, const uint8_t in[kSaveBytes], bool& was_live);

// One load: a fork in a signal handler may wipe the lane at any moment.
inline const Outside* lane_outside(const Lane& lane) { return __atomic_load_n(&lane.outside, __ATOMIC_RELAXED); }

inline bool lane_is_live(const Lane& lane) {
  const Outside* outside = lane_outside(lane);
  return outside != nullptr && outside->entropy != nullptr;
}

// What hides the state is no question on a draw.
inline const Kernel& lane_row(const Lane& lane) { return kernel_row(static_cast<size_t>(lane.hash)); }

// The single draws are here to be inlined: they are what a call of the public interface costs. `left` is looked at in
// each, since a signal handler may have made the last of these draws after the gate was found open.
inline void lane_block(Lane& lane, uint8_t out[16]) {
  if (LOGUUID_UNLIKELY(lane.left == 0)) return lane_blocks(lane, out, 1);
  lane_row(lane).block(lane.stream, out);
  --lane.left;
}

// Word by word: a copy of the state as a whole would be read as vectors, which stall behind the stores of the last
// call.
inline uint64_t lane_internal(Lane& lane) {
  uint64_t* s = lane.stream.s;
  const uint64_t s0 = s[0], s1 = s[1], s2 = s[2] ^ s0, s3 = s[3] ^ s1;
  s[0] = s0 ^ s3;
  s[1] = s1 ^ s2;
  s[2] = s2 ^ s1 << 17;
  s[3] = std::rotl(s3, 45);
  return xoshiro::output({s0, s1, 0, 0});
}

// HAProxy's hashed word in xxh3 mode.
uint64_t lane_xxh3_random64(Lane& lane);

inline uint64_t lane_random64(Lane& lane) {
  if (LOGUUID_UNLIKELY(lane.hash != Hash::aes)) return lane_xxh3_random64(lane);
  uint8_t block[16];
  lane_block(lane, block);
  return load_le64(block);
}

inline void lane_v4_one(Lane& lane, char out[kUuidText]) {
  if (LOGUUID_UNLIKELY(!has_left(lane))) return lane_v4_run(lane, out, 0, 1);
  lane_row(lane).v4_one(lane.stream, out);
  --lane.left;
}

}  // namespace loguuid
