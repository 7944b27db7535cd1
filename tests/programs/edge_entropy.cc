// A hostile environment gives an error or works, and never a weak identifier: sandboxes that refuse getrandom, a root
// without /dev, something else in the place of /dev/urandom, no descriptors, interrupted and short reads, a pool that
// is not ready. No descriptor stays open.
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <chrono>
#include <string>

#include "edge.h"

namespace {

// How the getrandom() and read() of this program behave, which the library calls.
enum class Mood { real, interrupted_and_short, not_ready, not_ready_at_first };
Mood mood;
size_t calls, given;

ssize_t moody(long number, int fd, void* out, size_t len, unsigned flags) {
  ++calls;
  if (mood == Mood::not_ready || (mood == Mood::not_ready_at_first && calls < 20)) {
    errno = EAGAIN;
    return -1;
  }
  if (mood == Mood::interrupted_and_short) {
    if (calls % 3 != 0) {
      errno = EINTR;
      return -1;
    }
    len = len < 5 ? len : 5;
  }
  const ssize_t n =
      number == SYS_read ? syscall(SYS_read, fd, out, len) : syscall(SYS_getrandom, out, len, static_cast<long>(flags));
  if (n > 0) given += static_cast<size_t>(n);
  return n;
}

}  // namespace

extern "C" ssize_t getrandom(void* out, size_t len, unsigned flags) {
  return moody(SYS_getrandom, -1, out, len, flags);
}
extern "C" ssize_t read(int fd, void* out, size_t len) { return moody(SYS_read, fd, out, len, 0); }

namespace {

int open_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 256; ++fd) count += fcntl(fd, F_GETFD) != -1;
  return count;
}

