// Equal process ids: children that are each number 1 of a PID namespace, also children of a process 1.
#include <sched.h>

#include "edge.h"

namespace {

constexpr int kNamespaces = 8;

void draw_some(Drawn& drawn) {
  for (int i = 0; i < 50; ++i) drawn.add_v4();
}

// Forks into a namespace of its own, `deep` times one inside the other.
void first_of_a_namespace(Drawn& drawn, int deep) {
  CHECK_EQ(0, unshare(CLONE_NEWPID));
  const pid_t child = deep % 2 != 0 ? fork() : raw_clone();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_EQ(1, syscall(SYS_getpid));
    draw_some(drawn);
    if (deep > 1) first_of_a_namespace(drawn, deep - 1);
    draw_some(drawn);
    _exit(0);
  }
  CHECK_EQ(0, wait_for(child));
}

}  // namespace

int main() {
  if (status_of_child([] { _exit(unshare(CLONE_NEWPID) == 0 ? 0 : 1); }) != 0) skip("PID namespaces are not permitted");
  for (const bool reproducible : {false, true})
    in_a_child([=] {
      Drawn drawn(1 << 13);
      CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
      draw_some(drawn);
      for (int i = 0; i < kNamespaces; ++i) {
        in_a_child([&] { first_of_a_namespace(drawn, 3); });
        draw_some(drawn);
      }
      CHECK_EQ(0, drawn.duplicates());
    });
  return 0;
}
