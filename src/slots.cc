#include "slots.h"

#include "base.h"
#include "platform.h"

namespace loguuid {
namespace {

// A chunk is one mapping with a page for each of its slots, and a word with a bit for each slot in use. Chunks are
// never freed: threads come and go, and the memory of the most that lived at once stays.
constexpr size_t kSlotsPerChunk = 64;
constexpr size_t kMaxChunks = 4096;
uint8_t* chunks[kMaxChunks];
uint64_t used_bits[kMaxChunks];

uint8_t* load_pointer(uint8_t** p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }

size_t chunk_bytes() { return kSlotsPerChunk * page_size(); }

// The memory that `*where` points to, mapped by whoever comes first.
uint8_t* map_once(uint8_t** where, size_t bytes) {
  uint8_t* mapped = load_pointer(where);
  if (mapped != nullptr) return mapped;
#ifdef LOGUUID_MUTANT_AHEAD_KEPT
  auto* fresh = static_cast<uint8_t*>(pages_new(bytes));
#else
  auto* fresh = static_cast<uint8_t*>(pages_new_wiped_on_fork(bytes));
#endif
  if (fresh == nullptr) return load_pointer(where);
  if (__atomic_compare_exchange_n(where, &mapped, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fresh;
  pages_free(fresh, bytes);
  return mapped;
}

struct SlotPlace {
  size_t chunk;  // kMaxChunks: the lane is in none
  uint64_t bit;
};

SlotPlace place_of(const Lane* lane) {
  const auto address = reinterpret_cast<uintptr_t>(lane);
  for (size_t i = 0; i < kMaxChunks; ++i) {
    const auto base = reinterpret_cast<uintptr_t>(load_pointer(&chunks[i]));
    if (base == 0) break;
    if (address >= base && address < base + chunk_bytes()) return {i, uint64_t{1} << (address - base) / page_size()};
  }
  return {kMaxChunks, 0};
}

// Two bits for each TID, in leaves that are mapped when first needed: 2^32 TIDs cost what is touched.
constexpr uint32_t kTidsPerLeaf = 1u << 21;
constexpr uint32_t kTidsPerWord = 32;
constexpr size_t kLeafBytes = kTidsPerLeaf / kTidsPerWord * 8;
constexpr uint64_t kTidLive = 1, kTidHadOwner = 2;
uint8_t* tid_leaves[(uint64_t{1} << 32) / kTidsPerLeaf];

struct TidPlace {
  uint8_t** leaf;
  size_t word;
  unsigned shift;
};

TidPlace place_of(uint32_t tid) {
  return {&tid_leaves[tid / kTidsPerLeaf], tid % kTidsPerLeaf / kTidsPerWord, tid % kTidsPerWord * 2};
}

}  // namespace

OwnLane* slot_take() {
  for (size_t i = 0; i < kMaxChunks; ++i) {
    uint8_t* chunk = map_once(&chunks[i], chunk_bytes());
    if (chunk == nullptr) return nullptr;
    uint64_t used = __atomic_load_n(&used_bits[i], __ATOMIC_RELAXED);
    while (used != ~uint64_t{0}) {
      const auto slot = static_cast<size_t>(std::countr_one(used));
      if (__atomic_compare_exchange_n(&used_bits[i], &used, used | uint64_t{1} << slot, true, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED))
        return reinterpret_cast<OwnLane*>(chunk + slot * page_size());
    }
  }
  return nullptr;
}

void slot_release(Lane* lane) {
  const SlotPlace place = place_of(lane);
#ifndef LOGUUID_MUTANT_WIPE
  wipe(static_cast<OwnLane*>(lane), sizeof(OwnLane));
#endif
  if (place.chunk != kMaxChunks) __atomic_fetch_and(&used_bits[place.chunk], ~place.bit, __ATOMIC_RELEASE);
}

TidClaim tid_claim(uint32_t tid) {
  const TidPlace place = place_of(tid);
  uint8_t* leaf = map_once(place.leaf, kLeafBytes);
  if (leaf == nullptr) return TidClaim::no_memory;
  uint64_t* word = reinterpret_cast<uint64_t*>(leaf) + place.word;
  const uint64_t before = __atomic_fetch_or(word, (kTidLive | kTidHadOwner) << place.shift, __ATOMIC_ACQUIRE);
  if ((before >> place.shift & kTidLive) != 0) return TidClaim::taken;
#ifdef LOGUUID_MUTANT_TID_REUSE
  return TidClaim::first;
#else
  return (before >> place.shift & kTidHadOwner) != 0 ? TidClaim::again : TidClaim::first;
#endif
}

void tid_release(uint32_t tid) {
  const TidPlace place = place_of(tid);
  uint8_t* leaf = load_pointer(place.leaf);
  if (leaf == nullptr) return;
  __atomic_fetch_and(reinterpret_cast<uint64_t*>(leaf) + place.word, ~(kTidLive << place.shift), __ATOMIC_RELEASE);
}

void slots_keep_only(const Lane* own) {
  for (size_t i = 0; i < kMaxChunks && load_pointer(&chunks[i]) != nullptr; ++i)
    __atomic_store_n(&used_bits[i], 0, __ATOMIC_RELAXED);
#ifndef LOGUUID_MUTANT_SLOT_OWNER
  const SlotPlace place = place_of(own);
  if (place.chunk != kMaxChunks) __atomic_store_n(&used_bits[place.chunk], place.bit, __ATOMIC_RELAXED);
#endif
}

void slots_wipe() {
  for (uint8_t* chunk : chunks)
    if (chunk != nullptr) wipe(chunk, chunk_bytes());
  for (uint8_t* leaf : tid_leaves)
    if (leaf != nullptr) wipe(leaf, kLeafBytes);
}

}  // namespace loguuid