// From now on getrandom ends with `action` in this process.
void refuse_getrandom(unsigned action) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {4, code};
  CHECK_EQ(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  CHECK_EQ(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

unsigned refusal(int error) { return SECCOMP_RET_ERRNO | static_cast<unsigned>(error); }

// Boots, draws in several lanes and processes: all values differ.
void works() {
  const int descriptors = open_descriptors();
  CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
  Drawn drawn(4096);
  for (int i = 0; i < 100; ++i) drawn.add_v4();
  for (int t = 0; t < 8; ++t)
    in_a_thread([&] {
      for (int i = 0; i < 50; ++i) drawn.add_v4();
    });
  for (int c = 0; c < 4; ++c)
    in_a_child([&] {
      for (int i = 0; i < 50; ++i) drawn.add_v4();
    });
  CHECK_EQ(0, drawn.duplicates());
  CHECK_EQ(descriptors, open_descriptors());
}

// Says so when it is asked to boot, and aborts when it cannot say.
void refuses() {
  const int descriptors = open_descriptors();
  CHECK_EQ(LOGUUID_ERR_ENTROPY, loguuid_boot(nullptr));
  CHECK_EQ(LOGUUID_ERR_ENTROPY, loguuid_thread_start(1));
  loguuid_gen gen;
  CHECK_EQ(LOGUUID_ERR_ENTROPY, loguuid_gen_init_live(&gen));
  CHECK_EQ(descriptors, open_descriptors());
  rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int status = status_of_child([] { v4_id(); });
  CHECK(WIFSIGNALED(status));
  CHECK_EQ(SIGABRT, WTERMSIG(status));
}

// ---- sandboxes ----

void sandboxes() {
  for (const int error : {ENOSYS, EPERM, EACCES, 0})
    in_a_child([=] {
      refuse_getrandom(refusal(error));
      works();
    });
  const int before_boot = status_of_child([] {
    refuse_getrandom(SECCOMP_RET_KILL_PROCESS);
    v4_id();
  });
  CHECK(WIFSIGNALED(before_boot));
  CHECK_EQ(SIGSYS, WTERMSIG(before_boot));

  // After boot a thread that has its lane goes on; a new lane ends the process rather than do without.
  const int after_boot = status_of_child([] {
    v4_id();
    refuse_getrandom(SECCOMP_RET_KILL_PROCESS);
    for (int i = 0; i < 10000; ++i) v4_id();
    in_a_thread([] {
      v4_id();
      _exit(3);
    });
  });
  CHECK(WIFSIGNALED(after_boot));
  CHECK_EQ(SIGSYS, WTERMSIG(after_boot));
}

// ---- another root ----

std::string root;

void in_the_root() {
  CHECK_EQ(0, chroot(root.c_str()));
  CHECK_EQ(0, chdir("/"));
  refuse_getrandom(refusal(ENOSYS));
}

void with_urandom(const char* what, int (*make)(const char* path), void (*expected)()) {
  const std::string path = root + "/dev/urandom";
  CHECK_EQ(0, make(path.c_str()));
  printf("/dev/urandom is %s\n", what);
  in_a_child([=] {
    in_the_root();
    expected();
  });
  CHECK_EQ(0, remove(path.c_str()));
}

int device(const char* path, mode_t kind, unsigned major_number, unsigned minor_number) {
  return mknod(path, kind | 0666, makedev(major_number, minor_number));
}

int regular_file(const char* path) {
  FILE* file = fopen(path, "w");
  if (file == nullptr) return -1;
  for (int i = 0; i < 4096; ++i) fputc(i, file);
  return fclose(file);
}

bool make_root() {
  char folder[] = "/tmp/loguuid-root-XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  root = folder;
  return status_of_child([] { _exit(chroot(root.c_str()) == 0 ? 0 : 1); }) == 0;
}

void other_roots() {
  if (!make_root()) {
    printf("chroot is not permitted: those parts are left out\n");
    rmdir(root.c_str());
    return;
  }
  in_a_child([] {  // no /dev at all
    in_the_root();
    refuses();
  });
  in_a_child([] {  // the same, but only after the boot: lanes get their keys from the process's
    v4_id();
    in_the_root();
    Drawn drawn(4096);
    for (int t = 0; t < 16; ++t)
      in_a_thread([&] {
        for (int i = 0; i < 100; ++i) drawn.add_v4();
      });
    for (int c = 0; c < 4; ++c)
      in_a_child([&] {
        for (int i = 0; i < 100; ++i) drawn.add_v4();
      });
    CHECK_EQ(0, drawn.duplicates());
    CHECK_EQ(LOGUUID_ERR_ENTROPY, loguuid_reseed());
  });

  CHECK_EQ(0, mkdir((root + "/dev").c_str(), 0755));
  with_urandom("a regular file", regular_file, refuses);
  with_urandom(
      "a FIFO", [](const char* path) { return mkfifo(path, 0666); }, refuses);
  with_urandom(
      "a folder", [](const char* path) { return mkdir(path, 0755); }, refuses);
  const std::string real = root + "/dev/real";
  if (device(real.c_str(), S_IFCHR, 1, 9) != 0) {
    printf("device files are not permitted: those parts are left out\n");
  } else {
    with_urandom(
        "a link to the device", [](const char* path) { return symlink("real", path); }, refuses);
    with_urandom(
        "the zero device", [](const char* path) { return device(path, S_IFCHR, 1, 5); }, refuses);
    with_urandom(
        "a block device", [](const char* path) { return device(path, S_IFBLK, 1, 9); }, refuses);
    with_urandom(
        "the device", [](const char* path) { return device(path, S_IFCHR, 1, 9); }, works);
    with_urandom(
        "the device, in small pieces", [](const char* path) { return device(path, S_IFCHR, 1, 9); },
        [] {
          mood = Mood::interrupted_and_short;
          given = 0;
          CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
          CHECK_EQ(48, given);
        });
    CHECK_EQ(0, unlink(real.c_str()));
  }
  rmdir((root + "/dev").c_str());
  rmdir(root.c_str());
}

// ---- descriptors ----

void no_descriptors() {
  for (int fd = 3; fd < 256; ++fd) close(fd);
  const rlimit three = {3, 256}, many = {256, 256};
  CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &three));
  in_a_child(works);
  refuse_getrandom(refusal(ENOSYS));
  refuses();
  CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &many));
  works();  // a failed boot has left nothing
}

// ---- time ----

long milliseconds_of(void (*work)()) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return static_cast<long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count());
}

void early_boot() {
  in_a_child([] {
    mood = Mood::not_ready;
    loguuid_set_entropy_wait(60);
    const long waited = milliseconds_of([] { CHECK_EQ(LOGUUID_ERR_ENTROPY, loguuid_boot(nullptr)); });
    CHECK(waited >= 60 && waited < 10000);
    loguuid_set_entropy_wait(0);
    calls = 0;
    CHECK_EQ(LOGUUID_ERR_ENTROPY, loguuid_boot(nullptr));
    CHECK_EQ(1, calls);
    refuses();
    mood = Mood::real;
    works();
  });
  in_a_child([] {
    mood = Mood::not_ready_at_first;
    works();
    CHECK(calls > 20);
  });
  in_a_child([] {
    mood = Mood::interrupted_and_short;
    given = 0;
    CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
    CHECK_EQ(48, given);
    Drawn drawn(64);
    for (int i = 0; i < 64; ++i) drawn.add_v4();
    CHECK_EQ(0, drawn.duplicates());
  });
}

}  // namespace

int main() {
  in_a_child(works);
  sandboxes();
  in_a_child(no_descriptors);
  early_boot();
  other_roots();
  return 0;
}
