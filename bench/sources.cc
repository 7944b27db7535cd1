// Where a generator may live: one for all threads (under a lock, or stepped by compare-and-swap), one for each thread,
// or one for each task, where a task is rendered by whichever thread comes by, as coroutines are. All make text with
// this library, so that the rows differ in the source alone.
#include <fmt/core.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "loguuid.h"
#include "machine.h"
#include "measure.h"
#include "rivals.h"
#include "scenarios.h"
#include "table.h"

namespace bench {
namespace {

constexpr unsigned kThreadCounts[] = {1, 2, 4, 8, 20};
constexpr unsigned kMostThreads = 20;
constexpr size_t kUuids = 100;
constexpr unsigned kRounds = 5;
constexpr double kSeconds = 0.75;

class Source : public Design {
 public:
  explicit Source(size_t uuids) : uuids_(uuids) {}
  size_t capacity() const override { return 37 * uuids_; }

 protected:
  // One call for each UUID, so that every source is asked equally often.
  template <class One>
  size_t line_of(char* out, size_t cap, One one) {
    size_t len = 0;
    for (size_t i = 0; i < uuids_; ++i) {
      if (i != 0) out[len++] = ' ';
      len += one(out + len, cap - len);
    }
    return len;
  }
  const size_t uuids_;
};

class SharedLocked : public Source {
 public:
  explicit SharedLocked(size_t uuids) : Source(uuids) { loguuid_gen_init_live(&gen_); }
  const char* name() const override { return "one, under a lock"; }
  size_t line(unsigned, char* out, size_t cap) override {
    return line_of(out, cap, [this](char* at, size_t room) {
      pthread_mutex_lock(&lock_);
      loguuid_use(&gen_);
      const size_t len = loguuid_v4(at, room);
      loguuid_use(nullptr);
      pthread_mutex_unlock(&lock_);
      return len;
    });
  }

 private:
  alignas(64) pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  alignas(64) loguuid_gen gen_;
};

class SharedSwapped : public Source {
  using Source::Source;
  const char* name() const override { return "one, compare-and-swap"; }
  size_t line(unsigned, char* out, size_t cap) override {
    return line_of(out, cap, [](char* at, size_t room) {
      const Pair random = dwcas_pair();
      unsigned char bytes[16];
      memcpy(bytes, &random, sizeof bytes);
      bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
      bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
      return loguuid_unparse(at, room, bytes);
    });
  }
};

class PerThread : public Source {
  using Source::Source;
  const char* name() const override { return "one for each thread"; }
  size_t line(unsigned, char* out, size_t cap) override { return line_of(out, cap, loguuid_v4); }
};

// More tasks than threads; a thread takes the next idle one for a line, then lets go of it.
class PerTask : public Source {
 public:
  explicit PerTask(size_t uuids) : Source(uuids), tasks_(4 * kMostThreads) {
    for (Task& task : tasks_) loguuid_gen_init_live(&task.gen);
  }
  const char* name() const override { return "one for each task"; }
  void enter(unsigned thread) override { next_ = thread; }
  size_t line(unsigned, char* out, size_t cap) override {
    Task& task = take();
    loguuid_use(&task.gen);
    const size_t len = line_of(out, cap, loguuid_v4);
    loguuid_use(nullptr);
    task.busy.store(false, std::memory_order_release);
    return len;
  }

 private:
  struct alignas(64) Task {
    std::atomic<bool> busy{false};
    loguuid_gen gen;
  };

  Task& take() {
    for (;;) {
      Task& task = tasks_[next_];
      next_ = (next_ + 1) % tasks_.size();
      if (!task.busy.exchange(true, std::memory_order_acquire)) return task;
    }
  }

