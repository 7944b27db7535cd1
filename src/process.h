// Boot, fork, TIDs, and this thread's lane.
//
// A draw goes through draw(), which makes one check: is the lane's gate open for this very process? It is not when
// the thread has no lane, when the process was forked (the word that lanes compare with lies on a page that a fork
// wipes), when the lane wants service, or when this draw interrupted another draw of the same thread (a signal
// handler). Each of these is settled on the slow path. After the work the word is read again: a fork in the middle,
// from a signal handler, would make parent and child return the same block, so the draw is made anew.
#pragma once

#include <type_traits>

#include "base.h"
#include "lane.h"
#include "loguuid.h"

namespace loguuid {

// The lane that serves this thread's calls; never NULL, a lane with a closed gate at first.
LOGUUID_HIDDEN extern constinit thread_local Lane* current_lane;

// Slow path: brings this thread a lane it may draw from, claimed; `spare` serves when its own is busy or cannot be had.
Lane* claim_slow(Lane* spare, uint64_t& word);
bool forked_since(uint64_t word);

struct Nothing {};

template <class Work>
__attribute__((always_inline)) inline auto run_work(const Work& work, Lane& lane) {
  if constexpr (!std::is_void_v<decltype(work(lane))>) {
    return work(lane);
  } else {
    work(lane);
    return Nothing{};
  }
}

// `work(Lane&)` draws from the lane and returns its result, or leaves it where a second run overwrites it. It is passed
// by value, and best captures pointers by value: what it holds stays in registers then.
template <class Work>
LOGUUID_NOINLINE auto draw_slow(Work work) {
  for (;;) {
    uint64_t word;
    Lane spare;
    Lane* lane = claim_slow(&spare, word);
    const auto result = run_work(work, *lane);
    release(*lane, word);
    if (lane == &spare) wipe(&spare, sizeof spare);
    if (LOGUUID_LIKELY(!forked_since(word))) return result;
  }
}

template <class Work>
__attribute__((always_inline)) inline auto draw(Work work) {
  Lane& lane = *current_lane;
  const uint64_t word = load_fork_word();
  if (LOGUUID_LIKELY(enter(lane, word))) {
    const auto result = run_work(work, lane);
    release(lane, word);
    if (LOGUUID_LIKELY(load_fork_word() == word)) return result;
  }
  return draw_slow(work);
}

// Nanoseconds since the Unix epoch as this lane sees them: pinned, the host's clock, or the system's.
uint64_t wall_clock_ns(const Lane& lane);

// ---- the life cycle behind loguuid.h ----

loguuid_status boot(const loguuid_config* config);
loguuid_status thread_start(uint32_t tid);
void thread_stop();
// This thread's own lane becomes a reproducible one of another seed; boots if needed. False: no memory for it.
bool thread_walks(const Seed& seed, uint64_t thread, uint64_t number, Hash hash);

inline Lane* lane_of(loguuid_gen* gen) { return reinterpret_cast<Lane*>(gen); }
inline const Lane* lane_of(const loguuid_gen* gen) { return reinterpret_cast<const Lane*>(gen); }

loguuid_gen* use(loguuid_gen* gen);
loguuid_status generator_live(Lane& lane);
// False for a seed of a wrong length or with an all-zero state; then `lane` is unchanged.
bool generator_reproducible(Lane& lane, const void* seed, size_t seed_len, uint64_t thread, uint64_t number, Hash hash);
// Gives a reproducible xxh3 lane that is not pinned its clock.
void bring_clock(Lane& lane);

void set_entropy_wait(unsigned milliseconds);
void set_snapshot_file(const char* path);

struct ProcessFacts {
  bool booted, live, wiped_on_fork, host_clock;
  Hash hash;
  const char* snapshot_file;  // NULL: none could be mapped
};
ProcessFacts process_facts();
size_t thread_state_bytes();

}  // namespace loguuid
