// The contract of the fast loops, and the choice among them at run time.
//
// A kernel is a row of functions for one family of CPUs. The scalar row is always built and is the meaning; the others
// give the same bytes faster. Nothing here knows lanes, threads or the system: callers see to keys that wear out and to
// buffers that are large enough. A row never writes a byte outside what its comments say.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ahead.h"
#include "base.h"
#include "stream.h"

namespace loguuid {

struct Kernel {
  const char* name;
  uint32_t needs;  // CpuFeature bits, all of them

  void (*expand_key)(uint8_t round_keys[kRoundKeyBytes], const uint8_t key[16]);

  // Blocks from states: `count` blocks, 16 * count bytes.
  void (*blocks)(Stream& stream, uint8_t* out, size_t count);

  // Text from blocks: `count` values of 16 bytes as 36-character UUID text at out, out + stride, ... (stride >= 36).
  // Bytes between the texts may be overwritten with anything; nothing outside [out, out + stride * (count - 1) + 36)
  // is.
  void (*text)(char* out, size_t stride, const uint8_t* values, size_t count);

  // Both at once: `count` version-4 UUIDs with `separator` between them, 37 * count - 1 bytes (count >= 1).
  void (*v4_run)(Stream& stream, char* out, char separator, size_t count);

  // One of each, for the single calls: latency matters.
  void (*block)(Stream& stream, uint8_t out[16]);
  void (*v4_one)(Stream& stream, char out[kUuidText]);

  // 2 * len lower-case hexadecimal digits.
  void (*hex)(char* out, const uint8_t* in, size_t len);

  // 36 characters with dashes, either case, to 16 bytes; false for anything else. The same work on bad input as on
  // good; `out` is written only on success.
  bool (*parse)(uint8_t out[16], const char in[kUuidText]);

  // The whole of loguuid_v4() behind the check: text and a NUL from block `number`, which is taken, or v4_again(). In
  // one piece, which saves a call and the registers that would have to be kept over it.
  size_t (*v4_take)(Ahead& ahead, uint64_t number, const uint8_t block[16], char* out);
};

extern const Kernel kernel_scalar;
// Not one to choose: HAProxy's hash in the place of AES. Here a block is XXH3_128bits(LE64(s0) || LE64(s1), seed = mix)
// and the key is not used.
extern const Kernel kernel_xxh3;
#if defined(__x86_64__) || defined(__i386__)
extern const Kernel kernel_ssse3;
extern const Kernel kernel_avx2;
extern const Kernel kernel_avx512;
#elif defined(__aarch64__)
extern const Kernel kernel_neon;
#endif

// By what hides the state (Hash of lane.h): the row in use, then the xxh3 row. The first starts as a row of resolvers
// that choose on first use; after that it is constant. A lane refers to its row by number, not by address: where a fork
// wipes the lane under a draw, the draw still goes on with a row, and what it computes is thrown away.
LOGUUID_HIDDEN extern const Kernel* kernel_rows[2];
inline const Kernel& kernel_row(size_t hash) { return *__atomic_load_n(&kernel_rows[hash], __ATOMIC_RELAXED); }
inline const Kernel& kernel() { return kernel_row(0); }

// Chooses now: the best row this CPU runs, or the one that LOGUUID_KERNEL names. Idempotent.
const Kernel& kernel_choose();

// Rows this CPU can run, best first; returns how many. `rows` has room for kMaxKernels.
constexpr size_t kMaxKernels = 4;
size_t kernels_available(const Kernel* rows[kMaxKernels]);

// LOGUUID_KERNEL as it was read (NULL: not set) and whether it named the row in use.
struct KernelRequest {
  const char* name;
  bool honoured;
};
KernelRequest kernel_request();

// Sets the version and variant bits of RFC 9562 on 16 bytes.
inline void set_v4_bits(uint8_t* value) {
  value[6] = static_cast<uint8_t>((value[6] & 0x0f) | 0x40);
  value[8] = static_cast<uint8_t>((value[8] & 0x3f) | 0x80);
}

}  // namespace loguuid
