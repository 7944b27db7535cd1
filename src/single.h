// Calls that want one block and nothing else of the lane.
//
// Once a thread makes such calls in a row, its lane has blocks ready (ahead.h), on pages that a fork wipes: then the
// call's one check is whether there is one. Else the call is a draw like any other (process.h).
#pragma once

#include "ahead.h"
#include "base.h"
#include "lane.h"
#include "process.h"

namespace loguuid {

inline const uint8_t* block_ahead(const Lane& lane, uint64_t number) {
  return static_cast<const OwnLane&>(lane).blocks + 16 * (number % kAheadBlocks);
}

// Makes blocks ahead for this thread, which has none; false where that cannot be, or does not pay since draws of
// another kind came in between.
bool fill_ahead();

// Does the work with this thread's next ready block. False: none was ready, or a signal handler took it; then `result`
// must not be given out.
template <class Work, class Result>
__attribute__((always_inline)) inline bool take_ready(const Work& work, Result& result) {
  Lane& lane = *current_lane;
  const uint64_t number = load_next(lane.ahead);
  if (LOGUUID_UNLIKELY(!is_ready(number))) return false;
  result = work(block_ahead(lane, number));
  return LOGUUID_LIKELY(take(lane.ahead, number));
}

// From a lane that has no blocks ready, or may not trust them.
template <class FromLane>
auto draw_unready(FromLane from_lane) {
  return draw([=](Lane& lane) {
    const auto result = from_lane(lane);
    lane.single_end = lane_draws(lane);
    return result;
  });
}

// The second try does not trust blocks that are made ahead, so that a call comes to an end however often it is
// interrupted.
template <class Result, class Work, class FromLane>
LOGUUID_NOINLINE Result draw_single_slow(Work work, FromLane from_lane) {
  Result result;
  if (LOGUUID_LIKELY(fill_ahead() && take_ready(work, result))) return result;
  return draw_unready(from_lane);
}

// `work(const uint8_t block[16])` is draw's work, and returns something. `from_lane(Lane&)` is the same for a lane that
// has no block ready.
template <class Work, class FromLane>
__attribute__((always_inline)) inline auto draw_single(Work work, FromLane from_lane) {
  using Result = decltype(work(nullptr));
  Result result;
  if (LOGUUID_LIKELY(take_ready(work, result))) return result;
  return draw_single_slow<Result>(work, from_lane);
}

template <class Work>
__attribute__((always_inline)) inline auto draw_single(Work work) {
  return draw_single(work, [work](Lane& lane) {
    uint8_t block[16];
    lane_block(lane, block);
    return work(block);
  });
}

}  // namespace loguuid
