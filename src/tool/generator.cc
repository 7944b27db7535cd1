#include "generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "errors.h"

namespace loguuid::tool {

void boot_live(std::uint64_t (*now_ns)()) {
  loguuid_config config{};
  config.size = sizeof config;
  config.now_ns = now_ns;
  const loguuid_status status = loguuid_boot(&config);
  if (status != LOGUUID_OK) throw Failure(fmt::format("cannot start: {}", loguuid_strerror(status)));
}

void skip(loguuid_gen* gen, std::uint64_t draws, const std::function<bool(std::uint64_t step)>& go_on) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 28;
  while (draws > 0) {
    const std::uint64_t step = std::min(longest, draws);
    loguuid_gen_skip(gen, step);
    draws -= step;
    if (!go_on(step)) return;
  }
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
