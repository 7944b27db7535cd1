// Children that the C library does not see (clone and clone3 as system calls, vfork) and threads in children: nobody
// draws what another process or thread drew.
#include <linux/sched.h>
#include <pthread.h>

#include <semaphore>

#include "edge.h"

namespace {

pid_t raw_clone3() {
  clone_args args{};
  args.exit_signal = SIGCHLD;
  return static_cast<pid_t>(syscall(SYS_clone3, &args, sizeof args));
}

pid_t libc_fork() { return fork(); }

using Fork = pid_t (*)();

struct Place {
  uint64_t thread, process;
};

Place place() {
  const loguuid_position position = loguuid_gen_position(nullptr);
  return {position.thread, position.process};
}

// A new thread of the child draws before the thread that forked does: it must not get that thread's place.
void threads_in_child(Drawn& drawn) {
  std::binary_semaphore drew{0}, go_on{0};
  Place others{};
  std::thread other([&] {
    drawn.add_v4();
    others = place();
    drew.release();
    go_on.acquire();
    for (int i = 0; i < 100; ++i) drawn.add_v4();
  });
  drew.acquire();
  drawn.add_v4();
  const Place mine = place();
  CHECK(mine.thread != others.thread || mine.process != others.process);
  go_on.release();
  for (int i = 0; i < 100; ++i) drawn.add_v4();
  other.join();
}

void children_of(Fork make, bool reproducible, bool with_tid) {
  Drawn drawn(1 << 14);
  CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
  if (with_tid) CHECK_EQ(LOGUUID_OK, loguuid_thread_start(7));
  drawn.add_v4();
  for (int i = 0; i < 8; ++i) {
    const pid_t child = make();
    CHECK(child >= 0);
    if (child == 0) {
      if (i % 2 != 0) drawn.add_v4();
      threads_in_child(drawn);
      const pid_t grandchild = make();
      CHECK(grandchild >= 0);
      threads_in_child(drawn);
      if (grandchild != 0) CHECK_EQ(0, wait_for(grandchild));
      _exit(0);
    }
    drawn.add_v4();
    CHECK_EQ(0, wait_for(child));
    drawn.add_v4();
  }
  CHECK_EQ(0, drawn.duplicates());
}

// The child borrows the parent's memory until it ends: it walks on in the parent's lane, and the parent after it.
void vfork_child(bool reproducible) {
  Drawn drawn(1 << 10);
  CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
  for (int i = 0; i < 20; ++i) {
    drawn.add_v4();
    const pid_t child = vfork();
    if (child == 0) {
      drawn.add_v4();
      _exit(0);
    }
    CHECK_EQ(0, wait_for(child));
  }
  CHECK_EQ(0, drawn.duplicates());
  if (fork_wipes()) CHECK_EQ(40, loguuid_gen_position(nullptr).draws);
}

// Caller-owned generators that moved along: live ones and those of a reproducible process go to a lane of the child.
void generators(bool reproducible) {
  Drawn drawn(1 << 12);
  CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
  loguuid_gen gen;
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init_live(&gen));
  loguuid_use(&gen);
  const Place before = place();
  drawn.add_v4();
  CHECK(place().thread == before.thread && place().process == before.process);
  for (int i = 0; i < 8; ++i) {
    const pid_t child = i % 2 != 0 ? fork() : raw_clone();
    CHECK(child >= 0);
    for (int n = 0; n < 10; ++n) drawn.add_v4();
    if (child == 0) _exit(0);
    CHECK_EQ(0, wait_for(child));
  }
  CHECK_EQ(0, drawn.duplicates());
}

}  // namespace

int main() {
  for (const bool reproducible : {false, true}) {
    for (const bool with_tid : {false, true})
      for (const Fork make : {libc_fork, raw_clone, raw_clone3})
        in_a_child([=] { children_of(make, reproducible, with_tid); });
    in_a_child([=] { vfork_child(reproducible); });
    in_a_child([=] { generators(reproducible); });
  }
  return 0;
}
