// Where lanes live, and which TIDs are taken: memory that is wiped on fork, so that a child starts with none of its
// parent's keys and with no TID registered, whatever the other threads were doing at the fork. Which slots are in use
// is not wiped: the thread that forked goes on in the child and still points at its slot, which no new thread may get.
// No locks; all functions may be called in signal handlers and in a child of a threaded process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lane.h"

namespace loguuid {

// A lane on a page of its own, zero. NULL: no memory.
OwnLane* slot_take();
// Overwrites the lane and gives the slot back.
void slot_release(Lane* lane);

enum class TidClaim { first, again, taken, no_memory };

// Takes a TID for a living thread. `again`: it had an owner in this process before, whose lane must not be walked
// twice.
TidClaim tid_claim(uint32_t tid);
void tid_release(uint32_t tid);

// In a child whose only thread has the slot `own` (NULL: none): the slots of the threads that did not come along are
// free.
void slots_keep_only(const Lane* own);
// For systems that do not wipe on fork: the child's handler does it by hand.
void slots_wipe();

}  // namespace loguuid
