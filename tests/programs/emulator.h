// What an emulator may get wrong, found out without the library, so that a test can say why it asks for nothing here.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <thread>

namespace emulator {

inline thread_local volatile int mine;
inline volatile uintptr_t frame;

// After a signal handler returns, does a thread still find its own thread-local variables? Under QEMU 7.2's qemu-i386
// it finds those of the thread that was made last: there all threads share one table of segments, and a return from a
// handler reads the segment anew.
inline bool signals_keep_threads_apart() {
  mine = 1;
  std::atomic<bool> runs{false};
  std::thread([&runs] {
    mine = 2;
    runs.store(true);
    for (;;) pause();
  }).detach();
  while (!runs.load()) std::this_thread::yield();
  raise(SIGUSR1);
  return mine == 1;
}

// Does a handler begin with the stack as the System V ABI of x86-64 has it? Under QEMU 7.2's qemu-x86_64 it is 8 bytes
// off, and a compiler's aligned stores fault.
inline bool signals_keep_the_stack_aligned() {
#if defined(__x86_64__)
  raise(SIGUSR1);
  return frame % 16 == 0;
#else
  return true;
#endif
}

// What is wrong with signals here, or NULL. Asked in a child, which may then be as it likes.
inline const char* wrong_with_signals() {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGUSR1, [](int) { frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); });
    _exit(!signals_keep_the_stack_aligned() ? 2 : !signals_keep_threads_apart() ? 1 : 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return nullptr;  // nothing was found out
  switch (WEXITSTATUS(status)) {
    case 1:
      return "this emulator gives a thread another's variables after a signal";
    case 2:
      return "this emulator gives signal handlers a misaligned stack";
    default:
      return nullptr;
  }
}

}  // namespace emulator
