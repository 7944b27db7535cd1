#include "process_boot.h"

#include "base.h"
#include "platform.h"
#include "process.h"
#include "slots.h"

namespace loguuid {
namespace {

// The word of a process that is about to take its number; no gate ever matches it.
constexpr uint64_t kTakingNumber = uint64_t{3} << 62;

Process* booted;  // NULL before boot; set once
const uint64_t no_word = 0;
unsigned entropy_wait_ms = 10000;
const char* snapshot_file;  // NULL: the system's

bool replace_word(const Process& p, uint64_t& expected, uint64_t next) {
  return __atomic_compare_exchange_n(p.word, &expected, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// A fresh child's word. It is marked before the number is taken: should a signal handler fork between taking the number
// and storing it, the grandchild finds the mark wiped and takes another one. Threads that come at once help each other.
uint64_t new_word(const Process& p, uint64_t word) {
#ifdef LOGUUID_MUTANT_TAKE_ONCE
  const uint64_t only = take_number(p) + 1;
  return replace_word(p, word, only) ? only : word;
#else
  while (word == 0 || word == kTakingNumber) {
    if (word == 0 && !replace_word(p, word, kTakingNumber)) continue;
    const uint64_t mine = take_number(p) + 1;
    word = kTakingNumber;
    if (replace_word(p, word, mine)) return mine;
  }
  return word;
#endif
}

bool is_another_process(const Process& p) { return !p.wiped_on_fork && *p.pid != process_id(); }

// Fresh seeds from the system until one has a state that is not zero; the first one is, but for one time in 2^256.
bool seed_from_system(Seed& seed) {
  uint8_t bytes[kSeedBytes];
  bool ok;
  do ok = entropy_fill(bytes, sizeof bytes, __atomic_load_n(&entropy_wait_ms, __ATOMIC_RELAXED));
  while (ok && !seed_from_bytes(seed, bytes));
  wipe(bytes, sizeof bytes);
#ifdef LOGUUID_MUTANT_ENTROPY_IGNORED
  return true;
#else
  return ok;
#endif
}

loguuid_status fill_process(Process& p, const loguuid_config* config) {
  if (config != nullptr) {
    p.hash = static_cast<Hash>(config->hash);
    p.host_clock = config->now_ns;
  }
  p.live = config == nullptr || config->seed == nullptr;
  if (!p.live && !seed_from_config(p.seed, config->seed, config->seed_len)) return LOGUUID_ERR_ARG;

  // The counter comes before the live seed: two processes that a fork in the middle makes share the counter, or have
  // seeds that differ.
  auto* wiped = static_cast<uint64_t*>(pages_new_wiped_on_fork(page_size()));
  auto* shared = static_cast<uint64_t*>(pages_new_shared(page_size()));
  p.word = wiped;
  p.pid = wiped == nullptr ? nullptr : wiped + 1;
  p.next_number = shared;
  if (wiped == nullptr || shared == nullptr) return LOGUUID_ERR_NOMEM;
  *p.pid = process_id();
  p.wiped_on_fork = wipe_on_fork_works();
  if (p.live && !seed_from_system(p.seed)) return LOGUUID_ERR_ENTROPY;
  process_word(p);  // number 0
  const char* file = __atomic_load_n(&snapshot_file, __ATOMIC_RELAXED);
  p.snapshot = snapshot_map(file != nullptr ? file : snapshot_default_file());
  return LOGUUID_OK;
}

void discard_process(Process* p) {
  if (p->word != nullptr) pages_free(const_cast<uint64_t*>(p->word), page_size());
  if (p->next_number != nullptr) pages_free(p->next_number, page_size());
  snapshot_unmap(p->snapshot);
  wipe(p, sizeof *p);
  pages_free(p, page_size());
}

// False: another thread was first.
bool publish(Process* p) {
#ifdef LOGUUID_MUTANT_BOOT_RACE
  __atomic_store_n(&booted, p, __ATOMIC_RELEASE);
  return true;
#else
  Process* none = nullptr;
  return __atomic_compare_exchange_n(&booted, &none, p, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

bool config_is_known(const loguuid_config* config) {
  return config == nullptr ||
         (config->size == sizeof *config && (config->hash == LOGUUID_HASH_AES || config->hash == LOGUUID_HASH_XXH3));
}

}  // namespace

const volatile uint64_t* fork_word = &no_word;

Process* process() { return __atomic_load_n(&booted, __ATOMIC_ACQUIRE); }

uint64_t take_number(const Process& p) { return __atomic_fetch_add(p.next_number, 1, __ATOMIC_RELAXED); }

uint64_t process_word(const Process& p) {
  uint64_t word;
  do {
    if (is_another_process(p)) {
      *p.pid = process_id();
      __atomic_store_n(p.word, 0, __ATOMIC_RELEASE);
    }
    word = __atomic_load_n(p.word, __ATOMIC_ACQUIRE);
    if (LOGUUID_UNLIKELY(word == 0 || word == kTakingNumber)) word = new_word(p, word);
  } while (is_another_process(p));
  return word;
}

bool forked_since(uint64_t word) {
  const Process& p = *process();
  return __atomic_load_n(p.word, __ATOMIC_RELAXED) != word || is_another_process(p);
}

void forget_parent(Process& p) {
  if (!p.wiped_on_fork) {
    slots_wipe();
    *p.pid = process_id();
  }
  __atomic_store_n(p.word, 0, __ATOMIC_RELEASE);
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

// Whoever boots builds the whole state and then publishes it with one exchange: threads that boot at once wait for
// nobody, and a fork or a signal in the middle leaves nothing locked.
loguuid_status boot_process(const loguuid_config* config) {
  if (!config_is_known(config)) return LOGUUID_ERR_ARG;
  if (process() != nullptr) return LOGUUID_ERR_STATE;
  auto* p = static_cast<Process*>(pages_new(page_size()));
  if (p == nullptr) return LOGUUID_ERR_NOMEM;
  loguuid_status status = fill_process(*p, config);
  pages_protect(p, page_size());
  if (status == LOGUUID_OK && !publish(p)) status = LOGUUID_ERR_STATE;
  if (status != LOGUUID_OK) {
    pages_unprotect(p, page_size());
    discard_process(p);
    return status;
  }
  // Where fork wipes nothing, the lanes' gates never match the word that draw() looks at: each draw takes the slow
  // path, which asks for the process id.
  if (p->wiped_on_fork) __atomic_store_n(&fork_word, p->word, __ATOMIC_RELEASE);
  return LOGUUID_OK;
}

// ---- settings, and what there is to say ----

void set_entropy_wait(unsigned ms) { __atomic_store_n(&entropy_wait_ms, ms, __ATOMIC_RELAXED); }
void set_snapshot_file(const char* path) { __atomic_store_n(&snapshot_file, path, __ATOMIC_RELAXED); }

ProcessFacts process_facts() {
  const Process* p = process();
  ProcessFacts facts = {};
  facts.booted = p != nullptr;
  facts.wiped_on_fork = p != nullptr ? p->wiped_on_fork : wipe_on_fork_works();
  if (p == nullptr) return facts;
  facts.live = p->live;
  facts.hash = p->hash;
  facts.host_clock = p->host_clock != nullptr;
  const char* file = __atomic_load_n(&snapshot_file, __ATOMIC_RELAXED);
  if (p->snapshot != nullptr) facts.snapshot_file = file != nullptr ? file : snapshot_default_file();
  return facts;
}

}  // namespace loguuid
