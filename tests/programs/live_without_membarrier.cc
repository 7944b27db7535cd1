// A system that refuses membarrier(2): from the start, or from one day on. Readers then pay for their barrier
// themselves; every line stays whole and old formats are freed.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "check.h"

namespace {

bool refuse_membarrier() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

loguuid_format* numbered(int n) {
  const std::string number = std::to_string(n), text = number + std::string(4096, ' ') + "%[uuid] " + number;
  loguuid_format* format = nullptr;
  CHECK_EQ(LOGUUID_OK, loguuid_format_compile(&format, text.c_str(), nullptr, 0, LOGUUID_FORMAT_MERGE_SPACES, nullptr));
  return format;
}

void check_line(loguuid_live* live) {
  char out[256];
  const std::string line(out, loguuid_live_render(live, out, sizeof out, nullptr));
  const size_t first = line.find(' '), last = line.rfind(' ');
  CHECK(first != std::string::npos && last - first == 37);
  CHECK(line.substr(0, first) == line.substr(last + 1));
}

size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// 0: it held, 77: the system has no seccomp.
int scenario(bool refused_from_the_start) {
  if (refused_from_the_start && !refuse_membarrier()) return 77;
  loguuid_live* live = nullptr;
  CHECK_EQ(LOGUUID_OK, loguuid_live_new(&live, numbered(0)));
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) check_line(live);
    });
  for (int n = 1; n <= 2000; ++n) {
    if (n == 1000 && !refused_from_the_start && !refuse_membarrier()) _exit(77);
    CHECK_EQ(LOGUUID_OK, loguuid_live_replace(live, numbered(n)));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  const size_t before = bytes_in_use();
  for (int n = 0; n < 1000; ++n) CHECK_EQ(LOGUUID_OK, loguuid_live_replace(live, numbered(n)));
  CHECK(bytes_in_use() < before + 100000);
  loguuid_live_free(live);
  return 0;
}

int in_child(bool refused_from_the_start) {
  const pid_t child = fork();
  if (child == 0) _exit(scenario(refused_from_the_start));
  int status = -1;
  CHECK_EQ(child, waitpid(child, &status, 0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main() {
  for (const bool from_the_start : {true, false}) {
    const int result = in_child(from_the_start);
    if (result == 77) skip("this system lets no program filter its calls");
    CHECK_EQ(0, result);
  }
  return 0;
}
