// A format that is replaced while threads render it: hazard pointers (Michael, 2004).
//
// A reader writes down, in a record of its thread, which format it is about to use, looks whether that one is still in
// service, and renders. A writer puts the next format in service, then frees each retired one that no record names; the
// rest waits for a later call. No reader ever waits, and what a reader costs is a load and a store on a cache line of
// its own: the barrier between its store and its second load is paid by the writer, who makes all threads pass one
// (platform_barrier.h). Where the system can't do that, the reader's store is an exchange.
//
// At most one format is kept for each render in progress, whether its thread sleeps, was killed or lives in the parent
// of this process. The record of a thread goes back when the thread ends, also if that was in a field function, and a
// child takes back those of the threads that it does not have. Records are never freed, and are as many as there were
// threads at once.
#include <pthread.h>

#include <cstdlib>

#include "base.h"
#include "logformat.h"
#include "platform.h"
#include "platform_barrier.h"

namespace loguuid {
namespace {

// Renders in renders (a field that renders, signal handlers) before a record is borrowed.
constexpr size_t kNesting = 6;

struct alignas(64) Record {
  const void* owner;  // an address that only the owning thread has; NULL: free
  size_t depth;
  loguuid_format* hazards[kNesting];
};

struct Block {  // of records
  Block* next;
  size_t bytes;  // of the block, for the count of its records
  size_t count() const { return (bytes - sizeof(Record)) / sizeof(Record); }
  Record* records() { return reinterpret_cast<Record*>(reinterpret_cast<char*>(this) + sizeof(Record)); }
};
static_assert(sizeof(Block) <= sizeof(Record));

alignas(64) Record first_records[64];
Block* more_records;

enum : int { kUnknown, kCheap, kExchange };
int barrier_mode = kUnknown;

pthread_key_t end_key;
int end_key_state;  // 0: none yet, 1: being made, 2: there, 3: the system had none

struct Thread {
  Record* record;
  bool ended;
};
thread_local Thread self;

// ---- records ----

template <class Work>
bool for_each_record(Work&& work) {
  for (Record& record : first_records)
    if (work(record)) return true;
  for (Block* block = __atomic_load_n(&more_records, __ATOMIC_ACQUIRE); block != nullptr; block = block->next)
    for (size_t i = 0; i < block->count(); ++i)
      if (work(block->records()[i])) return true;
  return false;
}

bool take(Record& record) {
  const void* none = nullptr;
  return __atomic_load_n(&record.owner, __ATOMIC_RELAXED) == nullptr &&
         __atomic_compare_exchange_n(&record.owner, &none, static_cast<const void*>(&self), false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

// A free record, or one of a new block; NULL: no memory.
LOGUUID_COLD Record* take_record() {
  Record* found = nullptr;
  const auto take_any = [&](Record& record) {
    if (take(record)) found = &record;
    return found != nullptr;
  };
  while (!for_each_record(take_any)) {
    const size_t bytes = page_size();
    auto* block = static_cast<Block*>(pages_new(bytes));
    if (block == nullptr) return nullptr;
    block->bytes = bytes;
    block->next = __atomic_load_n(&more_records, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(&more_records, &block->next, block, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
  }
  return found;
}

void give_back(Record& record) {
  record.depth = 0;
  for (loguuid_format*& hazard : record.hazards) __atomic_store_n(&hazard, nullptr, __ATOMIC_RELEASE);
  __atomic_store_n(&record.owner, nullptr, __ATOMIC_RELEASE);
}

// At the end of a thread. Destructors of other keys may still render: each time with a record that they borrow.
void thread_ended(void*) {
  self.ended = true;
  self.record = nullptr;
  signal_fence();
#ifndef LOGUUID_MUTANT_LIVE_END
  for_each_record([](Record& record) {  // its own, and those borrowed by renders that it ended in
    if (__atomic_load_n(&record.owner, __ATOMIC_RELAXED) == &self) give_back(record);
    return false;
  });
#endif
}

void child_after_fork() {
  for_each_record([]([[maybe_unused]] Record& record) {
#ifndef LOGUUID_MUTANT_LIVE_FORK
    const void* owner = __atomic_load_n(&record.owner, __ATOMIC_RELAXED);
    if (owner != nullptr && owner != &self) give_back(record);
#endif
    return false;
  });
}

// This thread's record with a place free in it, or a borrowed one.
LOGUUID_COLD Record* find_record() {
  if (self.record != nullptr || self.ended || __atomic_load_n(&end_key_state, __ATOMIC_ACQUIRE) != 2)
    return take_record();
  Record* record = take_record();
  signal_fence();
  if (record == nullptr || self.record != nullptr) return record;  // a signal handler was faster
  if (pthread_setspecific(end_key, record) == 0) self.record = record;
  return record;
}

// A library that is linked into an unloaded plug-in must leave no destructor behind.
__attribute__((destructor)) void forget_end_key() {
  if (__atomic_load_n(&end_key_state, __ATOMIC_ACQUIRE) == 2) pthread_key_delete(end_key);
}

void prepare_process() {
  int none = 0;
  if (!__atomic_compare_exchange_n(&end_key_state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
  int unknown = kUnknown;
  const int mode = barrier_register() ? kCheap : kExchange;
  __atomic_compare_exchange_n(&barrier_mode, &unknown, mode, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  pthread_atfork(nullptr, nullptr, child_after_fork);
  const bool made = pthread_key_create(&end_key, thread_ended) == 0;
  __atomic_store_n(&end_key_state, made ? 2 : 3, __ATOMIC_RELEASE);
}

}  // namespace
}  // namespace loguuid

struct loguuid_live {
  alignas(64) loguuid_format* current;
  alignas(64) loguuid_format* retired;  // a stack, linked through next_retired
  char* memory;                         // what malloc gave for this object
};

namespace loguuid {
namespace {

// Where writers cannot make readers pass a barrier, or a writer came in between.
LOGUUID_COLD loguuid_format* protect_slow(loguuid_live& live, loguuid_format*& place) {
  loguuid_format* format = __atomic_load_n(&live.current, __ATOMIC_RELAXED);
  for (;;) {
    static_cast<void>(__atomic_exchange_n(&place, format, __ATOMIC_SEQ_CST));
    loguuid_format* again = __atomic_load_n(&live.current, __ATOMIC_SEQ_CST);
    if (again == format) return format;
    format = again;
  }
}

// Writes down the format in service. Afterwards no writer frees it until the place is emptied: either the second load
// came after the writer's exchange and sees the next format, or the writer's look at the records comes after this
// store.
inline loguuid_format* protect(loguuid_live& live, loguuid_format*& place) {
  if (LOGUUID_LIKELY(__atomic_load_n(&barrier_mode, __ATOMIC_RELAXED) == kCheap)) {
    loguuid_format* format = __atomic_load_n(&live.current, __ATOMIC_RELAXED);
    __atomic_store_n(&place, format, __ATOMIC_RELEASE);
    signal_fence();
    if (LOGUUID_LIKELY(__atomic_load_n(&live.current, __ATOMIC_SEQ_CST) == format)) return format;
  }
  return protect_slow(live, place);
}

void push_retired(loguuid_live& live, loguuid_format* first, loguuid_format* last) {
  last->next_retired = __atomic_load_n(&live.retired, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&live.retired, &last->next_retired, first, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
  }
}

bool is_protected(const loguuid_format* format) {
#ifdef LOGUUID_MUTANT_LIVE_HAZARD
  (void)format;
  return false;
#else
  return for_each_record([&](Record& record) {
    if (__atomic_load_n(&record.owner, __ATOMIC_ACQUIRE) == nullptr) return false;
    for (loguuid_format*& hazard : record.hazards)
      if (__atomic_load_n(&hazard, __ATOMIC_SEQ_CST) == format) return true;
    return false;
  });
#endif
}

// Takes all that is retired, so that writers who come at once never look at the same format.
void free_retired(loguuid_live& live) {
  loguuid_format* next = __atomic_exchange_n(&live.retired, nullptr, __ATOMIC_ACQ_REL);
  // Should the system refuse from one day on, readers go over to exchanging. One that is between its store and its load
  // right now has done both long before the next call, so only this call frees nothing.
  bool certain = true;
  if (__atomic_load_n(&barrier_mode, __ATOMIC_RELAXED) != kExchange && !barrier_everywhere() &&
      !(barrier_register() && barrier_everywhere())) {
    __atomic_store_n(&barrier_mode, kExchange, __ATOMIC_SEQ_CST);
    certain = false;
  }
  while (next != nullptr) {
    loguuid_format* format = next;
    next = format->next_retired;
    if (certain && !is_protected(format))
      loguuid_format_free(format);
    else
      push_retired(live, format, format);
  }
}

LOGUUID_COLD size_t render_borrowing(loguuid_live& live, char* out, size_t cap, void* context);

__attribute__((always_inline)) inline size_t render_in(Record& record, loguuid_live& live, char* out, size_t cap,
                                                       void* context) {
  const size_t depth = record.depth;
  record.depth = depth + 1;  // first, so that a signal handler from here on has a place of its own
  signal_fence();
  loguuid_format*& place = record.hazards[depth];
  const size_t len = loguuid_format_render(protect(live, place), out, cap, context);
  __atomic_store_n(&place, nullptr, __ATOMIC_RELEASE);
  signal_fence();
  record.depth = depth;
  return len;
}

size_t render_borrowing(loguuid_live& live, char* out, size_t cap, void* context) {
  Record* record = find_record();
  if (record == nullptr) {
    if (out != nullptr && cap != 0) *out = '\0';
    return 0;
  }
  const size_t len = render_in(*record, live, out, cap, context);
  if (record != self.record) give_back(*record);
  return len;
}

}  // namespace
}  // namespace loguuid

using namespace loguuid;

loguuid_status loguuid_live_new(loguuid_live** out, loguuid_format* initial) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || initial == nullptr) return LOGUUID_ERR_ARG;
  prepare_process();
  char* memory = static_cast<char*>(malloc(sizeof(loguuid_live) + alignof(loguuid_live)));
  if (memory == nullptr) return LOGUUID_ERR_NOMEM;
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  auto* live = reinterpret_cast<loguuid_live*>(memory + (alignof(loguuid_live) - address % alignof(loguuid_live)));
  *live = {initial, nullptr, memory};
  *out = live;
  return LOGUUID_OK;
}

loguuid_status loguuid_live_replace(loguuid_live* live, loguuid_format* next) {
  if (live == nullptr || next == nullptr) return LOGUUID_ERR_ARG;
  loguuid_format* old = __atomic_exchange_n(&live->current, next, __ATOMIC_SEQ_CST);
  push_retired(*live, old, old);
  free_retired(*live);
  return LOGUUID_OK;
}

size_t loguuid_live_render(loguuid_live* live, char* out, size_t cap, void* context) {
  if (live == nullptr) return loguuid_format_render(nullptr, out, cap, context);
  Record* record = self.record;
  if (LOGUUID_LIKELY(record != nullptr && record->depth < kNesting))
    return render_in(*record, *live, out, cap, context);
  return render_borrowing(*live, out, cap, context);
}

void loguuid_live_free(loguuid_live* live) {
  if (live == nullptr) return;
  for (loguuid_format* next = live->retired; next != nullptr;) {
    loguuid_format* format = next;
    next = format->next_retired;
    loguuid_format_free(format);
  }
  loguuid_format_free(live->current);
  free(live->memory);
}
