// fork(): a child draws from a lane of its own with a key of its own, without being told, wherever inside a key's life
// it came to be; a child's child never meets its uncle.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <vector>

#include "check.h"

struct Drawn {
  char uuid[3][37];
  uint64_t thread, process;
};

static Drawn draw() {
  Drawn drawn;
  for (auto& uuid : drawn.uuid) CHECK_EQ(36, loguuid_v4(uuid, sizeof uuid));
  const loguuid_position position = loguuid_gen_position(nullptr);
  drawn.thread = position.thread;
  drawn.process = position.process;
  return drawn;
}

static int pipe_ends[2];

static void report(const Drawn& drawn) { CHECK_EQ(sizeof drawn, write(pipe_ends[1], &drawn, sizeof drawn)); }

// Each process draws, then makes `width` children of which each does the same one level deeper, and draws again.
static void family(int depth, int width) {
  report(draw());
  for (int i = 0; i < width && depth > 0; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      family(depth - 1, width);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQ(0, status);
    v4();  // so that forks fall on every position inside a key's life
  }
  report(draw());
}

int main() {
  // Live and reproducible mode: the second is where equal keys would show at once.
  for (const bool reproducible : {false, true}) {
    fflush(stdout);
    const pid_t tester = fork();
    if (tester != 0) {
      int status;
      CHECK(waitpid(tester, &status, 0) == tester);
      CHECK_EQ(0, status);
      continue;
    }
    const uint64_t seed = 42;
    const loguuid_config config = seeded_config(seed);
    CHECK_EQ(LOGUUID_OK, loguuid_boot(reproducible ? &config : nullptr));
    CHECK_EQ(0, pipe(pipe_ends));
    const pid_t root = fork();
    CHECK(root >= 0);
    if (root == 0) {
      close(pipe_ends[0]);
      family(3, 6);
      _exit(0);
    }
    close(pipe_ends[1]);
    std::vector<Drawn> all = {draw()};
    for (Drawn drawn; read(pipe_ends[0], &drawn, sizeof drawn) == sizeof drawn;) all.push_back(drawn);
    int status;
    CHECK(waitpid(root, &status, 0) == root);
    CHECK_EQ(0, status);
    CHECK_EQ(1 + 2 * (1 + 6 + 36 + 216), all.size());
    std::set<std::string> uuids, halves;
    std::set<uint64_t> processes;
    for (const Drawn& drawn : all) {
      CHECK_EQ(0, drawn.thread);
      processes.insert(drawn.process);
      for (const auto& uuid : drawn.uuid) {
        CHECK(uuids.insert(uuid).second);
        CHECK(halves.insert(std::string(uuid, 18)).second);
      }
    }
    CHECK_EQ(1 + 1 + 6 + 36 + 216, processes.size());
    _exit(0);
  }
  return 0;
}
