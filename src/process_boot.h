// What boot decides for the whole process, and the word by which a process knows itself from its parent. It knows no
// thread and no lane; process.cc stands on it.
#pragma once

#include "lane.h"
#include "loguuid.h"

namespace loguuid {

// On a page of its own that is read-only after boot and kept out of core dumps. A child needs the seed
// as well, so fork does not wipe it.
struct Process {
  Seed seed;
  Hash hash;
  bool live;
  bool wiped_on_fork;
  uint64_t (*host_clock)();
  volatile uint64_t* word;  // on a page that a fork wipes: the process number + 1
  volatile uint64_t* pid;   // where fork does not wipe: the process that `word` belongs to
  uint64_t* next_number;    // on a page that the process tree shares
  const volatile uint64_t* snapshot;
};

// NULL before boot.
Process* process();

// Builds the whole state and publishes it. LOGUUID_ERR_STATE: booted already, or another thread was faster.
loguuid_status boot_process(const loguuid_config* config);

// Process numbers come from a counter that the whole process tree shares.
uint64_t take_number(const Process& p);
// This process's number + 1; a fresh child takes its number here.
uint64_t process_word(const Process& p);
bool forked_since(uint64_t word);
// What the child's handler of a fork does, where the system runs such handlers.
void forget_parent(Process& p);

// A seed of 8 or 48 bytes, as in loguuid_config. False for another length or an all-zero state.
bool seed_from_config(Seed& seed, const void* bytes, size_t len);

}  // namespace loguuid
