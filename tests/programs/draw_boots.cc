// A draw before any boot boots in live mode: no two processes or threads agree, and a boot then comes too late.
#include <cstring>

#include "check.h"

int main() {
  const std::string first = v4();
  const uint64_t seed = 42;
  const loguuid_config config = seeded_config(seed);
  CHECK_EQ(LOGUUID_ERR_STATE, loguuid_boot(&config));
  CHECK_EQ(LOGUUID_ERR_STATE, loguuid_boot(nullptr));
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  CHECK(strcmp(info.mode, "live") == 0);
  CHECK(first != first_of_lane(0, 0, 0));
  CHECK(first != v4());
  CHECK_EQ(0, loguuid_gen_position(nullptr).thread);
  CHECK_EQ(LOGUUID_OK, loguuid_reseed());
  CHECK(v4() != v4());
  return 0;
}
