// What this CPU can do, and the finest counter that it reads in one instruction.
#include "base.h"
#include "platform.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace loguuid {

// ---- features ----

#if defined(__x86_64__) || defined(__i386__)

namespace {

// The register sets that the operating system saves when it switches tasks (XCR0). Instructions whose registers it does
// not know fault, whatever CPUID says of them.
uint32_t saved_register_sets() {
  uint32_t low, high;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));  // xgetbv
  return low;
}

constexpr uint32_t kYmmSaved = 0x06;  // XMM and the upper halves of YMM
constexpr uint32_t kZmmSaved = 0xe6;  // the same, opmasks, the upper halves of ZMM, ZMM 16 to 31

}  // namespace

uint32_t cpu_features() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  const uint32_t leaf1_c = c;
  uint32_t features = 0;
  if (leaf1_c & (1u << 9)) features |= kCpuSsse3;
  if (leaf1_c & (1u << 25)) features |= kCpuAes;

  const bool has_xgetbv = (leaf1_c & (1u << 27)) != 0;  // OSXSAVE
  const uint32_t saved = has_xgetbv ? saved_register_sets() : 0;
  const bool avx = (leaf1_c & (1u << 28)) != 0 && (saved & kYmmSaved) == kYmmSaved;
  if (!avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return features;  // which compares with the maximum leaf
  if (b & (1u << 5)) features |= kCpuAvx2;

  constexpr uint32_t kAvx512Bits = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // F, DQ, BW, VL
  if ((b & kAvx512Bits) != kAvx512Bits || (saved & kZmmSaved) != kZmmSaved) return features;
  features |= kCpuAvx512;
  if (c & (1u << 1)) features |= kCpuVbmi;
  if (c & (1u << 9)) features |= kCpuVaes;
  return features;
}

#elif defined(__aarch64__) && defined(__linux__)

uint32_t cpu_features() {
  const unsigned long capabilities = getauxval(AT_HWCAP);
  uint32_t features = 0;
  if (capabilities & (1u << 1)) features |= kCpuNeon;  // HWCAP_ASIMD
  if (capabilities & (1u << 3)) features |= kCpuAes;   // HWCAP_AES
  return features;
}

#else

uint32_t cpu_features() { return 0; }

#endif

// ---- the fine counter ----

#if defined(__x86_64__)

uint64_t fine_clock() { return __builtin_ia32_rdtsc(); }
const char* fine_clock_name() { return "time-stamp counter"; }

#elif defined(__i386__)

namespace {

uint32_t tsc_state;  // 0: not asked yet, 1: there is none, 2: there is one

// CPUID takes a trip to the hypervisor on a virtual machine, so it is asked once.
bool has_tsc() {
  uint32_t state = __atomic_load_n(&tsc_state, __ATOMIC_RELAXED);
  if (LOGUUID_UNLIKELY(state == 0)) {
    unsigned a, b, c, d;
    state = __get_cpuid(1, &a, &b, &c, &d) && (d & (1u << 4)) ? 2 : 1;
    __atomic_store_n(&tsc_state, state, __ATOMIC_RELAXED);
  }
  return state == 2;
}

}  // namespace

uint64_t fine_clock() { return has_tsc() ? __builtin_ia32_rdtsc() : system_clock_ns(); }
const char* fine_clock_name() { return has_tsc() ? "time-stamp counter" : "system clock"; }

#elif defined(__aarch64__)

uint64_t fine_clock() {
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
}
const char* fine_clock_name() { return "time-stamp counter"; }

#elif defined(__powerpc64__)

uint64_t fine_clock() { return __builtin_ppc_get_timebase(); }
const char* fine_clock_name() { return "time-stamp counter"; }

#elif defined(__s390x__)

uint64_t fine_clock() {
  uint64_t count;
  __asm__ volatile("stckf %0" : "=Q"(count) : : "cc");
  return count;
}
const char* fine_clock_name() { return "time-stamp counter"; }

#elif defined(__riscv) && __riscv_xlen == 64

// The cycle counter may be closed to programs; the timer is open wherever Linux runs.
uint64_t fine_clock() {
  uint64_t count;
  __asm__ volatile("rdtime %0" : "=r"(count));
  return count;
}
const char* fine_clock_name() { return "time-stamp counter"; }

#else

uint64_t fine_clock() { return system_clock_ns(); }
const char* fine_clock_name() { return "system clock"; }

#endif

}  // namespace loguuid
