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
// On declarations of variables that a draw reads: the compiler then need not fetch their addresses from a table.
#define LOGUUID_HIDDEN __attribute__((visibility("hidden")))
#define LOGUUID_COLD __attribute__((noinline, cold))
#define LOGUUID_INLINE inline __attribute__((always_inline))

// Before a loop over vectors in an array: they live in registers only when every index is a constant, and g++ -O2
// leaves short loops as loops (a single portable AES block took a third longer).
#if defined(__clang__)
#define LOGUUID_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LOGUUID_UNROLL _Pragma("GCC unroll 32")
#endif

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

struct WideProduct {
  uint64_t lo, hi;
};

inline WideProduct multiply_wide(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#else
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), middle2 = a0 * b1 + (middle & 0xffffffff);
  return {middle2 << 32 | (low & 0xffffffff), a1 * b1 + (middle >> 32) + (middle2 >> 32)};
#endif
}

// Overwrites secrets. The empty assembly reads the memory as far as the compiler knows, so the stores stay.
inline void wipe(void* p, size_t len) {
  memset(p, 0, len);
  __asm__ volatile("" : : "r"(p) : "memory");
}

// Keeps the compiler from moving memory accesses across it: enough of an order between a thread and a signal handler
// that runs on it.
inline void signal_fence() { __asm__ volatile("" : : : "memory"); }

}  // namespace loguuid
