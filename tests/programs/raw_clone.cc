// A child made by the bare system call, where no pthread_atfork() handler runs: the page that the fork wipes tells it.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <set>

#include "check.h"

static pid_t raw_fork() {
#if defined(__s390x__)
  return static_cast<pid_t>(syscall(SYS_clone, nullptr, SIGCHLD, nullptr, nullptr, nullptr));
#else
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
#endif
}

static void family(int depth, char (*out)[37], int& used) {
  for (int i = 0; i < 4; ++i) {
    memcpy(out[used++], v4().c_str(), 37);
    if (depth == 0) continue;
    const pid_t child = raw_fork();
    CHECK(child >= 0);
    if (child == 0) {
      family(depth - 1, out, used);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQ(0, status);
    memcpy(out[used++], v4().c_str(), 37);
  }
}

int main() {
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  v4();
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  if (strstr(info.fork_detection, "wiped") == nullptr)
    skip("this system wipes no page on fork: a bare clone call is seen by process ids only");
  struct Shared {
    int used;
    char uuids[1000][37];
  };
  void* const map = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(map != MAP_FAILED);
  Shared& shared = *static_cast<Shared*>(map);
  family(3, shared.uuids, shared.used);
  std::set<std::string> different;
  for (int i = 0; i < shared.used; ++i) CHECK(different.insert(shared.uuids[i]).second);
  CHECK_EQ(4 * 2 + 4 * (4 * 2 + 4 * (4 * 2 + 4 * 4)), shared.used);
  return 0;
}
