// A turn is what a lane gives to one draw at a time: the check before a draw, and what follows after it. process.h says
// what the check is for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ahead.h"
#include "base.h"
#include "stream.h"

namespace loguuid {

// The front of a lane.
struct Turn {
  uint64_t gate;  // who may enter
  Ahead ahead;    // draws that are made already
  uint32_t left;  // draws until the lane wants service
  uint32_t rest;  // draws that the key serves after those
  Stream stream;  // state, clock, key
};

// Points to the process number + 1, unique in the process tree; to a zero before boot and in a fresh child.
LOGUUID_HIDDEN extern const volatile uint64_t* fork_word;

// The word is read through a pointer that another thread's boot may just have published. What is read through a pointer
// comes after the pointer on every CPU we know, so that the load of it needs no order; ThreadSanitizer does not know
// that.
constexpr int kPointerOrder =
#if defined(__SANITIZE_THREAD__)
    __ATOMIC_ACQUIRE;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    __ATOMIC_ACQUIRE;
#else
    __ATOMIC_RELAXED;
#endif
#else
    __ATOMIC_RELAXED;
#endif

inline uint64_t load_fork_word() {
  return __atomic_load_n(__atomic_load_n(&fork_word, kPointerOrder), __ATOMIC_RELAXED);
}

// The gate holds one of four values made from the fork word; anything else, zero included, means that the lane belongs
// to another process or to nobody. `gate_ahead`: blocks were made ahead, and a draw has to give them back first.
constexpr uint64_t gate_open(uint64_t word) { return ~word; }
constexpr uint64_t gate_busy(uint64_t word) { return word; }
constexpr uint64_t gate_service(uint64_t word) { return ~word ^ (uint64_t{1} << 63); }
constexpr uint64_t gate_ahead(uint64_t word) { return ~word ^ (uint64_t{1} << 62); }

// The one check, and a second look for what a handler made ahead between the check and the closing.
inline bool enter(Turn& turn, uint64_t word) {
  if (LOGUUID_UNLIKELY(turn.gate != gate_open(word))) return false;
#ifndef LOGUUID_MUTANT_SIGNAL_GATE
  turn.gate = gate_busy(word);
#endif
  signal_fence();
  if (LOGUUID_UNLIKELY(is_ready(load_next(turn.ahead)))) {
    turn.gate = gate_ahead(word);
    return false;
  }
  return true;
}

inline void release(Turn& turn, uint64_t word) {
  const uint64_t gate = LOGUUID_LIKELY(turn.left != 0) ? gate_open(word) : gate_service(word);
  signal_fence();
  turn.gate = gate;
  signal_fence();
}

// A handler that made the last of a lane's draws between the check of the gate and its closing leaves nothing to draw.
inline bool has_left(const Turn& turn) {
#ifdef LOGUUID_MUTANT_LEFT
  return true;
#else
  return turn.left != 0;
#endif
}

}  // namespace loguuid
