// No branch and no address depends on a key, a state or what is drawn from them, in any kernel that valgrind can run.
// Secrets are marked as uninitialised memory, and memcheck reports whatever decides or addresses with such memory (the
// method of Langley's ctgrind). A table look-up that must be reported shows that the detector works.
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "kernel.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) || \
    HAS_FEATURE(thread_sanitizer) || HAS_FEATURE(memory_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#if !defined(VALGRIND_MAKE_MEM_UNDEFINED) || SANITIZED

int main() {
  puts("built without valgrind's header, or with a sanitizer that it cannot run");
  return 77;
}

#else

namespace {

using namespace loguuid;

constexpr size_t kMost = 200;
constexpr size_t kCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 40, 64, 65, 100, 128, 129, kMost};

volatile unsigned char table[256];  // volatile: the compiler knows it to be all zero
uint8_t values[16 * kMost];
char out[64 * kMost];

// What a table-driven S-box does.
__attribute__((noinline)) unsigned look_up(const unsigned char* index) { return table[*index]; }

void secret(void* p, size_t len) { VALGRIND_MAKE_MEM_UNDEFINED(p, len); }
void open(void* p, size_t len) { VALGRIND_MAKE_MEM_DEFINED(p, len); }

bool detector_works() {
  const unsigned before = VALGRIND_COUNT_ERRORS;
  unsigned char index = 7;
  secret(&index, sizeof index);
  volatile unsigned found = look_up(&index);
  static_cast<void>(found);
  return VALGRIND_COUNT_ERRORS > before;
}

bool says(const Kernel& row, const char* function, unsigned errors_before) {
  const unsigned errors = VALGRIND_COUNT_ERRORS - errors_before;
  if (errors == 0) return true;
  printf("%s of the %s kernel decides or addresses with a secret (%u reports)\n", function, row.name, errors);
  return false;
}

bool keeps_secrets(const Kernel& row) {
  bool good = true;
  Stream stream{{1, 2, 3, 4}, 5, {}};
  uint8_t key[16] = {};

  unsigned before = VALGRIND_COUNT_ERRORS;
  secret(key, sizeof key);
  row.expand_key(stream.round_keys, key);
  good &= says(row, "expand_key", before);

  secret(&stream, sizeof stream);
  before = VALGRIND_COUNT_ERRORS;
  for (const size_t count : kCounts) row.blocks(stream, values, count);
  good &= says(row, "blocks", before);

  before = VALGRIND_COUNT_ERRORS;
  for (const size_t count : kCounts) row.v4_run(stream, out, ' ', count);
  good &= says(row, "v4_run", before);

  before = VALGRIND_COUNT_ERRORS;
  row.block(stream, values);
  good &= says(row, "block", before);

  before = VALGRIND_COUNT_ERRORS;
  row.v4_one(stream, out);
  good &= says(row, "v4_one", before);

  secret(values, sizeof values);
  loguuid::Ahead ahead = {37};
  before = VALGRIND_COUNT_ERRORS;
  row.v4_take(ahead, 37, values, out);
  good &= says(row, "v4_take", before);

  before = VALGRIND_COUNT_ERRORS;
  for (const size_t count : kCounts)
    for (const size_t stride : {size_t{36}, size_t{37}, size_t{64}}) row.text(out, stride, values, count);
  good &= says(row, "text", before);

  before = VALGRIND_COUNT_ERRORS;
  for (size_t len = 0; len <= 70; ++len) row.hex(out, values, len);
  good &= says(row, "hex", before);

  open(&stream, sizeof stream);
  open(values, sizeof values);
  open(out, sizeof out);
  return good;
}

}  // namespace

int main(int, char** argv) {
  if (!RUNNING_ON_VALGRIND) {
    // Valgrind gives up on debug information of some compilers, so it gets a copy without.
    const char* script = "objcopy -g \"$0\" \"$0.plain\" && exec valgrind -q \"$0.plain\"";
    if (system("command -v valgrind > /dev/null") == 0)
      execlp("sh", "sh", "-c", script, argv[0], static_cast<char*>(nullptr));
    puts("there is no valgrind here");
    return 77;
  }
  if (!detector_works()) {
    puts("valgrind does not report a table look-up by a secret");
    return 1;
  }
  const Kernel* rows[kMaxKernels];
  const size_t count = kernels_available(rows);
  bool good = true;
  for (size_t i = 0; i < count; ++i) {
    const bool row_is_good = keeps_secrets(*rows[i]);
    if (row_is_good) printf("the %s kernel keeps its secrets\n", rows[i]->name);
    good &= row_is_good;
  }
  return good ? 0 : 1;
}

#endif
