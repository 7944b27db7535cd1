// The host's clock is what version 7 and ULID show, and it is asked once a call or batch.
#include <cstring>

#include "check.h"

static uint64_t clock_ns;
static int asked;
static uint64_t host_clock() {
  ++asked;
  return clock_ns;
}

int main() {
  const uint64_t seed = 42;
  loguuid_config config = seeded_config(seed);
  config.now_ns = host_clock;
  CHECK_EQ(LOGUUID_OK, loguuid_boot(&config));
  clock_ns = 1645557742000 * uint64_t{1000000};
  CHECK(v7().substr(0, 15) == "017f22e2-79b0-7");
  clock_ns += 1000000;
  char text[37 * 200];
  asked = 0;
  CHECK_EQ(37 * 200 - 1, loguuid_v7_many(text, sizeof text, 200, ' '));
  CHECK_EQ(1, asked);
  for (int i = 0; i < 200; ++i) CHECK(memcmp(text + 37 * i, "017f22e2-79b1-7", 15) == 0);
  asked = 0;
  CHECK_EQ(26, loguuid_ulid(text, sizeof text));
  CHECK_EQ(1, asked);
  CHECK(memcmp(text, "01FWHE4YDH", 10) == 0);
  asked = 0;
  v4();
  CHECK_EQ(0, asked);
  return 0;
}
