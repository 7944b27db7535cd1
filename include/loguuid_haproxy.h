/* HAProxy 3.4's names for random numbers and UUIDs, on top of loguuid, so that code written for them compiles
 * unchanged.
 *
 * Without ha_random_seed() everything comes from the calling thread's loguuid lane, hidden behind AES. After
 * ha_random_seed() or ha_random_seed_thread() the calling thread walks HAProxy's own xoshiro256** sequence and hashes
 * it with XXH3 as HAProxy does, bit for bit. That is for comparison and tests: treat what it prints as showing the
 * state (doc/security.md). A child made by fork() leaves that sequence and draws from a lane of its own.
 *
 * License: MIT. */
#ifndef LOGUUID_HAPROXY_H
#define LOGUUID_HAPROXY_H

#include "loguuid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HAProxy's struct buffer, unless its own header came first. */
#ifndef _HAPROXY_BUF_T_H
#define _HAPROXY_BUF_T_H
struct buffer {
  size_t size; /* bytes of area */
  char *area;
  size_t data; /* bytes in use from head on */
  size_t head;
};
#endif

/* What the inline functions below stand on. */
LOGUUID_API void loguuid_haproxy_seed(const unsigned char *seed, size_t len);
LOGUUID_API void loguuid_haproxy_seed_thread(unsigned tid);
LOGUUID_API void loguuid_haproxy_jump(uint32_t jumps192, uint32_t jumps128);
LOGUUID_API size_t loguuid_haproxy_v4(char *out, size_t cap); /* HAProxy's layout of the bits; cap >= 37 */
LOGUUID_API size_t loguuid_haproxy_v7(char *out, size_t cap);

/* Pins the two clocks that HAProxy reads, for this thread's seeded sequence: `now_ns`, which seeds the hash, and the
 * wall clock in milliseconds that a v7 carries. Without it both are the host's or the system's clock. */
LOGUUID_API void loguuid_haproxy_set_clock(uint64_t now_ns, uint64_t unix_ms);

/* Seeds the sequence with up to 32 bytes: from the first non-zero byte on they are copied over a state of 0x55 bytes.
 * The calling thread walks it from its start, other threads join with ha_random_seed_thread(). `seed` NULL counts as
 * empty. */
static inline void ha_random_seed(const unsigned char *seed, size_t len) { loguuid_haproxy_seed(seed, len); }

/* The calling thread walks the seeded sequence from tid + 1 jumps of 2^192 on; without a seed it starts as `tid`. */
static inline void ha_random_seed_thread(unsigned tid) { loguuid_haproxy_seed_thread(tid); }

/* Moves the calling thread on by dist times 2^128 or 2^192 steps. */
static inline void ha_random_jump128(uint32_t dist) { loguuid_haproxy_jump(0, dist); }
static inline void ha_random_jump192(uint32_t dist) { loguuid_haproxy_jump(dist, 0); }

/* 64 random bits, hidden as this thread's mode hides them. */
static inline uint64_t ha_random64(void) { return loguuid_random64(); }

/* The raw xoshiro256** word: shows the state, never publish it. */
static inline uint64_t ha_random64_internal(void) { return loguuid_random64_internal(); }

/* One 128-bit block. */
static inline void ha_random64_pair_hashed(uint64_t *l, uint64_t *h) { loguuid_random_pair(l, h); }

static inline uint32_t ha_random32(void) { return loguuid_random32(); }

/* A non-negative 31-bit number, as random() gives. */
#ifdef __cplusplus
static inline int32_t ha_random(void) { return static_cast<int32_t>(ha_random32() >> 1); }
#else
static inline int32_t ha_random(void) { return (int32_t)(ha_random32() >> 1); }
#endif

/* 36 characters and a NUL into output->area; output->data becomes 36. With fewer than 37 bytes, or NULL, nothing
 * happens. */
static inline void ha_generate_uuid_v4(struct buffer *output) {
  if (!output || output->size < 37) return;
  if (loguuid_haproxy_v4(output->area, output->size) != 0) output->data = 36;
}

static inline void ha_generate_uuid_v7(struct buffer *output) {
  if (!output || output->size < 37) return;
  if (loguuid_haproxy_v7(output->area, output->size) != 0) output->data = 36;
}

#ifdef __cplusplus
}
#endif

#endif /* LOGUUID_HAPROXY_H */
