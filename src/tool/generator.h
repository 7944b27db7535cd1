// The two ways a command draws: as production does, or from a seed of the caller.
#pragma once

#include <loguuid.h>

#include <cstdint>
#include <functional>

#include "numbers.h"

namespace loguuid::tool {

// Boots the library in live mode, with the system's clock or another. Throws Failure where a draw would have to abort.
void boot_live(std::uint64_t (*now_ns)() = nullptr);

// Draws that a command makes or passes unless it is told to be patient. Passing them takes some six minutes, at 0.35 ns
// each; there is no shorter way, because every 1,024th draw becomes the next key.
constexpr std::uint64_t most_draws = 1'000'000'000'000;
constexpr char most_draws_text[] = "10^12";

// Passes `draws`, in steps of a tenth of a second: `go_on` is called after each with its size, and false ends the way.
void skip(loguuid_gen* gen, std::uint64_t draws, const std::function<bool(std::uint64_t step)>& go_on);

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
