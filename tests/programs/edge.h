// For the programs that provoke faults: children that report into shared memory, and a comparison of everything that
// was drawn anywhere, as whole identifiers and as halves.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

using Id = std::array<unsigned char, 16>;

inline Id v4_id() {
  Id id;
  loguuid_v4_bytes(id.data());
  return id;
}

inline Id v7_id() {
  Id id;
  loguuid_v7_bytes(id.data());
  return id;
}

inline bool is_v4(const Id& id) { return id[6] >> 4 == 4 && id[8] >> 6 == 2; }

// What a tree of processes and its signal handlers drew. Lies in memory that all of them share; nothing is allocated.
class Drawn {
 public:
  explicit Drawn(size_t capacity) : capacity_(capacity) {
    void* memory = mmap(nullptr, sizeof(Id) * capacity + sizeof(uint64_t) * 8, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED);
    count_ = static_cast<uint64_t*>(memory);
    ids_ = reinterpret_cast<Id*>(count_ + 8);
  }
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;

  void add(const Id& id) {
    const uint64_t at = __atomic_fetch_add(count_, 1, __ATOMIC_RELAXED);
    CHECK(at < capacity_);
    ids_[at] = id;
  }
  void add_v4() {
    const Id id = v4_id();
    CHECK(is_v4(id));
    add(id);
  }
  size_t size() const { return __atomic_load_n(count_, __ATOMIC_RELAXED); }
  const Id& operator[](size_t i) const { return ids_[i]; }
  void clear() { *count_ = 0; }

  // The number of values that were there already, whole and by halves.
  size_t duplicates() const {
    std::vector<Id> whole(ids_, ids_ + size());
    std::vector<uint64_t> halves;
    for (const Id& id : whole) {
      uint64_t half[2];
      memcpy(half, id.data(), 16);
      halves.push_back(half[0]);
      halves.push_back(half[1]);
    }
    return equal_neighbours(whole) + equal_neighbours(halves);
  }

 private:
  template <class Value>
  static size_t equal_neighbours(std::vector<Value>& values) {
    std::sort(values.begin(), values.end());
    size_t equal = 0;
    for (size_t i = 1; i < values.size(); ++i) equal += values[i] == values[i - 1];
    return equal;
  }

  size_t capacity_;
  uint64_t* count_;
  Id* ids_;
};

// Does this system wipe pages on fork, as the library sees it?
inline bool fork_wipes() {
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  return strcmp(info.fork_detection, "wiped page and atfork") == 0;
}

inline int wait_for(pid_t child) {
  int status;
  pid_t waited;
  do waited = waitpid(child, &status, 0);
  while (waited < 0 && errno == EINTR);
  CHECK(waited == child);
  return status;
}

// Runs `work` in a child made by fork(); returns its wait status.
template <class Work>
int status_of_child(Work work) {
  fflush(stdout);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    work();
    fflush(stdout);
    _exit(0);
  }
  return wait_for(child);
}

// The same, and the child must end well. What it prints is the reason if not.
template <class Work>
void in_a_child(Work work) {
  const int status = status_of_child(work);
  if (status == 0) return;
  if (WIFSIGNALED(status)) printf("a child was ended by signal %d\n", WTERMSIG(status));
  fflush(stdout);
  _Exit(1);
}

// A child that the C library knows nothing of: no handler runs in it.
inline pid_t raw_clone() { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

inline loguuid_status boot_in_mode(bool reproducible, uint64_t seed = 42) {
  const loguuid_config config = seeded_config(seed);
  return loguuid_boot(reproducible ? &config : nullptr);
}
