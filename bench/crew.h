// The wrapper that every design runs in: a crew of threads that stay, each rendering lines into its own buffer for the
// same stretch of wall time, started together.
//
// CPU time is read once before and once after a stretch. The time of a line is taken of every seventh line (a prime, so
// that it does not beat with anything that happens every so many draws), at a cost of some 3 ns a line for everyone.
// Where a line itself takes little more, every 61st is enough.
// Wall time ends when the threads are told to stop: a thread without a core at that moment has one line more to make,
// but the wait for its core is not the design's.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "histogram.h"

namespace bench {

// Something that renders lines.
class Design {
 public:
  virtual ~Design() = default;
  virtual const char* name() const = 0;
  virtual size_t capacity() const = 0;        // bytes that a line needs, the NUL included
  virtual void begin() {}                     // before a round, in the main thread
  virtual void end() {}                       // after it
  virtual void enter(unsigned /*thread*/) {}  // in each thread, before its first line of a round
  virtual void leave(unsigned /*thread*/) {}  // and after its last
  virtual size_t line(unsigned thread, char* out, size_t cap) = 0;
};

// What one or more rounds took, all threads together.
struct Cost {
  uint64_t lines = 0;
  uint64_t cpu_ns = 0;
  uint64_t wall_ns = 0;
  double user_s = 0, sys_s = 0;
  uint64_t voluntary = 0, involuntary = 0;  // context switches
  Histogram line_ticks;

  void add(const Cost& other);
};

constexpr unsigned kTimedEvery = 7, kTimedSeldom = 61;

class Crew {
 public:
  explicit Crew(unsigned threads, unsigned timed_every = kTimedEvery);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  Cost run(Design& design, double seconds);

 private:
  struct Member {
    Cost cost;
    uint64_t began = 0;
    std::vector<char> buffer;
  };

  void work(unsigned index);
  void measure(Member& member, unsigned index);
  void meet() { pthread_barrier_wait(&barrier_); }

  const unsigned timed_every_;
  pthread_barrier_t barrier_;
  Design* design_ = nullptr;  // NULL at a meeting: go home
  alignas(64) std::atomic<bool> stop_{false};
  alignas(64) std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::thread> threads_;
};

}  // namespace bench
