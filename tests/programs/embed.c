/* The library inside a C99 program: threads with TIDs, single calls, batches, a compiled log format with a field of the
 * host's, a generator of its own. Built with a strict compiler, linked by cc. */
#define _POSIX_C_SOURCE 200809L
#include "loguuid.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

enum { THREADS = 8, LINES = 200, LINE_SIZE = 256 };

struct worker {
  pthread_t thread;
  uint32_t tid;
  const loguuid_format* format;
  char lines[LINES][LINE_SIZE];
};

struct request {
  const char* path;
};

static size_t write_path(void* context, char* out, size_t cap) {
  const struct request* request = (const struct request*)context;
  const size_t len = strlen(request->path);
  memcpy(out, request->path, len < cap ? len : cap);
  return len;
}

static void* work(void* argument) {
  struct worker* worker = (struct worker*)argument;
  struct request request = {"/index.html"};
  int i;
  CHECK(loguuid_thread_start(worker->tid) == LOGUUID_OK);
  CHECK(loguuid_gen_position(NULL).thread == (uint64_t)worker->tid + 1);
  for (i = 0; i < LINES; i++) {
    const size_t len = loguuid_format_render(worker->format, worker->lines[i], LINE_SIZE, &request);
    CHECK(len == strlen(worker->lines[i]));
  }
  return NULL;
}

static int compare_lines(const void* a, const void* b) { return strcmp((const char*)a, (const char*)b); }

static void check_lines(struct worker* workers) {
  static char all[THREADS * LINES][LINE_SIZE];
  size_t i, n = 0;
  for (i = 0; i < THREADS; i++) {
    memcpy(all[n], workers[i].lines, sizeof workers[i].lines);
    n += LINES;
  }
  qsort(all, n, sizeof all[0], compare_lines);
  for (i = 0; i < n; i++) {
    unsigned char bytes[16];
    CHECK(loguuid_parse(bytes, all[i], 36) == LOGUUID_OK);
    CHECK(strcmp(all[i] + 36, " /index.html 100%") == 0);
    CHECK(i == 0 || memcmp(all[i - 1], all[i], 36) != 0);
  }
}

static void check_single_calls(void) {
  char text[128];
  unsigned char bytes[16];
  uint64_t lo = 0, hi = 0;
  CHECK(loguuid_v4(text, sizeof text) == 36 && text[14] == '4');
  CHECK(loguuid_v7(text, sizeof text) == 36 && text[14] == '7');
  CHECK(loguuid_v4_many(text, sizeof text, 3, '\n') == 110);
  CHECK(loguuid_ulid(text, sizeof text) == 26);
  CHECK(loguuid_traceparent(text, sizeof text, 1u) == 55);
  CHECK(loguuid_websocket_key(text, sizeof text) == 24);
  CHECK(loguuid_token(text, sizeof text, 20, LOGUUID_HEX) == 40);
  loguuid_v4_bytes(bytes);
  loguuid_random_bytes(bytes, sizeof bytes);
  loguuid_random_pair(&lo, &hi);
  CHECK(loguuid_random_below(10) < 10);
}

static void check_own_generator(void) {
  loguuid_gen gen;
  const uint64_t seed = 42;
  char text[37];
  CHECK(loguuid_gen_init(&gen, &seed, sizeof seed, 0, 0, LOGUUID_HASH_AES) == LOGUUID_OK);
  CHECK(loguuid_use(&gen) == NULL);
  CHECK(loguuid_v4(text, sizeof text) == 36);
  CHECK(loguuid_use(NULL) == &gen);
  CHECK(strcmp(text, "2e2a60cc-99e1-45da-8fe2-df1b00bb6fa9") == 0);
  loguuid_gen_wipe(&gen);
}

int main(void) {
  static struct worker workers[THREADS];
  const loguuid_field fields[1] = {{"path", write_path, LOGUUID_STR}};
  loguuid_config config;
  loguuid_format_error error;
  loguuid_format* format = NULL;
  uint32_t i;

  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  CHECK(loguuid_boot(&config) == LOGUUID_OK);
  CHECK(loguuid_format_compile(&format, "%[uuid] %path 100%%", fields, 1, 0, &error) == LOGUUID_OK);
  for (i = 0; i < THREADS; i++) {
    workers[i].tid = i;
    workers[i].format = format;
    CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
  }
  for (i = 0; i < THREADS; i++) CHECK(pthread_join(workers[i].thread, NULL) == 0);
  check_lines(workers);
  check_single_calls();
  check_own_generator();
  loguuid_format_free(format);
  return 0;
}
