// Making blocks ahead for a thread's single calls.
#include "single.h"

#include "process_boot.h"
#include "thread.h"

namespace loguuid {
namespace {

// Filling pays when the lane's last draw was a single one too.
bool may_fill(const Lane& lane, uint64_t word) {
  if (is_ready(load_next(lane.ahead))) return false;
  if (lane.gate == gate_ahead(word)) return true;
  const bool claimable = lane.gate == gate_open(word) || lane.gate == gate_service(word);
  return claimable && &lane == this_thread.own && lane_draws(lane) == lane.single_end && process()->wiped_on_fork;
}

// The gate is busy and `in_change` set: no handler touches the lane. Nor does one of a child that a handler makes,
// whose lane is wiped and `this_thread` is not. The child itself goes on here: a fork before the look at the word is
// seen by it, one after it has wiped the number.
bool fill_claimed(OwnLane& lane, uint64_t word) {
  if (lane.hash != Hash::aes) return false;
  if (lane.left == 0) lane_service(lane);
  uint64_t number = load_next(lane.ahead);
  if (number - start_of_numbers(word) >= kProcessNumbers)
    __atomic_store_n(&lane.ahead.next, number = start_of_numbers(word), __ATOMIC_RELAXED);
  signal_fence();
#ifndef LOGUUID_MUTANT_AHEAD_FORKED
  if (forked_since(word)) return false;
#endif
  return lane_fill_ahead(lane, number);
}

}  // namespace

bool fill_ahead() {
  // An early end for generators that tasks bring along.
  if (this_thread.in_change || current_lane != this_thread.own) return false;
  this_thread.in_change = true;  // from here on no handler makes blocks ahead
  signal_fence();
  const uint64_t word = load_fork_word();
  Lane& lane = *current_lane;
  bool filled = false;
  if (may_fill(lane, word)) {
    lane.gate = gate_busy(word);
    signal_fence();
    filled = fill_claimed(static_cast<OwnLane&>(lane), word);
    if (filled)
      lane.gate = gate_ahead(word);
    else
      release(lane, word);
  }
  signal_fence();
  this_thread.in_change = false;
  return filled;
}

}  // namespace loguuid
