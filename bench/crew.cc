#include "crew.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "clock.h"
#include "loguuid.h"

namespace bench {
namespace {

double seconds_of(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

rusage thread_usage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

void add_usage(Cost& cost, const rusage& from, const rusage& to) {
  cost.user_s += seconds_of(to.ru_utime) - seconds_of(from.ru_utime);
  cost.sys_s += seconds_of(to.ru_stime) - seconds_of(from.ru_stime);
  cost.voluntary += static_cast<uint64_t>(to.ru_nvcsw - from.ru_nvcsw);
  cost.involuntary += static_cast<uint64_t>(to.ru_nivcsw - from.ru_nivcsw);
}

}  // namespace

void Cost::add(const Cost& other) {
  lines += other.lines;
  cpu_ns += other.cpu_ns;
  wall_ns += other.wall_ns;
  user_s += other.user_s;
  sys_s += other.sys_s;
  voluntary += other.voluntary;
  involuntary += other.involuntary;
  line_ticks.merge(other.line_ticks);
}

Crew::Crew(unsigned threads, unsigned timed_every) : timed_every_(timed_every) {
  pthread_barrier_init(&barrier_, nullptr, threads + 1);
  for (unsigned i = 0; i < threads; ++i) members_.push_back(std::make_unique<Member>());
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back(&Crew::work, this, i);
}

Crew::~Crew() {
  design_ = nullptr;
  meet();
  for (std::thread& thread : threads_) thread.join();
  pthread_barrier_destroy(&barrier_);
}

void Crew::work(unsigned index) {
  loguuid_thread_start(index);
  Member& member = *members_[index];
  for (;;) {
    meet();
    if (design_ == nullptr) return;
    member.cost = Cost{};
    member.buffer.resize(design_->capacity());
    design_->enter(index);
    meet();
    measure(member, index);
    design_->leave(index);
    meet();
  }
}

void Crew::measure(Member& member, unsigned index) {
  Design& design = *design_;
  char* const out = member.buffer.data();
  const size_t cap = member.buffer.size();
  const unsigned timed_every = timed_every_;
  uint64_t lines = 0;
  const rusage usage = thread_usage();
  member.began = wall_ns();
  const uint64_t cpu = thread_cpu_ns();
  do {
    const uint64_t start = ticks();
    design.line(index, out, cap);
    member.cost.line_ticks.add(ticks() - start);
    ++lines;
    for (unsigned i = 1; i < timed_every && !stop_.load(std::memory_order_relaxed); ++i, ++lines)
      design.line(index, out, cap);
  } while (!stop_.load(std::memory_order_relaxed));
  member.cost.cpu_ns = thread_cpu_ns() - cpu;
  add_usage(member.cost, usage, thread_usage());
  member.cost.lines = lines;
}

Cost Crew::run(Design& design, double seconds) {
  design_ = &design;
  stop_.store(false);
  design.begin();
  meet();  // members make ready
  meet();  // and start
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const uint64_t stopped = wall_ns();
  stop_.store(true);
  meet();
  design.end();

  Cost sum;
  uint64_t began = stopped;
  for (const auto& member : members_) {
    sum.add(member->cost);
    began = std::min(began, member->began);
  }
  sum.wall_ns = stopped - began;
  return sum;
}

}  // namespace bench
