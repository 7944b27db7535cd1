// The operating system's part of platform.h. Linux is the system at home; others get getentropy, pthread_atfork alone
// and the system clock.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "base.h"
#include "platform.h"

#ifdef __linux__
#include <sys/random.h>
#include <sys/sysmacros.h>
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif

namespace loguuid {
namespace {

constexpr uint64_t kNsPerSecond = 1000000000;
constexpr uint64_t kNsPerMs = 1000000;

uint64_t clock_ns(clockid_t clock) {
  timespec now;
  if (clock_gettime(clock, &now) != 0 || now.tv_sec < 0) return 0;
  if (static_cast<uint64_t>(now.tv_sec) >= UINT64_MAX / kNsPerSecond) return UINT64_MAX;  // behind the year 2554
  return static_cast<uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

class Deadline {
 public:
  explicit Deadline(unsigned wait_ms) : end_(clock_ns(CLOCK_MONOTONIC) + wait_ms * kNsPerMs) {}
  // Milliseconds that are left, rounded up; 0 when it has passed.
  int left_ms() const {
    const uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const uint64_t left = now >= end_ ? 0 : (end_ - now + kNsPerMs - 1) / kNsPerMs;
    return left > INT_MAX ? INT_MAX : static_cast<int>(left);
  }

 private:
  uint64_t end_;
};

#ifdef __linux__

// A character device of the kernel's memory driver, opened without following a link and without waiting for a writer,
// as a FIFO in its place would want. -1: there is none.
int open_memory_device(const char* path, unsigned device_minor) {
  int fd;
  do fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return -1;
#ifndef LOGUUID_MUTANT_ENTROPY_FILE
  struct stat st;
  if (fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, device_minor)) {
    close(fd);
    return -1;
  }
#endif
  return fd;
}

// /dev/urandom answers before the pool is ready; /dev/random becomes readable when it is.
bool wait_for_pool(const Deadline& deadline) {
  const int fd = open_memory_device("/dev/random", 8);
  if (fd < 0) return true;  // no such device: nothing to ask
  pollfd ready = {fd, POLLIN, 0};
  int n;
  do n = poll(&ready, 1, deadline.left_ms());
  while (n < 0 && errno == EINTR);
  close(fd);
  return n > 0;
}

bool urandom_fill(uint8_t* out, size_t len, const Deadline& deadline) {
  if (!wait_for_pool(deadline)) return false;
  const int fd = open_memory_device("/dev/urandom", 9);
  if (fd < 0) return false;
  while (len != 0) {
    const ssize_t n = read(fd, out, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    out += n;
    len -= static_cast<size_t>(n);
  }
#ifndef LOGUUID_MUTANT_DESCRIPTOR
  close(fd);
#endif
  return len == 0;
}

bool system_fill(uint8_t* out, size_t len, const Deadline& deadline) {
  while (len != 0) {
    const ssize_t n = getrandom(out, len, GRND_NONBLOCK);
    if (n > 0) {
#ifdef LOGUUID_MUTANT_SHORT_READ
      return true;
#endif
      out += n;
      len -= static_cast<size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {  // the pool is not ready
#ifdef LOGUUID_MUTANT_ENTROPY_WAIT
      return true;
#endif
      if (deadline.left_ms() == 0) return false;
      const timespec one_ms = {0, static_cast<long>(kNsPerMs)};
      nanosleep(&one_ms, nullptr);
    } else if (n == 0 || errno != EINTR) {  // refused; a sandbox may also skip the call and return 0
      return urandom_fill(out, len, deadline);
    }
  }
  return true;
}

#else

bool system_fill(uint8_t* out, size_t len, const Deadline&) {
  constexpr size_t kMost = 256;
  for (; len > kMost; out += kMost, len -= kMost)
    if (getentropy(out, kMost) != 0) return false;
  return getentropy(out, len) == 0;
}

#endif

void* map_pages(size_t bytes, int sharing) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
#ifndef LOGUUID_MUTANT_DUMP
  madvise(pages, bytes, MADV_DONTDUMP);
#endif
  return pages;
}

}  // namespace

bool entropy_fill(void* out, size_t len, unsigned wait_ms) {
  const int saved_errno = errno;
  const bool ok = system_fill(static_cast<uint8_t*>(out), len, Deadline(wait_ms));
  errno = saved_errno;
  return ok;
}

size_t page_size() {
  static size_t size;  // zero until first asked; threads that ask at once store the same value
  size_t known = __atomic_load_n(&size, __ATOMIC_RELAXED);
  if (known == 0) {
    known = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    __atomic_store_n(&size, known, __ATOMIC_RELAXED);
  }
  return known;
}

void* pages_new(size_t bytes) { return map_pages(bytes, MAP_PRIVATE); }

void* pages_new_shared(size_t bytes) { return map_pages(bytes, MAP_SHARED); }

void* pages_new_wiped_on_fork(size_t bytes) {
  void* pages = map_pages(bytes, MAP_PRIVATE);
#if !defined(LOGUUID_MUTANT_FORK_WORD) && !defined(LOGUUID_VARIANT_NO_WIPE)
  if (pages != nullptr) madvise(pages, bytes, MADV_WIPEONFORK);
#endif
  return pages;
}

void pages_free(void* pages, size_t bytes) { munmap(pages, bytes); }

void pages_protect(void* pages, size_t bytes) { mprotect(pages, bytes, PROT_READ); }

void pages_unprotect(void* pages, size_t bytes) { mprotect(pages, bytes, PROT_READ | PROT_WRITE); }

bool wipe_on_fork_works() {
#if defined(__linux__) && !defined(LOGUUID_VARIANT_NO_WIPE)
  void* page = map_pages(page_size(), MAP_PRIVATE);
  if (page == nullptr) return false;
  // Emulators and old sandboxes say yes to any advice and do nothing: one that nobody knows must fail.
  constexpr int kNoSuchAdvice = 0x7fff;
  const bool works = madvise(page, page_size(), kNoSuchAdvice) != 0 && madvise(page, page_size(), MADV_WIPEONFORK) == 0;
  munmap(page, page_size());
  return works;
#else
  return false;
#endif
}

uint64_t process_id() { return static_cast<uint64_t>(getpid()); }

uint64_t system_clock_ns() { return clock_ns(CLOCK_REALTIME); }

}  // namespace loguuid
