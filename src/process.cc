#include "process.h"

#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "platform.h"
#include "process_boot.h"
#include "slots.h"
#include "thread.h"

namespace loguuid {
namespace {

constexpr uint64_t kFirstAutomaticLane = uint64_t{1} << 33;  // behind every TID + 1
uint64_t next_automatic_lane = kFirstAutomaticLane;
pthread_key_t end_key;  // its destructor ends a thread's lane
bool has_end_key;       // atomic: exit() takes the key away while other threads still draw

Lane closed_lane;  // all zero: a gate that no word opens

bool load_has_end_key() { return __atomic_load_n(&has_end_key, __ATOMIC_RELAXED); }

// ---- what live lanes see of the world ----

bool fresh_entropy(uint8_t out[16]) { return entropy_fill(out, 16, 0); }

uint64_t clock_for_everyone() {
  const Process* p = process();
  return p != nullptr && p->host_clock != nullptr ? p->host_clock() : system_clock_ns();
}

// A marker that moved stays unseen until entropy could be had, so that the next look tries again.
void look_for_snapshot(Lane& lane) {
  const Process& p = *process();
  if (p.snapshot == nullptr) return;
  const uint64_t now = *p.snapshot;  // read before the entropy: what is copied in between counts as not seen
  if (now == lane.snapshot) return;
  uint8_t fresh[16];
  if (lane.hash == Hash::aes && fresh_entropy(fresh)) {
#ifdef LOGUUID_MUTANT_SNAPSHOT_ORDER
    lane.snapshot = *p.snapshot;
#else
    lane.snapshot = now;
#endif
    lane_reseed(lane, fresh);
    wipe(fresh, sizeof fresh);
  }
}

constexpr Outside kLive = {fine_clock, fresh_entropy, look_for_snapshot};
constexpr Outside kLiveXxh3 = {clock_for_everyone, fresh_entropy, nullptr};
constexpr Outside kClockOnly = {clock_for_everyone, nullptr, nullptr};

// ---- lanes ----

void lane_start(Lane& lane, const Process& p, uint64_t thread, uint64_t number) {
  lane_init(lane, p.seed, thread, number, p.hash);
  if (!p.live) return bring_clock(lane);
  if (p.snapshot != nullptr) lane.snapshot = *p.snapshot;
  uint8_t fresh[24];
  const bool has_fresh = entropy_fill(fresh, sizeof fresh, 0);
  lane_attach(lane, p.hash == Hash::aes ? kLive : kLiveXxh3, has_fresh ? fresh : nullptr);
  // Should the clock stand before 1970, every lane's v7 begins in millisecond 0: there the counters begin apart.
#ifndef LOGUUID_MUTANT_V7_START
  if (has_fresh) lane.v7_counter = load_le64(fresh + 16) >> 23;
#endif
  wipe(fresh, sizeof fresh);
}

uint64_t automatic_lane() { return __atomic_fetch_add(&next_automatic_lane, 1, __ATOMIC_RELAXED); }

// A lane for one draw, where the thread's own is in use by the draw that this one interrupted, or is gone.
Lane* spare_lane(Lane* spare, const Process& p, uint64_t word) {
  spare->gate = 0;
  spare->ahead = {};
  lane_start(*spare, p, automatic_lane(), word - 1);
  return spare;
}

void thread_ended(void*) {
#ifndef LOGUUID_MUTANT_THREAD_END
  thread_stop();
#endif
  this_thread.ended = true;  // the destructors of other keys may still draw: from spare lanes
}

// A slot for this thread; after a fork it still has the one it had.
bool own_slot(uint64_t word) {
  if (this_thread.own == nullptr) {
    this_thread.own = slot_take();
    if (this_thread.own == nullptr) return false;
    if (load_has_end_key()) pthread_setspecific(end_key, this_thread.own);
  }
  this_thread.own_word = word;
  return true;
}

// The number with which this thread walks the lane it is entitled to; gives it an automatic one if it has none.
uint64_t number_for_thread(const Process& p, uint64_t word) {
  if (this_thread.has_tid) {  // inherited through a fork: the child has to register it again
    const TidClaim claim = tid_claim(this_thread.tid);
    if (claim == TidClaim::first) return word - 1;
    if (claim == TidClaim::again) return take_number(p);
    this_thread.has_tid = this_thread.numbered = false;  // a new thread of the child was faster
  }
  if (!this_thread.numbered) {
    this_thread.thread = this_thread.booted_here ? 0 : automatic_lane();
    this_thread.numbered = true;
    this_thread.booted_here = false;
  }
  return word - 1;
}

// Makes the thread's own lane one of this process. NULL: it cannot have one.
Lane* own_lane(const Process& p, uint64_t word) {
  if (this_thread.ended) return nullptr;
  const bool again =
      this_thread.own != nullptr && this_thread.own_word == word;  // its lane in this process was lost: see gate_open
  if (!own_slot(word)) return nullptr;
  const uint64_t number = again ? take_number(p) : number_for_thread(p, word);
  lane_start(*this_thread.own, p, this_thread.thread, number);
  signal_fence();
  this_thread.own->gate = gate_open(word);
  if (this_thread.used == nullptr) current_lane = this_thread.own;
  return this_thread.own;
}

// A caller-owned generator that a fork copied, or that serves for the first time. A caller's reproducible one goes on
// as it is, and so does one that was made in this process and has only not served yet: its gate is zero. Any other gets
// a lane of this process, and so does memory that no generator was made in.
void adopt_generator(Lane& lane, const Process& p, uint64_t word) {
  const bool made = lane.magic == kLaneMagic;
  const bool of_process = made && (lane_is_live(lane) || lane.of_process);
  if (!made || (of_process && !(lane.gate == 0 && lane.process == word - 1))) {
    const bool pinned = made && lane.pinned;
    const uint64_t pinned_ns = lane.pinned_ns;
    const uint64_t thread = made ? lane.thread : automatic_lane();
    lane_start(lane, p, thread, made && lane.process == word - 1 ? take_number(p) : word - 1);
#ifndef LOGUUID_MUTANT_OF_PROCESS
    lane.of_process = true;
#endif
    if (pinned) lane_pin(lane, pinned_ns);
  }
  lane.gate = gate_open(word);
}

// ---- boot ----

// After the fork in the child, where the system runs such handlers. A wiping system has done most of the work, but for
// the slots of the threads that did not come along. The thread that forked may stand in the middle of taking one; then
// all stay as they are.
void child_after_fork() {
  if (!this_thread.in_change) slots_keep_only(this_thread.own);
#ifndef LOGUUID_MUTANT_AHEAD_ATFORK
  if (this_thread.own != nullptr) drop_ready(this_thread.own->ahead);
#endif
#ifndef LOGUUID_MUTANT_FORK_WORD
  Process* p = process();
  if (p != nullptr) forget_parent(*p);
#endif
}

void create_end_key() {
  if (!has_end_key) has_end_key = pthread_key_create(&end_key, thread_ended) == 0;
}

void register_fork_handler() { pthread_atfork(nullptr, nullptr, child_after_fork); }

// At load, not at boot: a boot may happen in a signal handler, and the C library takes locks and allocates for these. A
// key made early is one of the few whose values need no allocation.
__attribute__((constructor)) void register_handlers() {
  create_end_key();
#ifndef LOGUUID_MUTANT_ATFORK_AT_BOOT
  register_fork_handler();
#endif
}

// A library that is linked into an unloaded plug-in must leave no destructor behind; the C library forgets the fork
// handlers of what it unloads.
__attribute__((destructor)) void forget_end_key() {
#ifndef LOGUUID_MUTANT_END_KEY_STAYS
  if (__atomic_exchange_n(&has_end_key, false, __ATOMIC_RELAXED)) pthread_key_delete(end_key);
#endif
}

}  // namespace

constinit thread_local Lane* current_lane = &closed_lane;
constinit thread_local ThreadState this_thread = {};

loguuid_status boot(const loguuid_config* config) {
  const loguuid_status status = boot_process(config);
  if (status != LOGUUID_OK) return status;
  this_thread.booted_here = true;
#ifdef LOGUUID_MUTANT_ATFORK_AT_BOOT
  register_fork_handler();
#endif
  return LOGUUID_OK;
}

size_t thread_state_bytes() { return sizeof(OwnLane) + sizeof(ThreadState) + sizeof(Lane*); }

// ---- draws ----

namespace {

// The lane that serves this thread, made ready for this process. NULL: it is in use by a draw that this one
// interrupted, or cannot be had.
Lane* lane_in_service(const Process& p, uint64_t word) {
  // From the thread's state, since a handler may interrupt loguuid_use() between its two stores.
  Lane* lane = this_thread.used != nullptr  ? lane_of(this_thread.used)
               : this_thread.own != nullptr ? this_thread.own
                                            : &closed_lane;
  current_lane = lane;
  if (lane->gate == gate_busy(word)) return nullptr;
  if (lane->gate == gate_open(word) || lane->gate == gate_service(word) || lane->gate == gate_ahead(word)) return lane;
  if (this_thread.used == nullptr) return own_lane(p, word);
  adopt_generator(*lane, p, word);
  return lane;
}

// Closes the gate of a lane that is this process's, and brings it to where its next draw is.
void claim(Lane& lane, uint64_t word) {
  const bool has_ahead = lane.gate == gate_ahead(word);
  lane.gate = gate_busy(word);
  signal_fence();
#ifndef LOGUUID_MUTANT_GIVE_BACK
  if (has_ahead) lane_give_back(static_cast<OwnLane&>(lane));
#endif
  if (lane.left == 0) lane_service(lane);
}

LOGUUID_COLD Lane* claim_slower(Lane* spare, uint64_t& word) {
  const int saved_errno = errno;
  if (process() == nullptr && boot(nullptr) != LOGUUID_OK && process() == nullptr) abort();
  const Process& p = *process();
  Lane* lane = nullptr;
  if (!this_thread.in_change) {  // else this draw interrupted another one of its thread
    this_thread.in_change = true;
    signal_fence();
    word = process_word(p);  // read here: should a handler fork from now on, its draws leave this thread's lane alone
    lane = lane_in_service(p, word);
    signal_fence();
    this_thread.in_change = false;
  }
  if (lane == nullptr) {
    word = process_word(p);
    lane = spare_lane(spare, p, word);
  }
  claim(*lane, word);
#ifndef LOGUUID_MUTANT_ERRNO
  errno = saved_errno;
#endif
  return lane;
}

}  // namespace

Lane* claim_slow(Lane* spare, uint64_t& word) {
  // The common reasons: every kServiceDraws draws a live lane wants to look at the clock, and single calls came before.
  word = load_fork_word();
  Lane& lane = *current_lane;
  if (LOGUUID_LIKELY(lane.gate == gate_service(word) || lane.gate == gate_ahead(word))) {
    claim(lane, word);
#ifdef LOGUUID_MUTANT_SHARED_WRITE
    take_number(*process());
#endif
    return &lane;
  }
  return claim_slower(spare, word);
}

// ---- the clock ----

uint64_t wall_clock_ns(const Lane& lane) { return lane.pinned ? lane.pinned_ns : clock_for_everyone(); }

// ---- threads ----

namespace {

// A thread that drew before it registered begins anew on the same slot: until then its handlers use other lanes.
void close_own_lane() {
#ifndef LOGUUID_MUTANT_START_OPEN
  this_thread.own->gate = 0;
  signal_fence();
  drop_ready(this_thread.own->ahead);
  signal_fence();
#endif
  wipe(this_thread.own->blocks, sizeof this_thread.own->blocks);
}

}  // namespace

loguuid_status thread_start(uint32_t tid) {
  if (process() == nullptr) {
    const loguuid_status status = boot(nullptr);
    if (status != LOGUUID_OK && status != LOGUUID_ERR_STATE) return status;
  }
  const Process& p = *process();
  const uint64_t word = process_word(p);
  if (this_thread.ended) return LOGUUID_ERR_STATE;
  if (this_thread.has_tid) {
    if (this_thread.tid != tid) return LOGUUID_ERR_STATE;
    if (this_thread.own_word == word) return LOGUUID_OK;
  }

  const TidClaim claim = tid_claim(tid);
  if (claim == TidClaim::taken) return LOGUUID_ERR_TID;
  if (claim == TidClaim::no_memory) return LOGUUID_ERR_NOMEM;
  this_thread.in_change = true;
  signal_fence();
  const bool has_slot = own_slot(word);
  if (has_slot) {
    this_thread.tid = tid;
    this_thread.thread = uint64_t{tid} + 1;
    this_thread.has_tid = this_thread.numbered = true;
    this_thread.booted_here = false;
    close_own_lane();
    lane_start(*this_thread.own, p, this_thread.thread, claim == TidClaim::again ? take_number(p) : word - 1);
    signal_fence();
    this_thread.own->gate = gate_open(word);
    if (this_thread.used == nullptr) current_lane = this_thread.own;
  } else {
    tid_release(tid);
  }
  signal_fence();
  this_thread.in_change = false;
  return has_slot ? LOGUUID_OK : LOGUUID_ERR_NOMEM;
}

void thread_stop() {
  const Process* p = process();
  if (p == nullptr) return;
  this_thread.in_change = true;
  signal_fence();
  Lane* const own = this_thread.own;
  this_thread.own = nullptr;
  if (this_thread.used == nullptr) current_lane = &closed_lane;
  signal_fence();  // nothing points at the slot when another thread may take it
  if (own != nullptr) {
    slot_release(own);
    if (this_thread.has_tid && this_thread.own_word == process_word(*p)) tid_release(this_thread.tid);
    if (load_has_end_key()) pthread_setspecific(end_key, nullptr);
  }
  this_thread.own_word = 0;
  this_thread.numbered = this_thread.has_tid = this_thread.booted_here = false;
  signal_fence();
  this_thread.in_change = false;
}

bool thread_walks(const Seed& seed, uint64_t thread, uint64_t number, Hash hash) {
  bool done = false;
  draw([&](Lane& lane) {
    done = &lane == this_thread.own;
    if (!done) return;
    lane_init(lane, seed, thread, number, hash);
    bring_clock(lane);
  });
  return done;
}

// ---- caller-owned generators ----

loguuid_gen* use(loguuid_gen* gen) {
  loguuid_gen* before = this_thread.used;
  if (gen != nullptr) lane_of(gen)->ahead = {};  // it never makes blocks ahead
  this_thread.used = gen;
  signal_fence();
  current_lane = gen != nullptr ? lane_of(gen) : this_thread.own != nullptr ? this_thread.own : &closed_lane;
  return before;
}

loguuid_status generator_live(Lane& lane) {
  if (process() == nullptr) {
    const loguuid_status status = boot(nullptr);
    if (status != LOGUUID_OK && status != LOGUUID_ERR_STATE) return status;
  }
  const Process& p = *process();
  lane.gate = 0;
  lane.ahead = {};
  lane_start(lane, p, automatic_lane(), process_word(p) - 1);
#ifndef LOGUUID_MUTANT_OF_PROCESS
  lane.of_process = true;
#endif
  return LOGUUID_OK;
}

bool generator_reproducible(Lane& lane, const void* seed_bytes, size_t seed_len, uint64_t thread, uint64_t number,
                            Hash hash) {
  Seed seed;
  const bool ok = seed_from_config(seed, seed_bytes, seed_len);
  if (ok) {
    lane.gate = 0;
    lane.ahead = {};
    lane_init(lane, seed, thread, number, hash);
    bring_clock(lane);
  }
  wipe(&seed, sizeof seed);
  return ok;
}

void bring_clock(Lane& lane) {
  if (lane.hash == Hash::xxh3 && !lane.pinned) lane_attach(lane, kClockOnly, nullptr);
}

}  // namespace loguuid
