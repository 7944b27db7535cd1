// Words and bytes: the few operations that everything above needs and no standard header offers. Memory is read and
// written through memcpy, which compilers turn into one plain load or store, aligned or not, on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define LOGUUID_LIKELY(x) __builtin_expect(!!(x), 1)
#define LOGUUID_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LOGUUID_NOINLINE __attribute__((noinline))
#define LOGUUID_COLD __attribute__((noinline, cold))

namespace loguuid {

inline uint64_t swap_if_big(uint64_t x) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(x);
  return x;
}

inline uint64_t load_le64(const void* p) {
  uint64_t x;
  memcpy(&x, p, sizeof x);
  return swap_if_big(x);
}

inline void store_le64(void* p, uint64_t x) {
  x = swap_if_big(x);
  memcpy(p, &x, sizeof x);
}

inline uint64_t load_be64(const void* p) { return __builtin_bswap64(load_le64(p)); }
inline void store_be64(void* p, uint64_t x) { store_le64(p, __builtin_bswap64(x)); }

// Overwrites secrets. The empty assembly reads the memory as far as the compiler knows, so the stores stay.
inline void wipe(void* p, size_t len) {
  memset(p, 0, len);
  __asm__ volatile("" : : "r"(p) : "memory");
}

// Keeps the compiler from moving memory accesses across it: enough of an order between a thread and a signal handler
// that runs on it.
inline void signal_fence() { __asm__ volatile("" : : : "memory"); }

}  // namespace loguuid
