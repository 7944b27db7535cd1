#include "generator.h"

#include <fmt/format.h>

#include "errors.h"

namespace loguuid::tool {

void boot_live() {
  const loguuid_status status = loguuid_boot(nullptr);
  if (status != LOGUUID_OK) throw Failure(fmt::format("cannot start: {}", loguuid_strerror(status)));
}

Reproducible::Reproducible(const Seed& seed, std::uint64_t thread, std::uint64_t process) {
  const loguuid_status status = loguuid_gen_init(&gen_, seed.bytes, seed.length, thread, process, LOGUUID_HASH_AES);
  if (status != LOGUUID_OK) throw Failure(fmt::format("cannot use this seed: {}", loguuid_strerror(status)));
  before_ = loguuid_use(&gen_);
}

Reproducible::~Reproducible() {
  loguuid_use(before_);
  loguuid_gen_wipe(&gen_);
}

}  // namespace loguuid::tool