  std::vector<Task> tasks_;
  static thread_local size_t next_;
};
thread_local size_t PerTask::next_ = 0;

std::vector<Measured> make_rows(const Options& options, size_t uuids) {
  std::vector<std::shared_ptr<Design>> sources = {std::make_shared<SharedLocked>(uuids)};
  if (dwcas_available())
    sources.push_back(std::make_shared<SharedSwapped>(uuids));
  else
    warn("compare-and-swap is skipped: this machine has none of 128 bits");
  sources.push_back(std::make_shared<PerThread>(uuids));
  sources.push_back(std::make_shared<PerTask>(uuids));
  std::vector<Measured> rows;
  for (const unsigned threads : kThreadCounts)
    if (threads <= options.threads.value_or(kMostThreads))
      for (const auto& source : sources) rows.push_back({source, threads});
  return rows;
}

void print(std::vector<Measured> rows, double ns_per_tick, size_t uuids) {
  std::stable_sort(rows.begin(), rows.end(), [](const Measured& a, const Measured& b) {
    return std::string_view(a.design->name()) < std::string_view(b.design->name());
  });
  Table table({"<generator", "threads", "UUIDs/s", "CPU/UUID", "line p50", "p99", "p99.9", "user", "sys", "switches",
               "forced"});
  for (const Measured& row : rows) {
    const Histogram& ticks = row.cost.line_ticks;
    table.row({row.design->name(), std::to_string(row.threads), human_count(row.rate() * static_cast<double>(uuids)),
               human_ns(row.ns_per_line() / static_cast<double>(uuids)), human_ns(ticks.quantile(0.5) * ns_per_tick),
               human_ns(ticks.quantile(0.99) * ns_per_tick), human_ns(ticks.quantile(0.999) * ns_per_tick),
               fmt::format("{:.0f}%", 100 - row.sys_share() * 100), fmt::format("{:.0f}%", row.sys_share() * 100),
               human_count(static_cast<double>(row.cost.voluntary)),
               human_count(static_cast<double>(row.cost.involuntary))});
  }
  table.print();
  const Measured *own = nullptr, *locked = nullptr;
  for (const Measured& row : rows) {
    if (std::string_view(row.design->name()) == "one for each thread") own = &row;
    if (std::string_view(row.design->name()) == "one, under a lock") locked = &row;
  }
  fmt::print("\n{}With {} threads, a generator for each thread makes {} the UUIDs of one under a lock.{}\n", bold(),
             own->threads, human_times(own->rate() / locked->rate()), plain());
}

Json document(const std::vector<Measured>& rows, double ns_per_tick, size_t uuids) {
  Json json;
  json.begin_object().machine_members().member("scenario", "sources").member("uuids_per_line", uuids);
  json.key("rows").begin_array();
  for (const Measured& row : rows) {
    const Histogram& ticks = row.cost.line_ticks;
    json.begin_object().member("name", row.design->name()).member("threads", row.threads);
    json.member("uuids_per_s", row.rate() * static_cast<double>(uuids));
    json.member("ns_per_uuid", row.ns_per_line() / static_cast<double>(uuids));
    json.key("line_ns").begin_object().member("p50", ticks.quantile(0.5) * ns_per_tick);
    json.member("p99", ticks.quantile(0.99) * ns_per_tick).member("p999", ticks.quantile(0.999) * ns_per_tick);
    json.end_object().member("user_s", row.cost.user_s).member("sys_s", row.cost.sys_s);
    json.member("sys_share", row.sys_share()).member("voluntary_switches", row.cost.voluntary);
    json.member("involuntary_switches", row.cost.involuntary).end_object();
  }
  json.end_array().end_object();
  return json;
}

}  // namespace

int run_sources(const Options& options) {
  const size_t uuids = options.uuids.value_or(kUuids);
  std::vector<Measured> rows = make_rows(options, uuids);
  const double ns_per_tick =
      measure_in_turn(rows, options.rounds.value_or(kRounds), options.seconds.value_or(kSeconds));
  if (wants_table(options)) {
    print_machine();
    fmt::print("measured  {} UUIDs a line, drawn one by one\n\n", uuids);
    print(rows, ns_per_tick, uuids);
  }
  warn_of_spread(rows);
  return finish(options, document(rows, ns_per_tick, uuids));
}

}  // namespace bench
