#include "slots.h"

#include "base.h"
#include "platform.h"

namespace loguuid {
namespace {

// A chunk is one mapping: a page with the bits of the slots in use, then a page for each slot. Chunks are never freed:
// threads come and go, and the memory of the most that lived at once stays.
constexpr size_t kSlotsPerChunk = 64;
constexpr size_t kMaxChunks = 4096;
uint8_t* chunks[kMaxChunks];

uint8_t* load_pointer(uint8_t** p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }

size_t chunk_bytes() { return (1 + kSlotsPerChunk) * page_size(); }
uint64_t* used_bits(uint8_t* chunk) { return reinterpret_cast<uint64_t*>(chunk); }

// The memory that `*where` points to, mapped by whoever comes first.
uint8_t* map_once(uint8_t** where, size_t bytes) {
  uint8_t* mapped = load_pointer(where);
  if (mapped != nullptr) return mapped;
  auto* fresh = static_cast<uint8_t*>(pages_new_wiped_on_fork(bytes));
  if (fresh == nullptr) return load_pointer(where);
  if (__atomic_compare_exchange_n(where, &mapped, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fresh;
  pages_free(fresh, bytes);
  return mapped;
}

struct SlotPlace {
  uint8_t* chunk;
  uint64_t bit;
};

SlotPlace place_of(const Lane* lane) {
  const auto address = reinterpret_cast<uintptr_t>(lane);
  for (uint8_t* chunk : chunks) {
    if (chunk == nullptr) break;
    const auto base = reinterpret_cast<uintptr_t>(chunk);
    if (address > base && address < base + chunk_bytes())
      return {chunk, uint64_t{1} << ((address - base) / page_size() - 1)};
  }
  return {nullptr, 0};
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

Lane* slot_take() {
  for (uint8_t*& where : chunks) {
    uint8_t* chunk = map_once(&where, chunk_bytes());
    if (chunk == nullptr) return nullptr;
    uint64_t used = __atomic_load_n(used_bits(chunk), __ATOMIC_RELAXED);
    while (used != ~uint64_t{0}) {
      const auto slot = static_cast<size_t>(std::countr_one(used));
      if (__atomic_compare_exchange_n(used_bits(chunk), &used, used | uint64_t{1} << slot, true, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED))
        return reinterpret_cast<Lane*>(chunk + (1 + slot) * page_size());
    }
  }
  return nullptr;
}

bool slot_retake(Lane* lane) {
  const SlotPlace place = place_of(lane);
  return place.chunk != nullptr &&
         (__atomic_fetch_or(used_bits(place.chunk), place.bit, __ATOMIC_ACQUIRE) & place.bit) == 0;
}

void slot_release(Lane* lane) {
  const SlotPlace place = place_of(lane);
  wipe(lane, sizeof *lane);
  if (place.chunk != nullptr) __atomic_fetch_and(used_bits(place.chunk), ~place.bit, __ATOMIC_RELEASE);
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

void slots_wipe() {
  for (uint8_t* chunk : chunks)
    if (chunk != nullptr) wipe(chunk, chunk_bytes());
  for (uint8_t* leaf : tid_leaves)
    if (leaf != nullptr) wipe(leaf, kLeafBytes);
}

}  // namespace loguuid
