// A boot that is refused changes nothing; the one that succeeds is the only one.
#include <cstring>

#include "check.h"

static void refused(const loguuid_config& config) {
  CHECK_EQ(LOGUUID_ERR_ARG, loguuid_boot(&config));
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  CHECK(strcmp(info.mode, "not booted") == 0);
}

int main() {
  const uint64_t seed = 42;
  unsigned char bytes[64] = {};
  const loguuid_config good = seeded_config(seed);

  for (const size_t size : {size_t{0}, sizeof good - 1, sizeof good + 1, SIZE_MAX}) {
    loguuid_config config = good;
    config.size = size;
    refused(config);
  }
  memset(bytes, 7, sizeof bytes);
  for (size_t len = 0; len <= sizeof bytes; ++len) {
    if (len == 8 || len == 48) continue;
    loguuid_config config = good;
    config.seed = bytes;
    config.seed_len = len;
    refused(config);
  }
  memset(bytes + 16, 0, 32);  // a key, and a state of zero
  loguuid_config config = good;
  config.seed = bytes;
  config.seed_len = 48;
  refused(config);
  config = good;
  const unsigned unknown = 2;
  memcpy(&config.hash, &unknown, sizeof config.hash);
  refused(config);

  CHECK_EQ(LOGUUID_OK, loguuid_boot(&good));
  CHECK_EQ(LOGUUID_ERR_STATE, loguuid_boot(&good));
  CHECK_EQ(LOGUUID_ERR_STATE, loguuid_boot(nullptr));
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  CHECK(strcmp(info.mode, "reproducible") == 0);
  CHECK(strcmp(info.hash, "aes") == 0);

  // The booting thread walks lane 0, and a second boot has not moved it.
  CHECK(v4_row(2) == first_of_lane(seed, 0, 0, 2));
  CHECK_EQ(LOGUUID_ERR_STATE, loguuid_boot(&good));
  CHECK_EQ(2, loguuid_gen_position(nullptr).draws);
  CHECK_EQ(LOGUUID_ERR_STATE, loguuid_reseed());
  return 0;
}
