#include "rivals.h"

#include <pthread.h>
#include <sys/random.h>

#include <bit>
#include <cstdio>
#include <cstdlib>

#define XXH_INLINE_ALL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wundef"
#include <xxhash.h>
#pragma GCC diagnostic pop

namespace bench {
namespace {

// ---- the sequences (Blackman and Vigna) ----

uint64_t step(Xoshiro& x) {
  const uint64_t result = std::rotl(x.s[1] * 5, 7) * 9;
  const uint64_t t = x.s[1] << 17;
  x.s[2] ^= x.s[0];
  x.s[3] ^= x.s[1];
  x.s[1] ^= x.s[2];
  x.s[0] ^= x.s[3];
  x.s[2] ^= t;
  x.s[3] = std::rotl(x.s[3], 45);
  return result;
}

struct alignas(64) Shared128 {
  uint64_t s0 = 0x9e3779b97f4a7c15, s1 = 0xbf58476d1ce4e5b9;
};
Shared128 shared128;

// True when *at still held `old` and now holds `next`; else `old` is what it holds.
#if defined(__x86_64__)
constexpr bool kHaveDwcas = true;
bool swap128(Shared128& at, Pair& old, Pair next) {
  bool done;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(done), "+m"(at), "+a"(old.lo), "+d"(old.hi)
                   : "b"(next.lo), "c"(next.hi)
                   : "memory");
  return done;
}
#elif defined(__aarch64__)
constexpr bool kHaveDwcas = true;
bool swap128(Shared128& at, Pair& old, Pair next) {
  uint64_t lo, hi;
  uint32_t failed = 1;
  __asm__ volatile("ldaxp %0, %1, [%2]" : "=&r"(lo), "=&r"(hi) : "r"(&at) : "memory");
  if (lo == old.lo && hi == old.hi)
    __asm__ volatile("stlxp %w0, %2, %3, [%1]" : "=&r"(failed) : "r"(&at), "r"(next.lo), "r"(next.hi) : "memory");
  else
    __asm__ volatile("clrex" : : : "memory");
  old = {lo, hi};
  return failed == 0;
}
#else
constexpr bool kHaveDwcas = false;
bool swap128(Shared128&, Pair&, Pair) { abort(); }
#endif

uint64_t dwcas64() {
  // Torn reads do no harm: the swap then fails and brings the right words.
  Pair old = {__atomic_load_n(&shared128.s0, __ATOMIC_RELAXED), __atomic_load_n(&shared128.s1, __ATOMIC_RELAXED)};
  for (;;) {
    const uint64_t mixed = old.lo ^ old.hi;
    const Pair next = {std::rotl(old.lo, 24) ^ mixed ^ (mixed << 16), std::rotl(mixed, 37)};
    const uint64_t result = std::rotl(old.lo * 5, 7) * 9;
    if (swap128(shared128, old, next)) return result;
  }
}

struct alignas(64) Locked {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Xoshiro state{{1, 2, 3, 4}};
};
Locked locked;

thread_local Xoshiro own{{1, 2, 3, 4}};
thread_local uint64_t own_clock;

}  // namespace

size_t print_uuid(char* out, size_t cap, Pair random) {
  const uint32_t a = static_cast<uint32_t>(random.lo), b = static_cast<uint32_t>(random.lo >> 32);
  const unsigned version = ((b >> 16) & 0xfff) | 0x4000;
  const unsigned variant = (static_cast<unsigned>(random.hi) & 0x3fff) | 0x8000;
  const unsigned long long node = (random.hi >> 14) & 0xffffffffffffull;
  return static_cast<size_t>(
      snprintf(out, cap, "%8.8x-%4.4x-%4.4x-%4.4x-%12.12llx", a, b & 0xffff, version, variant, node));
}

bool dwcas_available() { return kHaveDwcas; }

Pair dwcas_pair() {
  const uint64_t lo = dwcas64();
  return {lo, dwcas64()};
}

Pair mutex_pair() {
  pthread_mutex_lock(&locked.mutex);
  const uint64_t lo = step(locked.state);
  const uint64_t hi = step(locked.state);
  pthread_mutex_unlock(&locked.mutex);
  return {lo, hi};
}

// Distinct states are all that the measurement needs; the jumps that HAProxy makes at a thread's start are not timed.
void haproxy_start(unsigned thread) {
  own = Xoshiro{{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, thread + uint64_t{1}}};
  for (int i = 0; i < 64; ++i) step(own);
}

void haproxy_set_clock(uint64_t now_ns) { own_clock = now_ns; }
Xoshiro& haproxy_state() { return own; }

Pair haproxy_pair() {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(own.s, 16, own_clock);
  step(own);
  return {hash.low64, hash.high64};
}

Pair getrandom_pair() {
  Pair random;
  if (getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    perror("getrandom");
    exit(1);
  }
  return random;
}

}  // namespace bench
