// How UUIDs are made without this library: the sources that the designs `dwcas`, `mutex`, `haproxy` and `getrandom`
// draw from, and the printf that all of them print with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

struct Pair {
  uint64_t lo, hi;
};

// "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx" and a NUL, HAProxy's layout and format string; returns 36.
size_t print_uuid(char* out, size_t cap, Pair random);

// xoroshiro128** that all threads step under one 128-bit compare-and-swap.
bool dwcas_available();
Pair dwcas_pair();

// xoshiro256** that all threads step under one pthread mutex.
Pair mutex_pair();

// The calling thread's xoshiro256**, its halves hidden by XXH3 with the clock as seed.
struct Xoshiro {
  uint64_t s[4];
};
void haproxy_start(unsigned thread);  // gives the calling thread a state of its own
void haproxy_set_clock(uint64_t now_ns);
Xoshiro& haproxy_state();
Pair haproxy_pair();

// One system call.
Pair getrandom_pair();

}  // namespace bench
