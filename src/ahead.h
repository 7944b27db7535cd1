// Blocks that a thread's lane has made ahead for the single calls, and how a call takes one: it reads where the next one
// is, does its work with it, and takes it last, by moving `next` on. That one step settles everything: a signal handler
// that drew, refilled or emptied the lane meanwhile has moved `next`, a fork has wiped it, and either way the call finds
// another number than its own and begins anew. Nothing is marked before the work or cleaned up after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base.h"
#include "stream.h"

namespace loguuid {

constexpr size_t kAheadBlocks = 32;

// Block number n, for next <= n < end, is at index n % kAheadBlocks. Both zero: nothing is ready, as in a lane that a fork
// wiped. `next` never goes back in a process, nor is it ever in a child what it was in the parent (see start_of_numbers).
struct Ahead {
  uint64_t next;
  uint64_t end;
};

// One page of the numbers' 64 bits for each process, so that a child cannot come to a number of its parent.
constexpr uint64_t start_of_numbers(uint64_t word) { return word << 40; }

// The number that a call may try to take; at or behind `end`: none.
inline uint64_t load_next(const Ahead& ahead) { return __atomic_load_n(&ahead.next, __ATOMIC_RELAXED); }

// Takes block `number`. False: it is gone, and what was made of it must not be given out.
// On x86-64 this is one addition in memory, which a signal cannot divide, and a look at its result: a failed try skips a
// block, which does no harm. Other machines compare and exchange.
inline bool take(Ahead& ahead, uint64_t number) {
#if defined(__x86_64__)
  __asm__ volatile("incq %0" : "+m"(ahead.next) : : "memory", "cc");
#ifdef LOGUUID_MUTANT_TAKE
  return true;
#endif
  return load_next(ahead) == number + 1;
#else
  signal_fence();  // the block is read before it is taken
  return __atomic_compare_exchange_n(&ahead.next, &number, number + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

// A v4 UUID as text and a NUL, from the slow path. Returns 36.
LOGUUID_HIDDEN size_t v4_again(char* out);

// The end of a kernel's v4_take(), when the text is written.
inline size_t end_v4_take(Ahead& ahead, uint64_t number, char* out) {
  out[kUuidText] = '\0';
  return LOGUUID_LIKELY(take(ahead, number)) ? kUuidText : v4_again(out);
}

}  // namespace loguuid
