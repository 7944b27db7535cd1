// What a thread knows of itself, beside the lane that serves it (process.h).
#pragma once

#include "base.h"
#include "lane.h"
#include "loguuid.h"

namespace loguuid {

// `in_change` marks the thread's own lane as being given or taken, for signal handlers that draw meanwhile.
struct ThreadState {
  OwnLane* own;       // its slot
  uint64_t own_word;  // the process that the slot was taken in
  uint64_t thread;    // its lane's index, once `numbered`
  loguuid_gen* used;  // loguuid_use()
  uint32_t tid;
  bool numbered, has_tid, booted_here, in_change, ended;
};
LOGUUID_HIDDEN extern constinit thread_local ThreadState this_thread;

}  // namespace loguuid
