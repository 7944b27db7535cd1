// Nothing is shared: 20 threads draw and render while every page that the library shares between threads is read-only,
// its variables, the fork page, the process page, the counter and the TIDs. Only the pages of the threads' own lanes
// stay writable.
#include <pthread.h>

#include <set>
#include <string>

#include "edge.h"
#include "process.h"

extern "C" char __data_start, _end;

namespace {

constexpr size_t kThreads = 20;
constexpr int kRounds = 3000;

struct Range {
  uintptr_t from, to;
  int access;
};

uintptr_t page_of(const void* p) { return reinterpret_cast<uintptr_t>(p) & ~uintptr_t{4095}; }

// The mappings that the library made: what it keeps out of core dumps, nobody else here does.
std::vector<Range> library_pages() {
  std::vector<Range> found;
  FILE* file = fopen("/proc/self/smaps", "r");
  CHECK(file != nullptr);
  char line[512];
  Range range{};
  while (fgets(line, sizeof line, file) != nullptr) {
    char access[5];
    uintptr_t from, to;
    if (sscanf(line, "%lx-%lx %4s", &from, &to, access) == 3)
      range = {from, to, PROT_READ | (access[1] == 'w' ? PROT_WRITE : 0)};
    else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " dd") != nullptr && range.access != PROT_READ)
      found.push_back(range);
  }
  fclose(file);
  return found;
}

// Calls nothing that the loader has yet to bind: its table is read-only as well.
void on_fault(int, siginfo_t*, void*) {
  constexpr char kWhy[] = "a draw wrote to a shared page\n";
  syscall(SYS_write, 1, kWhy, sizeof kWhy - 1);
  syscall(SYS_exit_group, 1);
}

}  // namespace

int main() {
  loguuid_format* format;
  CHECK_EQ(LOGUUID_OK, loguuid_format_compile(&format, "%t %[uuid] %[uuid(7)] %[ulid]", nullptr, 0, 0, nullptr));
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  syscall(SYS_getpid);

  // std::barrier has variables of its own among ours; this one is on the stack.
  pthread_barrier_t everybody;
  CHECK_EQ(0, pthread_barrier_init(&everybody, nullptr, kThreads + 1));
  std::vector<uintptr_t> lanes(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const auto draws = [&] {
        char text[20 * 37];
        loguuid_v4(text, sizeof text);
        loguuid_v7(text, sizeof text);
        loguuid_ulid(text, sizeof text);
        loguuid_v4_many(text, sizeof text, 20, ' ');
        loguuid_token(text, sizeof text, 33, LOGUUID_BASE64);
        loguuid_random64();
        loguuid_format_render(format, text, sizeof text, nullptr);
      };
      if (t % 2 != 0) CHECK_EQ(LOGUUID_OK, loguuid_thread_start(static_cast<uint32_t>(t)));
      draws();
      lanes[t] = page_of(loguuid::current_lane);
      pthread_barrier_wait(&everybody);
      pthread_barrier_wait(&everybody);  // all is read-only
      for (int i = 0; i < kRounds; ++i) draws();
      pthread_barrier_wait(&everybody);
      pthread_barrier_wait(&everybody);  // all is writable: ending threads give their lanes back
    });
  pthread_barrier_wait(&everybody);

  std::vector<Range> pages = library_pages();
  pages.push_back({page_of(&__data_start), page_of(&_end) + 4096, PROT_READ | PROT_WRITE});
  const std::set<uintptr_t> own(lanes.begin(), lanes.end());
  CHECK_EQ(kThreads, own.size());
  size_t shared = 0, lanes_seen = 0;
  const uintptr_t word = page_of(const_cast<const uint64_t*>(loguuid::fork_word));
  bool has_word = false;
  // Nothing of this program may write its variables from here on.
  for (const Range& range : pages)
    for (uintptr_t page = range.from; page < range.to; page += 4096) {
      if (own.contains(page)) {
        ++lanes_seen;
        continue;
      }
      has_word |= page == word;
      ++shared;
      mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ);
    }
  pthread_barrier_wait(&everybody);
  pthread_barrier_wait(&everybody);
  for (const Range& range : pages)
    if (mprotect(reinterpret_cast<void*>(range.from), range.to - range.from, range.access) != 0) _exit(2);
  pthread_barrier_wait(&everybody);
  for (std::thread& thread : threads) thread.join();
  CHECK(has_word);
  CHECK_EQ(kThreads, lanes_seen);
  printf("%zu threads, %d rounds, %zu pages read-only, no fault\n", kThreads, kRounds, shared);
  return 0;
}
