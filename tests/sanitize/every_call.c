/* Every function of the interface, from several threads, in live and in reproducible mode, with every byte that comes
 * out looked at: under MemorySanitizer a byte that was never written, or computed from one, ends the program.
 *   every_call [KERNEL]        fails if the kernel in use is another
 *   every_call --list-kernels  the kernels that this CPU runs, on one line */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loguuid.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define LOOK_AT(bytes, len) __msan_check_mem_is_initialized(bytes, len)
#endif
#endif

#ifndef LOOK_AT
static volatile unsigned sum; /* so that no read is left out */

static void look_at(const void* bytes, size_t len) {
  const unsigned char* p = (const unsigned char*)bytes;
  unsigned s = 0;
  size_t i;
  for (i = 0; i < len; i++) s += p[i];
  if (s == 1234567) sum = s;
}
#define LOOK_AT(bytes, len) look_at(bytes, len)
#endif

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

enum { THREADS = 16, BATCH = 150, TEXT = 37 * BATCH, ROUNDS = 30 };

static void check_text(const char* text, size_t len, size_t expected) {
  CHECK(len == expected);
  LOOK_AT(text, len + 1);
  CHECK(strlen(text) == len);
}

static void single_calls(void) {
  char text[256];
  unsigned char bytes[64];
  uint64_t words[6];
  uint32_t half;
  int i;
  check_text(text, loguuid_v4(text, 37), 36);
  check_text(text, loguuid_v7(text, 37), 36);
  check_text(text, loguuid_ulid(text, 27), 26);
  check_text(text, loguuid_traceparent(text, 56, 1u), 55);
  check_text(text, loguuid_websocket_key(text, 25), 24);
  for (i = 0; i < 4; i++) {
    const loguuid_encoding encoding = (loguuid_encoding)i;
    const size_t size = loguuid_token_size(50, encoding);
    check_text(text, loguuid_token(text, size, 50, encoding), size - 1);
  }
  loguuid_v4_bytes(bytes);
  loguuid_v7_bytes(bytes + 16);
  loguuid_random_bytes(bytes + 32, 17);
  LOOK_AT(bytes, 49);
  words[0] = loguuid_random64();
  words[1] = loguuid_random64_internal();
  words[2] = loguuid_random_below(1000);
  loguuid_random_pair(&words[3], &words[4]);
  words[5] = loguuid_gen_position(NULL).draws;
  LOOK_AT(words, sizeof words);
  half = loguuid_random32();
  LOOK_AT(&half, sizeof half);
}

static void batches(void) {
  static const size_t kCounts[] = {1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 100, BATCH};
  char* text = (char*)malloc(TEXT);
  size_t i;
  for (i = 0; i < sizeof kCounts / sizeof kCounts[0]; i++) {
    check_text(text, loguuid_v4_many(text, TEXT, kCounts[i], '\n'), 37 * kCounts[i] - 1);
    check_text(text, loguuid_v7_many(text, TEXT, kCounts[i], ' '), 37 * kCounts[i] - 1);
    loguuid_random_bytes(text, 13 * kCounts[i]);
    LOOK_AT(text, 13 * kCounts[i]);
  }
  free(text);
}

static void text_and_back(void) {
  unsigned char value[16], again[16];
  char text[37];
  loguuid_v4_bytes(value);
  check_text(text, loguuid_unparse(text, sizeof text, value), 36);
  CHECK(loguuid_parse(again, text, 36) == LOGUUID_OK && memcmp(value, again, 16) == 0);
  LOOK_AT(again, 16);
  text[5] = 'x';
  CHECK(loguuid_parse(again, text, 36) == LOGUUID_ERR_SYNTAX);
}

static void own_generators(loguuid_hash hash) {
  unsigned char seed[48], saved[LOGUUID_GEN_SAVE_SIZE];
  loguuid_gen* gen = (loguuid_gen*)malloc(sizeof *gen);
  loguuid_gen* copy = (loguuid_gen*)malloc(sizeof *copy);
  memset(seed, 7, sizeof seed);
  CHECK(loguuid_gen_init(gen, seed, sizeof seed, 3, 2, hash) == LOGUUID_OK);
  loguuid_gen_set_clock(gen, 1700000000000000000u);
  loguuid_use(gen);
  single_calls();
  batches();
  loguuid_gen_skip(gen, 5000);
  CHECK(loguuid_gen_save(gen, saved) == LOGUUID_OK);
  LOOK_AT(saved, sizeof saved);
  CHECK(loguuid_gen_restore(copy, saved) == LOGUUID_OK);
  loguuid_use(copy);
  single_calls();
  CHECK(loguuid_gen_init_live(gen) == LOGUUID_OK);
  loguuid_use(gen);
  single_calls();
  CHECK(loguuid_gen_save(gen, saved) == LOGUUID_OK);
  LOOK_AT(saved, sizeof saved);
  CHECK(loguuid_gen_restore(copy, saved) == LOGUUID_OK);
  loguuid_use(copy);
  batches();
  loguuid_use(NULL);
  loguuid_gen_wipe(gen);
  loguuid_gen_wipe(copy);
  free(gen);
  free(copy);
}

