// A timer that fires ten thousand times a second, without SA_RESTART, during boots and draws: its handler draws in
// every way, and all values differ. Boots in handlers wait for no lock, and forks, thread ends and boots at the same
// time neither.
#include <pthread.h>
#include <sys/time.h>

#include <atomic>

#include "emulator.h"
#include "step.h"

namespace {

Drawn* drawn;
loguuid_format* format;
volatile sig_atomic_t ticks;

void add_text(const char* text) {
  Id id;
  CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text, 36));
  drawn->add(id);
}

void draw_somehow(unsigned how) {
  char text[4 * 37];
  switch (how % 5) {
    case 0:
      drawn->add_v4();
      break;
    case 1:
      CHECK_EQ(36, loguuid_v7(text, sizeof text));
      add_text(text);
      break;
    case 2:
      CHECK_EQ(4 * 37 - 1, loguuid_v4_many(text, sizeof text, 4, ' '));
      for (size_t i = 0; i < 4; ++i) add_text(text + 37 * i);
      break;
    case 3:
      CHECK_EQ(73, loguuid_format_render(format, text, sizeof text, nullptr));
      add_text(text);
      add_text(text + 37);
      break;
    default:
      CHECK_EQ(36, loguuid_v4(text, sizeof text));
      add_text(text);
  }
}

void on_tick(int) {
  ticks = ticks + 1;
  draw_somehow(static_cast<unsigned>(ticks));
}

void timer(bool on) {
  struct sigaction action {};
  action.sa_handler = on_tick;
  CHECK_EQ(0, sigaction(SIGALRM, &action, nullptr));
  const itimerval every = {{0, on ? 100 : 0}, {0, on ? 100 : 0}};
  CHECK_EQ(0, setitimer(ITIMER_REAL, &every, nullptr));
}

// v7 values of one lane share the millisecond and count up: only whole values are compared there.
void all_differ() {
  std::vector<Id> all;
  for (size_t i = 0; i < drawn->size(); ++i) all.push_back((*drawn)[i]);
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

void start() {
  drawn = new Drawn(1 << 20);
  CHECK_EQ(LOGUUID_OK, loguuid_format_compile(&format, "%[uuid] %[uuid(4)]", nullptr, 0, 0, nullptr));
}

void draws_under_a_timer() {
  start();
  timer(true);
  for (unsigned i = 0; ticks < 5000 && i < 400000; ++i) draw_somehow(i);
  timer(false);
  CHECK(ticks > 50);
  all_differ();
  printf("%d ticks, %zu values\n", static_cast<int>(ticks), drawn->size());
}

void boot_under_a_timer() {
  start();
  timer(true);
  for (unsigned i = 0; i < 50; ++i) draw_somehow(i);
  timer(false);
  all_differ();
}

// ---- a boot inside a handler, at each instruction of a function that holds a lock of the C library ----

long boot_at;

void boot_here(long step) {
  if (step != boot_at) return;
  v4_id();
  step::stop = true;
}

void boot_inside(void (*work)(), long stride) {
  for (boot_at = 0;; boot_at += stride) {
    const int status = status_of_child([=] {
      alarm(20);  // a wait that never ends
      const long steps = step::through(work, boot_here);
      _exit(steps <= boot_at ? 3 : 0);
    });
    if (WIFSIGNALED(status)) printf("a boot at instruction %ld ended by signal %d\n", boot_at, WTERMSIG(status));
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == 3) break;  // the work was over before
    CHECK_EQ(0, WEXITSTATUS(status));
  }
  CHECK(boot_at > 20);
}

// ---- forks while other threads boot, draw, start and stop ----

void forks_beside_threads() {
  constexpr uint32_t kForks = 30, kThreads = 4;
  constexpr size_t kKept = 1 << 16;  // of the threads' values, as long as they look before they add
  std::atomic<bool> stop = false;
  Drawn all(kKept + kThreads + size_t{2} * kThreads * kForks);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      while (!stop) {
        // Forks take as long as the machine makes them: the threads go on beside them, but keep only so many.
        const bool keep = all.size() < kKept;
        if (loguuid_thread_start(t) == LOGUUID_OK) keep ? all.add_v4() : void(v4_id());
        loguuid_thread_stop();
        in_a_thread([&] { v4_id(); });
      }
    });
  for (uint32_t i = 0; i < kForks; ++i) {
    const int status = status_of_child([&] {
      alarm(20);
      for (uint32_t t = 0; t < kThreads; ++t) {
        all.add_v4();
        CHECK_EQ(LOGUUID_OK, loguuid_thread_start(t));
        all.add_v4();
        loguuid_thread_stop();
      }
    });
    CHECK_EQ(0, status);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(0, all.duplicates());
}

}  // namespace

int main() {
  if (const char* why = emulator::wrong_with_signals()) skip(why);
  in_a_child(draws_under_a_timer);
  for (int i = 0; i < 40; ++i) in_a_child(boot_under_a_timer);
  in_a_child(forks_beside_threads);
  if (kCanStep) {
    boot_inside([] { pthread_atfork(nullptr, nullptr, [] {}); }, 3);
    boot_inside(
        [] {
          void* volatile memory = malloc(100000);
          free(memory);
        },
        20);
  }
  return 0;
}
