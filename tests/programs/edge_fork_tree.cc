// A tree of 2,000 forks, three deep, forked at every position inside the life of a key: nothing that any of the
// processes draws, before or after its forks, is drawn twice.
#include "edge.h"
#include "lane.h"

namespace {

constexpr int kForks = 2000;
constexpr int kPositions = loguuid::kKeyDraws + 1;
constexpr int kWithChild = (kForks - kPositions) / 3;  // each of these has a child, which has two

int forks_made;

// The child reports the forks below it as its exit status.
template <class Work>
void fork_and_draw(Drawn& drawn, Work below) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    forks_made = 0;
    for (int i = 0; i < 3; ++i) drawn.add_v4();
    below();
    drawn.add_v4();
    _exit(forks_made);
  }
  const int status = wait_for(child);
  CHECK(WIFEXITED(status));
  forks_made += 1 + WEXITSTATUS(status);
}

// In reproducible mode, where equal keys would show at once, every fourth position does.
void tree(bool reproducible) {
  Drawn drawn(1 << 15);
  CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
  for (int position = 0; position < kPositions; ++position) {
    drawn.add_v4();
    if (reproducible && position % 4 != 0) continue;
    fork_and_draw(drawn, [&] {
      if (position >= kWithChild) return;
      for (int i = 0; i < position % 40; ++i) drawn.add_v4();
      fork_and_draw(drawn, [&] {
        for (int i = 0; i < 2; ++i) fork_and_draw(drawn, [] {});
      });
    });
  }
  drawn.add_v4();
  CHECK(reproducible || forks_made == kForks);
  CHECK_EQ(kPositions + 1, loguuid_gen_position(nullptr).draws);
  CHECK_EQ(0, drawn.duplicates());
  printf("%s: %d forks, %zu identifiers\n", reproducible ? "reproducible" : "live", forks_made, drawn.size());
}

}  // namespace

int main() {
  static_assert(kPositions + 3 * kWithChild == kForks);
  for (const bool reproducible : {false, true}) in_a_child([=] { tree(reproducible); });
  return 0;
}