static size_t write_request(void* context, char* out, size_t cap) {
  const char* text = (const char*)context;
  const size_t len = strlen(text);
  memcpy(out, text, len < cap ? len : cap);
  return len;
}

static const char* const kFormats[] = {
    "%[uuid] %[uuid] %[uuid] %[uuid]",
    "[%[uuid]]-%{+Q}[request] %[uuid(7)] %pid %t %T %Tl %Ts %ms %ID",
    "%{+json}o %(id)[uuid] %(request)[request] %(n)[rand] %(ulid)[ulid]",
    "%{+cbor}o %(id)[uuid] %(request)[request]",
};
enum { FORMATS = sizeof kFormats / sizeof kFormats[0] };
static const loguuid_field kFields[] = {{"request", write_request, LOGUUID_STR}};

static void render(const loguuid_format* format) {
  char request[] = "GET /\x01 \xff\"quoted\" HTTP/1.1";
  char* line = (char*)malloc(1000);
  const size_t len = loguuid_format_render(format, line, 1000, request);
  check_text(line, strlen(line), len);
  loguuid_format_render(format, line, len, request); /* one too few, unless a number is shorter this time */
  LOOK_AT(line, strlen(line) + 1);
  loguuid_format_render(format, line, 10, request);
  check_text(line, strlen(line), 9);
  free(line);
}

static loguuid_format* compile(const char* text) {
  loguuid_format_error error;
  loguuid_format* format = NULL;
  const loguuid_status status = loguuid_format_compile(&format, text, kFields, 1, 0, &error);
  LOOK_AT(&error.message, strlen(error.message) + 1);
  if (status != LOGUUID_OK) printf("%s: %s\n", text, error.message);
  CHECK(status == LOGUUID_OK);
  return format;
}

static loguuid_format* formats[FORMATS];
static loguuid_live* live;

static void render_everything(void) {
  char line[1000];
  char request[] = "x";
  size_t i;
  for (i = 0; i < FORMATS; i++) render(formats[i]);
  loguuid_live_render(live, line, sizeof line, request);
  check_text(line, strlen(line), strlen(line));
}

static void* thread_work(void* argument) {
  const uint32_t tid = *(const uint32_t*)argument;
  int i;
  if (tid % 2 == 0) CHECK(loguuid_thread_start(tid) == LOGUUID_OK);
  for (i = 0; i < ROUNDS; i++) {
    single_calls();
    render_everything();
    if (i % 10 == 0) {
      batches();
      CHECK(loguuid_reseed() == LOGUUID_OK);
      if (tid == 1) CHECK(loguuid_live_replace(live, compile(kFormats[(i / 10) % FORMATS])) == LOGUUID_OK);
    }
    if (i == ROUNDS / 2) loguuid_thread_stop();
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[THREADS];
  uint32_t tid[THREADS];
  size_t i;
  for (i = 0; i < THREADS; i++) {
    tid[i] = (uint32_t)i;
    CHECK(pthread_create(&thread[i], NULL, thread_work, &tid[i]) == 0);
  }
  for (i = 0; i < THREADS; i++) CHECK(pthread_join(thread[i], NULL) == 0);
}

static loguuid_info describe(void) {
  loguuid_info info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  CHECK(loguuid_describe(&info) == LOGUUID_OK);
  return info;
}

int main(int argc, char** argv) {
  loguuid_format_error error;
  loguuid_format* none = NULL;
  size_t i;
  if (argc > 1 && strcmp(argv[1], "--list-kernels") == 0) return puts(describe().kernels) < 0;
  if (argc > 1) CHECK(strcmp(loguuid_kernel(), argv[1]) == 0);
  for (i = 0; i <= LOGUUID_ERR_FORMAT; i++) CHECK(strlen(loguuid_strerror((loguuid_status)i)) > 0);
  CHECK(loguuid_boot(NULL) == LOGUUID_OK);
  CHECK(loguuid_boot(NULL) == LOGUUID_ERR_STATE);
  CHECK(loguuid_format_compile(&none, "%[uuid", NULL, 0, 0, &error) != LOGUUID_OK);
  LOOK_AT(&error.position, sizeof error.position);
  CHECK(strlen(error.message) > 0);
  for (i = 0; i < FORMATS; i++) formats[i] = compile(kFormats[i]);
  CHECK(loguuid_live_new(&live, compile(kFormats[0])) == LOGUUID_OK);

  single_calls();
  batches();
  text_and_back();
  own_generators(LOGUUID_HASH_AES);
  own_generators(LOGUUID_HASH_XXH3);
  threads();
  CHECK(strlen(describe().clock) > 0);

  loguuid_live_free(live);
  for (i = 0; i < FORMATS; i++) loguuid_format_free(formats[i]);
  return 0;
}
