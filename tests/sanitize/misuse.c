/* Faults that a caller can make and that the library's own code then commits, for a sanitizer to see:
 *   misuse shared-generator | short-buffer | misaligned-generator | uninitialised-value */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loguuid.h"

static loguuid_gen shared;

static void* draw_from_shared(void* argument) {
  int i;
  (void)argument;
  loguuid_use(&shared);
  for (i = 0; i < 1000; i++) loguuid_random64();
  return NULL;
}

static void two_threads_on_one_generator(void) {
  const uint64_t seed = 1;
  pthread_t a, b;
  loguuid_gen_init(&shared, &seed, sizeof seed, 0, 0, LOGUUID_HASH_AES);
  if (pthread_create(&a, NULL, draw_from_shared, NULL) != 0 || pthread_create(&b, NULL, draw_from_shared, NULL) != 0)
    return;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

static void a_buffer_one_byte_short(void) {
  char* text = (char*)malloc(36);
  loguuid_v4(text, 37);
  printf("%.36s\n", text);
  free(text);
}

static void a_generator_at_an_odd_address(void) {
  char* memory = (char*)calloc(1, sizeof(loguuid_gen) + 1);
  const uint64_t seed = 1;
  void* odd = memory + 1;
  loguuid_gen_init((loguuid_gen*)odd, &seed, sizeof seed, 0, 0, LOGUUID_HASH_AES);
  free(memory);
}

static void a_value_never_written(void) {
  unsigned char* value = (unsigned char*)malloc(16);
  char text[37];
  loguuid_unparse(text, sizeof text, value);
  if (text[0] == 'f') puts("an f");
  free(value);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "shared-generator") == 0) two_threads_on_one_generator();
  if (strcmp(what, "short-buffer") == 0) a_buffer_one_byte_short();
  if (strcmp(what, "misaligned-generator") == 0) a_generator_at_an_odd_address();
  if (strcmp(what, "uninitialised-value") == 0) a_value_never_written();
  return 0;
}
