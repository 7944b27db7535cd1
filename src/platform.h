// The contract with the machine: entropy, memory that a fork wipes, a counter that the process tree shares, clocks, CPU
// features. All that differs between systems is behind these functions; nothing above says #ifdef __linux__.
// All are safe in signal handlers and lock-free. None keeps a descriptor open.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loguuid {

// ---- entropy ----

// Fills `out` from the operating system's generator; false if it gives none. Waits at most `wait_ms` for a pool that is
// not ready at early boot.
bool entropy_fill(void* out, size_t len, unsigned wait_ms);

// ---- memory ----

// Anonymous private pages, zero, kept out of core dumps. NULL when the system has none.
void* pages_new(size_t bytes);
// The same, and a child made by fork or clone finds them zero (MADV_WIPEONFORK) where the system can do that.
void* pages_new_wiped_on_fork(size_t bytes);
// Shared with every child, zero at first.
void* pages_new_shared(size_t bytes);
void pages_free(void* pages, size_t bytes);
void pages_protect(void* pages, size_t bytes);  // read-only from now on
void pages_unprotect(void* pages, size_t bytes);
size_t page_size();
// Does the system honour MADV_WIPEONFORK? Asked once, with a probe: emulators accept any advice and do nothing.
bool wipe_on_fork_works();

uint64_t process_id();  // a system call

// ---- clocks ----

uint64_t system_clock_ns();  // since the Unix epoch; 0 for times before it
// The finest counter that one instruction reads (or the system clock), for mixing only: no unit, no epoch.
uint64_t fine_clock();
const char* fine_clock_name();

// ---- snapshots ----

// Maps the machine's generation counter, which changes when a snapshot is resumed or cloned. NULL: no such file, or it
// is not one. Stays readable for the life of the process, and in its children.
const volatile uint64_t* snapshot_map(const char* file);
void snapshot_unmap(const volatile uint64_t* marker);
const char* snapshot_default_file();

// ---- CPU ----

enum CpuFeature : uint32_t {
  kCpuSsse3 = 1u << 0,
  kCpuAes = 1u << 1,     // x86 AES-NI, or the ARMv8 cryptography extension
  kCpuAvx2 = 1u << 2,    // with the operating system saving the registers, as for the next
  kCpuAvx512 = 1u << 3,  // F, BW, VL, DQ
  kCpuVbmi = 1u << 4,    // AVX512_VBMI
  kCpuVaes = 1u << 5,
  kCpuNeon = 1u << 6,
};
uint32_t cpu_features();

}  // namespace loguuid
