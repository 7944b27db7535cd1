// Single steps: a trap after every instruction of some work, so that a handler can do its worst at each place.
#pragma once

#include <sys/ucontext.h>

#include "edge.h"

#ifdef __x86_64__
constexpr bool kCanStep = true;

namespace step {

inline void (*at_each)(long step);  // called in the signal handler
inline volatile long steps;
inline volatile bool stop;

inline constexpr long long kTrapFlag = 0x100;

inline void on_trap(int, siginfo_t*, void* context) {
  auto& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  flags &= ~kTrapFlag;
  if (stop) return;
  const long step = steps;
  steps = step + 1;
  at_each(step);
  if (!stop) flags |= kTrapFlag;
}

inline void trap_flag_on() {
  __asm__ volatile("subq $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; addq $128, %%rsp" : : : "memory", "cc");
}

// Calls at_each(0), at_each(1), ... between the instructions of `work` until it sets `stop` or the work is done;
// returns how often.
template <class Work>
long through(Work work, void (*handler)(long)) {
  struct sigaction action {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  at_each = handler;
  steps = 0;
  stop = false;
  trap_flag_on();
  work();
  stop = true;
  return steps;
}

}  // namespace step

#else
constexpr bool kCanStep = false;
namespace step {
inline volatile long steps;
inline volatile bool stop;
template <class Work>
long through(Work work, void (*)(long)) {
  work();
  return 0;
}
}  // namespace step
#endif
