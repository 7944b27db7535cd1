// The choice of a kernel. Until somebody asks, the row in use is a row of resolvers: each chooses, then does what it
// was called for, so that no code has to run before main() and no caller has to check. Threads that choose at once come
// to the same answer and store it twice; nothing waits.
#include "kernel.h"

#include <cstdlib>

#include "base.h"
#include "platform.h"

namespace loguuid {
namespace {

// Best first.
const Kernel* const kRows[] = {
#if defined(__x86_64__) || defined(__i386__)
    &kernel_avx512,
    &kernel_avx2,
    &kernel_ssse3,
#elif defined(__aarch64__)
    &kernel_neon,
#endif
    &kernel_scalar,
};
static_assert(sizeof kRows / sizeof kRows[0] <= kMaxKernels);

extern const Kernel kResolver;

// The value of LOGUUID_KERNEL, kept because a host may change its environment later.
char request_copy[64];
uint32_t request_taken;    // one thread fills the copy
const char* request_name;  // NULL until it is complete

void keep_request(const char* value) {
  if (__atomic_exchange_n(&request_taken, 1u, __ATOMIC_RELAXED) != 0) return;
  strncpy(request_copy, value, sizeof request_copy - 1);
  const char* complete = request_copy;
  __atomic_store_n(&request_name, complete, __ATOMIC_RELEASE);
}

// An empty value asks for nothing.
const char* read_request() {
  const char* value = getenv("LOGUUID_KERNEL");
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

LOGUUID_COLD const Kernel& choose_now() {
  const Kernel* rows[kMaxKernels];
  const size_t count = kernels_available(rows);
  const Kernel* chosen = rows[0];
  if (const char* wanted = read_request()) {
    for (size_t i = 0; i < count; ++i)
      if (strcmp(rows[i]->name, wanted) == 0) chosen = rows[i];
    keep_request(wanted);
  }
  __atomic_store_n(&kernel_rows[0], chosen, __ATOMIC_RELAXED);
  return *chosen;
}

const Kernel kResolver = {
    "not chosen yet",
    0,
    [](uint8_t* round_keys, const uint8_t* key) { kernel_choose().expand_key(round_keys, key); },
    [](Stream& stream, uint8_t* out, size_t count) { kernel_choose().blocks(stream, out, count); },
    [](char* out, size_t stride, const uint8_t* values, size_t count) {
      kernel_choose().text(out, stride, values, count);
    },
    [](Stream& stream, char* out, char separator, size_t count) {
      kernel_choose().v4_run(stream, out, separator, count);
    },
    [](Stream& stream, uint8_t* out) { kernel_choose().block(stream, out); },
    [](Stream& stream, char* out) { kernel_choose().v4_one(stream, out); },
    [](char* out, const uint8_t* in, size_t len) { kernel_choose().hex(out, in, len); },
    [](uint8_t* out, const char* in) { return kernel_choose().parse(out, in); },
    [](Ahead& ahead, uint64_t number, const uint8_t* block, char* out) {
      return kernel_choose().v4_take(ahead, number, block, out);
    },
};

}  // namespace

const Kernel* kernel_rows[2] = {&kResolver, &kernel_xxh3};

const Kernel& kernel_choose() {
  const Kernel* row = __atomic_load_n(&kernel_rows[0], __ATOMIC_RELAXED);
  return LOGUUID_LIKELY(row != &kResolver) ? *row : choose_now();
}

size_t kernels_available(const Kernel* rows[kMaxKernels]) {
  const uint32_t features = cpu_features();
  size_t count = 0;
  for (const Kernel* row : kRows)
    if ((row->needs & ~features) == 0) rows[count++] = row;
  return count;
}

KernelRequest kernel_request() {
  const Kernel& row = kernel_choose();
  const char* name = __atomic_load_n(&request_name, __ATOMIC_ACQUIRE);
  return {name, name != nullptr && strcmp(name, row.name) == 0};
}

}  // namespace loguuid
