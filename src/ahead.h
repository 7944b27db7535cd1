// Blocks that a thread's lane has made ahead for the single calls, and how a call takes one: it reads where the next
// one is, does its work with it, and takes it last, by moving `next` on. That one step settles everything: a signal
// handler that drew, refilled or emptied the lane meanwhile has moved `next`, a fork has wiped it, and either way the
// call finds another number than its own and begins anew. Nothing is marked before the work or cleaned up after it.
//
// `next` is all there is, so that no two words can disagree. Numbers go by pages of 64: in the upper half of a page a
// block is ready, in the lower half none is; zero, as a fork leaves it, is in a lower half.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base.h"
#include "stream.h"

namespace loguuid {

constexpr size_t kAheadBlocks = 32;

// Block number n is at index n % kAheadBlocks.
struct Ahead {
  uint64_t next;
};

// 2^40 numbers for each process, so that a child does not come to a number that its parent was about to take.
constexpr uint64_t kProcessNumbers = uint64_t{1} << 40;
constexpr uint64_t start_of_numbers(uint64_t word) { return word * kProcessNumbers + 2 * kAheadBlocks; }

constexpr bool is_ready(uint64_t number) { return (number & kAheadBlocks) != 0; }
// How many blocks are ready from that number on.
constexpr uint64_t ready_from(uint64_t number) { return 2 * kAheadBlocks - number % (2 * kAheadBlocks); }
// The first number of the next page.
constexpr uint64_t next_page(uint64_t number) { return number + ready_from(number); }

// The number that a call may try to take, if it is ready.
inline uint64_t load_next(const Ahead& ahead) { return __atomic_load_n(&ahead.next, __ATOMIC_RELAXED); }

// Moves `next` from `number`, to which it is set anew on failure, to `to`: in one step that a signal cannot divide. No
// other thread ever looks.
inline bool move_next(Ahead& ahead, uint64_t& number, uint64_t to) {
#if defined(__x86_64__)
  bool moved;
  __asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(moved), "+m"(ahead.next), "+a"(number) : "r"(to) : "memory");
  return moved;
#else
  signal_fence();
  return __atomic_compare_exchange_n(&ahead.next, &number, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

// What is ready is lost, for a lane that begins anew; lane_give_back() is for one that goes on.
inline void drop_ready(Ahead& ahead) { ahead.next = next_page(ahead.next); }

// Takes block `number`. False: it is gone, and what was made of it must not be given out.
// On x86-64 this is one addition in memory, a nanosecond faster than an exchange, and a look at its result: a failed
// try skips a block, or a number of a lower half, which does no harm as long as fewer than 32 handlers are inside each
// other.
inline bool take(Ahead& ahead, uint64_t number) {
#if defined(__x86_64__)
  __asm__ volatile("incq %0" : "+m"(ahead.next) : : "memory", "cc");
#ifdef LOGUUID_MUTANT_TAKE
  return true;
#endif
  return load_next(ahead) == number + 1;
#else
  return move_next(ahead, number, number + 1);
#endif
}

// A v4 UUID as text and a NUL, from the slow path. Returns 36.
LOGUUID_HIDDEN size_t v4_again(char* out);

// The end of a kernel's v4_take(), when the text and its NUL are written.
inline size_t end_v4_take(Ahead& ahead, uint64_t number, char* out) {
  return LOGUUID_LIKELY(take(ahead, number)) ? kUuidText : v4_again(out);
}

}  // namespace loguuid
