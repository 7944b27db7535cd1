// The two ways a command draws: as production does, or from a seed of the caller.
#pragma once

#include <loguuid.h>

#include <cstdint>

#include "numbers.h"

namespace loguuid::tool {

// Boots the library in live mode. Throws Failure where a draw would have to abort.
void boot_live();

// A reproducible generator that serves this thread while it lives.
class Reproducible {
 public:
  Reproducible(const Seed& seed, std::uint64_t thread, std::uint64_t process);
  ~Reproducible();
  Reproducible(const Reproducible&) = delete;
  Reproducible& operator=(const Reproducible&) = delete;

  loguuid_gen* get() { return &gen_; }

 private:
  loguuid_gen gen_;
  loguuid_gen* before_;
};

}  // namespace loguuid::tool
