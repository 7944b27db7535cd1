#include "process.h"

#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "platform.h"
#include "slots.h"

namespace loguuid {
namespace {

constexpr uint64_t kFirstAutomaticLane = uint64_t{1} << 33;  // behind every TID + 1

// What boot decides, on a page of its own that is read-only afterwards and kept out of core dumps. A child needs the seed
// as well, so fork does not wipe it.
struct Process {
  Seed seed;
  Hash hash;
  bool live;
  bool wiped_on_fork;
  bool has_end_key;
  pthread_key_t end_key;  // its destructor ends a thread's lane
  uint64_t (*host_clock)();
  volatile uint64_t* word;  // on a page that a fork wipes: the process number + 1
  volatile uint64_t* pid;   // where fork does not wipe: the process that `word` belongs to
  uint64_t* next_number;    // on a page that the process tree shares
  const volatile uint64_t* snapshot;
};

Process* booted;  // NULL before boot; set once
const uint64_t no_word = 0;
uint64_t next_automatic_lane = kFirstAutomaticLane;
unsigned entropy_wait_ms = 10000;
const char* snapshot_file;  // NULL: the system's

Lane closed_lane;  // all zero: a gate that no word opens

// The rest of what a thread knows of itself. `in_change` marks the thread's own lane as being given or taken, for signal
// handlers that draw meanwhile.
struct ThreadState {
  Lane* own;          // its slot
  uint64_t own_word;  // the process that the slot was taken in
  uint64_t thread;    // its lane's index, once `numbered`
  loguuid_gen* used;  // loguuid_use()
  uint32_t tid;
  bool numbered, has_tid, booted_here, in_change, ended;
};
constinit thread_local ThreadState self = {};

Process* process() { return __atomic_load_n(&booted, __ATOMIC_ACQUIRE); }

uint64_t take_number(const Process& p) { return __atomic_fetch_add(p.next_number, 1, __ATOMIC_RELAXED); }

// This process's word; a fresh child takes its number here.
uint64_t process_word(const Process& p) {
  if (!p.wiped_on_fork && *p.pid != process_id()) {
    slots_wipe();
    *p.pid = process_id();
    *p.word = 0;
  }
  uint64_t word = __atomic_load_n(p.word, __ATOMIC_ACQUIRE);
  if (LOGUUID_LIKELY(word != 0)) return word;
  const uint64_t mine = take_number(p) + 1;
  const bool first = __atomic_compare_exchange_n(p.word, &word, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return first ? mine : word;
}

// ---- what live lanes see of the world ----

bool fresh_entropy(uint8_t out[16]) { return entropy_fill(out, 16, 0); }

uint64_t clock_for_everyone() {
  const Process* p = process();
  return p != nullptr && p->host_clock != nullptr ? p->host_clock() : system_clock_ns();
}

// A marker that moved stays unseen until entropy could be had, so that the next look tries again.
void look_for_snapshot(Lane& lane) {
  const Process& p = *process();
  if (p.snapshot == nullptr || *p.snapshot == lane.snapshot) return;
  uint8_t fresh[16];
  if (lane.hash == Hash::aes && fresh_entropy(fresh)) {
    lane.snapshot = *p.snapshot;
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
  uint8_t fresh[16];
  const bool has_fresh = fresh_entropy(fresh);
  lane_attach(lane, p.hash == Hash::aes ? kLive : kLiveXxh3, has_fresh ? fresh : nullptr);
  wipe(fresh, sizeof fresh);
}

uint64_t automatic_lane() { return __atomic_fetch_add(&next_automatic_lane, 1, __ATOMIC_RELAXED); }

// A lane for one draw, where the thread's own is in use by the draw that this one interrupted, or is gone.
Lane* spare_lane(Lane* spare, const Process& p, uint64_t word) {
  lane_start(*spare, p, automatic_lane(), word - 1);
  return spare;
}

void thread_ended(void*) {
  thread_stop();
  self.ended = true;  // the destructors of other keys may still draw: from spare lanes
}

// A slot for this thread in this process: after a fork the one it had, if no new thread took it.
bool own_slot(const Process& p, uint64_t word) {
  if (self.own != nullptr && self.own_word == word) return true;
  if (self.own == nullptr || !slot_retake(self.own)) self.own = slot_take();
  if (self.own == nullptr) return false;
  self.own_word = word;
  if (p.has_end_key) pthread_setspecific(p.end_key, self.own);
  return true;
}

// The number with which this thread walks the lane it is entitled to; gives it an automatic one if it has none.
uint64_t number_for_thread(const Process& p, uint64_t word) {
  if (self.has_tid) {  // inherited through a fork: the child has to register it again
    const TidClaim claim = tid_claim(self.tid);
    if (claim == TidClaim::first) return word - 1;
    if (claim == TidClaim::again) return take_number(p);
    self.has_tid = self.numbered = false;  // a new thread of the child was faster
  }
  if (!self.numbered) {
    self.thread = self.booted_here ? 0 : automatic_lane();
    self.numbered = true;
    self.booted_here = false;
  }
  return word - 1;
}

// Makes the thread's own lane one of this process. NULL: it cannot have one.
Lane* own_lane(const Process& p, uint64_t word) {
  if (self.ended) return nullptr;
  const bool again = self.own != nullptr && self.own_word == word;  // its lane in this process was lost: see gate_open
  if (!own_slot(p, word)) return nullptr;
  const uint64_t number = again ? take_number(p) : number_for_thread(p, word);
  lane_start(*self.own, p, self.thread, number);
  self.own->gate = gate_open(word);
  if (self.used == nullptr) current_lane = self.own;
  return self.own;
}

// A caller-owned generator that a fork copied, or that serves for the first time. A reproducible one goes on as it is; a
// live one gets a lane of this process, and so does memory that no generator was made in.
void adopt_generator(Lane& lane, const Process& p, uint64_t word) {
  const bool made = lane.magic == kLaneMagic;
  if (!made || lane_is_live(lane)) {
    const uint64_t thread = made ? lane.thread : automatic_lane();
    lane_start(lane, p, thread, made && lane.process == word - 1 ? take_number(p) : word - 1);
  }
  lane.gate = gate_open(word);
}

// ---- boot ----

// After the fork in the child, where the system runs such handlers: with a wiping system it finds the work done.
void child_after_fork() {
#ifndef LOGUUID_MUTANT_FORK_WORD
  Process* p = process();
  if (p == nullptr) return;
  if (!p->wiped_on_fork) {
    slots_wipe();
    *p->pid = process_id();
  }
  __atomic_store_n(p->word, 0, __ATOMIC_RELEASE);
#endif
}

bool seed_from_config(Seed& seed, const void* bytes, size_t len) {
  if (len == 8) {
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    seed = seed_from_integer(x);
    return true;
  }
  return len == kSeedBytes && seed_from_bytes(seed, static_cast<const uint8_t*>(bytes));
}

// Fresh seeds from the system until one has a state that is not zero; the first one is, but for one time in 2^256.
bool seed_from_system(Seed& seed) {
  uint8_t bytes[kSeedBytes];
  bool ok;
  do ok = entropy_fill(bytes, sizeof bytes, __atomic_load_n(&entropy_wait_ms, __ATOMIC_RELAXED));
  while (ok && !seed_from_bytes(seed, bytes));
  wipe(bytes, sizeof bytes);
  return ok;
}

loguuid_status fill_process(Process& p, const loguuid_config* config) {
  if (config != nullptr) {
    p.hash = static_cast<Hash>(config->hash);
    p.host_clock = config->now_ns;
  }
  p.live = config == nullptr || config->seed == nullptr;
  if (p.live && !seed_from_system(p.seed)) return LOGUUID_ERR_ENTROPY;
  if (!p.live && !seed_from_config(p.seed, config->seed, config->seed_len)) return LOGUUID_ERR_ARG;

  auto* wiped = static_cast<uint64_t*>(pages_new_wiped_on_fork(page_size()));
  auto* shared = static_cast<uint64_t*>(pages_new_shared(page_size()));
  p.word = wiped;
  p.pid = wiped == nullptr ? nullptr : wiped + 1;
  p.next_number = shared;
  if (wiped == nullptr || shared == nullptr) return LOGUUID_ERR_NOMEM;
  *p.word = 1;  // process number 0
  *p.pid = process_id();
  *p.next_number = 1;
  p.wiped_on_fork = wipe_on_fork_works();
  p.has_end_key = pthread_key_create(&p.end_key, thread_ended) == 0;
  const char* file = __atomic_load_n(&snapshot_file, __ATOMIC_RELAXED);
  p.snapshot = snapshot_map(file != nullptr ? file : snapshot_default_file());
  return LOGUUID_OK;
}

void discard_process(Process* p) {
  if (p->has_end_key) pthread_key_delete(p->end_key);
  if (p->word != nullptr) pages_free(const_cast<uint64_t*>(p->word), page_size());
  if (p->next_number != nullptr) pages_free(p->next_number, page_size());
  snapshot_unmap(p->snapshot);
  wipe(p, sizeof *p);
  pages_free(p, page_size());
}

bool config_is_known(const loguuid_config* config) {
  return config == nullptr || (config->size == sizeof *config &&
                               (config->hash == LOGUUID_HASH_AES || config->hash == LOGUUID_HASH_XXH3));
}

// A library that is linked into an unloaded plug-in must leave no destructor behind.
__attribute__((destructor)) void forget_end_key() {
  const Process* p = process();
  if (p != nullptr && p->has_end_key) pthread_key_delete(p->end_key);
}

}  // namespace

const volatile uint64_t* fork_word = &no_word;
constinit thread_local Lane* current_lane = &closed_lane;

// Whoever boots builds the whole state and then publishes it with one exchange: threads that boot at once wait for nobody,
// and a fork or a signal in the middle leaves nothing locked.
loguuid_status boot(const loguuid_config* config) {
  if (!config_is_known(config)) return LOGUUID_ERR_ARG;
  if (process() != nullptr) return LOGUUID_ERR_STATE;
  auto* p = static_cast<Process*>(pages_new(page_size()));
  if (p == nullptr) return LOGUUID_ERR_NOMEM;
  loguuid_status status = fill_process(*p, config);
  Process* none = nullptr;
  if (status == LOGUUID_OK && !(pages_protect(p, page_size()),
                                __atomic_compare_exchange_n(&booted, &none, p, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)))
    status = LOGUUID_ERR_STATE;
  if (status != LOGUUID_OK) {
    pages_unprotect(p, page_size());
    discard_process(p);
    return status;
  }
  // Where fork wipes nothing, the lanes' gates never match the word that draw() looks at: each draw takes the slow path,
  // which asks for the process id.
  if (p->wiped_on_fork) __atomic_store_n(&fork_word, p->word, __ATOMIC_RELEASE);
  self.booted_here = true;
  pthread_atfork(nullptr, nullptr, child_after_fork);
  return LOGUUID_OK;
}

// ---- draws ----

bool forked_since(uint64_t word) { return __atomic_load_n(process()->word, __ATOMIC_RELAXED) != word; }

namespace {

LOGUUID_COLD Lane* claim_slower(Lane* spare, uint64_t& word) {
  const int saved_errno = errno;
  if (process() == nullptr && boot(nullptr) != LOGUUID_OK && process() == nullptr) abort();
  const Process& p = *process();
  word = process_word(p);

  Lane* lane = current_lane;
  const uint64_t gate = lane->gate;
  if (self.in_change || gate == gate_busy(word)) {
    lane = nullptr;  // this draw interrupted another one of its thread
  } else if (gate != gate_open(word) && gate != gate_service(word)) {
    self.in_change = true;
    signal_fence();
    if (self.used != nullptr)
      adopt_generator(*lane, p, word);
    else
      lane = own_lane(p, word);
    signal_fence();
    self.in_change = false;
  }
  if (lane == nullptr) lane = spare_lane(spare, p, word);
  lane->gate = gate_busy(word);
  signal_fence();
  if (lane->left == 0) lane_service(*lane);
  errno = saved_errno;
  return lane;
}

}  // namespace

Lane* claim_slow(Lane* spare, uint64_t& word) {
  // The common reason: every kServiceDraws draws a live lane wants to look at the clock.
  word = load_fork_word();
  if (LOGUUID_LIKELY(current_lane->gate == gate_service(word))) {
    current_lane->gate = gate_busy(word);
    signal_fence();
    lane_service(*current_lane);
    return current_lane;
  }
  return claim_slower(spare, word);
}

uint64_t wall_clock_ns(const Lane& lane) { return lane.pinned ? lane.pinned_ns : clock_for_everyone(); }

// ---- threads ----

loguuid_status thread_start(uint32_t tid) {
  if (process() == nullptr) {
    const loguuid_status status = boot(nullptr);
    if (status != LOGUUID_OK && status != LOGUUID_ERR_STATE) return status;
  }
  const Process& p = *process();
  const uint64_t word = process_word(p);
  if (self.ended) return LOGUUID_ERR_STATE;
  if (self.has_tid) {
    if (self.tid != tid) return LOGUUID_ERR_STATE;
    if (self.own_word == word) return LOGUUID_OK;
  }

  const TidClaim claim = tid_claim(tid);
  if (claim == TidClaim::taken) return LOGUUID_ERR_TID;
  if (claim == TidClaim::no_memory) return LOGUUID_ERR_NOMEM;
  self.in_change = true;
  signal_fence();
  const bool has_slot = own_slot(p, word);
  if (has_slot) {
    self.tid = tid;
    self.thread = uint64_t{tid} + 1;
    self.has_tid = self.numbered = true;
    self.booted_here = false;
    lane_start(*self.own, p, self.thread, claim == TidClaim::again ? take_number(p) : word - 1);
    self.own->gate = gate_open(word);
    if (self.used == nullptr) current_lane = self.own;
  } else {
    tid_release(tid);
  }
  signal_fence();
  self.in_change = false;
  return has_slot ? LOGUUID_OK : LOGUUID_ERR_NOMEM;
}

void thread_stop() {
  const Process* p = process();
  if (p == nullptr) return;
  self.in_change = true;
  signal_fence();
  if (self.own != nullptr && self.own_word == process_word(*p)) {
    slot_release(self.own);
    if (self.has_tid) tid_release(self.tid);
    if (p->has_end_key) pthread_setspecific(p->end_key, nullptr);
  }
  ThreadState next = {};
  next.used = self.used;
  next.ended = self.ended;
  if (self.used == nullptr) current_lane = &closed_lane;
  signal_fence();
  self = next;
}

bool thread_walks(const Seed& seed, uint64_t thread, uint64_t number, Hash hash) {
  bool done = false;
  draw([&](Lane& lane) {
    done = &lane == self.own;
    if (!done) return;
    lane_init(lane, seed, thread, number, hash);
    bring_clock(lane);
  });
  return done;
}

// ---- caller-owned generators ----

loguuid_gen* use(loguuid_gen* gen) {
  loguuid_gen* before = self.used;
  self.used = gen;
  current_lane = gen != nullptr ? lane_of(gen) : self.own != nullptr ? self.own : &closed_lane;
  return before;
}

loguuid_status generator_live(Lane& lane) {
  if (process() == nullptr) {
    const loguuid_status status = boot(nullptr);
    if (status != LOGUUID_OK && status != LOGUUID_ERR_STATE) return status;
  }
  const Process& p = *process();
  lane.gate = 0;
  lane_start(lane, p, automatic_lane(), process_word(p) - 1);
  return LOGUUID_OK;
}

bool generator_reproducible(Lane& lane, const void* seed_bytes, size_t seed_len, uint64_t thread, uint64_t number,
                            Hash hash) {
  Seed seed;
  const bool ok = seed_from_config(seed, seed_bytes, seed_len);
  if (ok) {
    lane.gate = 0;
    lane_init(lane, seed, thread, number, hash);
    bring_clock(lane);
  }
  wipe(&seed, sizeof seed);
  return ok;
}

void bring_clock(Lane& lane) {
  if (lane.hash == Hash::xxh3 && !lane.pinned) lane_attach(lane, kClockOnly, nullptr);
}

// ---- settings, and what there is to say ----

void set_entropy_wait(unsigned ms) { __atomic_store_n(&entropy_wait_ms, ms, __ATOMIC_RELAXED); }
void set_snapshot_file(const char* path) { __atomic_store_n(&snapshot_file, path, __ATOMIC_RELAXED); }

ProcessFacts process_facts() {
  const Process* p = process();
  ProcessFacts facts = {};
  facts.booted = p != nullptr;
  facts.wiped_on_fork = p != nullptr ? p->wiped_on_fork : wipe_on_fork_works();
  facts.thread_bytes = sizeof(Lane) + sizeof(ThreadState) + sizeof(Lane*);
  if (p == nullptr) return facts;
  facts.live = p->live;
  facts.hash = p->hash;
  facts.host_clock = p->host_clock != nullptr;
  const char* file = __atomic_load_n(&snapshot_file, __ATOMIC_RELAXED);
  if (p->snapshot != nullptr) facts.snapshot_file = file != nullptr ? file : snapshot_default_file();
  return facts;
}

}  // namespace loguuid
