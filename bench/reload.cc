// A log-format that is replaced while many threads render it: the library's live format, beside the two ways that hosts
// have without it, a pthread_rwlock_t and a mutex around the pointer. Each with its writer and without.
#include <fmt/core.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "format.h"
#include "machine.h"
#include "measure.h"
#include "scenarios.h"
#include "table.h"

namespace bench {
namespace {

constexpr unsigned kReaders = 50, kRounds = 5;
constexpr double kSeconds = 1.5;
constexpr std::chrono::microseconds kBetweenWrites{2000};  // 500 a second

// A design whose format a writer replaces during the round, if it has one. What guards the format is the subclass's.
class Reloaded : public Design {
 public:
  Reloaded(std::string text, bool with_writer) : text_(std::move(text)), with_writer_(with_writer) {
    capacity_ = fresh().line_capacity();
  }
  size_t capacity() const override { return capacity_; }
  void begin() override {
    if (!with_writer_) return;
    quit_.store(false);
    writer_ = std::thread(&Reloaded::write, this);
  }
  void end() override {
    if (!with_writer_) return;
    quit_.store(true);
    writer_.join();
  }
  bool with_writer() const { return with_writer_; }
  uint64_t replacements() const { return replacements_; }

 protected:
  Format fresh() const {
    std::string message;
    return compile(text_, message);
  }
  virtual void replace(Format next) = 0;

 private:
  // The host's control thread is one among many that never sleep; a higher priority, where it is allowed, lets it keep
  // its pace. Readers that were stopped while they held a lock still make it wait.
  void write() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -10);
    auto next = std::chrono::steady_clock::now();
    while (!quit_.load()) {
      replace(fresh());
      ++replacements_;
      // A writer that was kept waiting does not make up for it: a host reloads when it reloads.
      next = std::max(next + kBetweenWrites, std::chrono::steady_clock::now());
      std::this_thread::sleep_until(next);
    }
  }

  const std::string text_;
  const bool with_writer_;
  size_t capacity_;
  std::thread writer_;
  std::atomic<bool> quit_{false};
  uint64_t replacements_ = 0;
};

class Live : public Reloaded {
 public:
  Live(const std::string& text, bool with_writer) : Reloaded(text, with_writer) {
    Format first = fresh();
    if (loguuid_live_new(&live_, first.get()) == LOGUUID_OK) first.release();
  }
  ~Live() override { loguuid_live_free(live_); }
  const char* name() const override { return "live"; }
  size_t line(unsigned, char* out, size_t cap) override { return loguuid_live_render(live_, out, cap, nullptr); }

 private:
  void replace(Format next) override {
    if (loguuid_live_replace(live_, next.get()) == LOGUUID_OK) next.release();
  }
  loguuid_live* live_ = nullptr;
};

class Rwlock : public Reloaded {
 public:
  Rwlock(const std::string& text, bool with_writer) : Reloaded(text, with_writer), format_(fresh()) {}
  const char* name() const override { return "rwlock"; }
  size_t line(unsigned, char* out, size_t cap) override {
    pthread_rwlock_rdlock(&lock_);
    const size_t len = loguuid_format_render(format_.get(), out, cap, nullptr);
    pthread_rwlock_unlock(&lock_);
    return len;
  }

 private:
  void replace(Format next) override {
    pthread_rwlock_wrlock(&lock_);
    std::swap(format_, next);
    pthread_rwlock_unlock(&lock_);
  }
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
  Format format_;
};

class Mutex : public Reloaded {
 public:
  Mutex(const std::string& text, bool with_writer) : Reloaded(text, with_writer), format_(fresh()) {}
  const char* name() const override { return "mutex"; }
  size_t line(unsigned, char* out, size_t cap) override {
    pthread_mutex_lock(&lock_);
    const size_t len = loguuid_format_render(format_.get(), out, cap, nullptr);
    pthread_mutex_unlock(&lock_);
    return len;
  }

 private:
  void replace(Format next) override {
    pthread_mutex_lock(&lock_);
    std::swap(format_, next);
    pthread_mutex_unlock(&lock_);
  }
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  Format format_;
};

const Reloaded& reloaded(const Measured& row) { return static_cast<const Reloaded&>(*row.design); }

const Measured& rwlock_like(const std::vector<Measured>& rows, const Measured& row) {
  for (const Measured& other : rows)
    if (std::string_view(other.design->name()) == "rwlock" &&
        reloaded(other).with_writer() == reloaded(row).with_writer())
      return other;
  return row;
}

double replacements_per_s(const Measured& row) {
  return static_cast<double>(reloaded(row).replacements()) / (static_cast<double>(row.cost.wall_ns) * 1e-9);
}

void print(const std::vector<Measured>& rows, double ns_per_tick) {
  Table table(
      {"<guard", "<writer", "lines/s", "CPU/line", "p50", "p95", "p99", "max", "replaced/s", "sys", "vs rwlock"});
  for (const Measured& row : rows) {
    const Histogram& ticks = row.cost.line_ticks;
    table.row({row.design->name(), reloaded(row).with_writer() ? "yes" : "no", human_count(row.rate()),
               human_ns(row.ns_per_line()), human_ns(ticks.quantile(0.5) * ns_per_tick),
               human_ns(ticks.quantile(0.95) * ns_per_tick), human_ns(ticks.quantile(0.99) * ns_per_tick),
               human_ns(static_cast<double>(ticks.max()) * ns_per_tick), human_count(replacements_per_s(row)),
               fmt::format("{:.0f}%", row.sys_share() * 100), human_times(row.rate() / rwlock_like(rows, row).rate())},
              std::string_view(row.design->name()) == "live");
  }
  table.print();
  fmt::print("\n{}With a writer, readers of a live format render {} the lines of readers under a rwlock.{}\n", bold(),
             human_times(rows[0].rate() / rwlock_like(rows, rows[0]).rate()), plain());
}

Json document(const std::vector<Measured>& rows, double ns_per_tick, const std::string& text) {
  Json json;
  json.begin_object().machine_members().member("scenario", "reload").member("threads", rows[0].threads);
  json.member("format", text).key("rows").begin_array();
  for (const Measured& row : rows) {
    const Histogram& ticks = row.cost.line_ticks;
    json.begin_object().member("name", row.design->name()).member("writer", reloaded(row).with_writer());
    json.member("lines_per_s", row.rate()).member("ns_per_line", row.ns_per_line());
    json.key("line_ns").begin_object().member("p50", ticks.quantile(0.5) * ns_per_tick);
    json.member("p95", ticks.quantile(0.95) * ns_per_tick).member("p99", ticks.quantile(0.99) * ns_per_tick);
    json.member("max", static_cast<double>(ticks.max()) * ns_per_tick).end_object();
    json.member("replacements_per_s", replacements_per_s(row)).member("user_s", row.cost.user_s);
    json.member("sys_s", row.cost.sys_s);
    json.member("vs_rwlock", row.rate() / rwlock_like(rows, row).rate()).end_object();
  }
  json.end_array().end_object();
  return json;
}

}  // namespace

int run_reload(const Options& options) {
  std::string text = "%[uuid]", message;
  if (!options.format_file.empty() && !read_format_file(options.format_file, text, message)) return fail(message);
  if (!compile(text, message)) return fail(message);
  const unsigned readers = options.threads.value_or(kReaders);
  std::vector<Measured> rows;
  for (const bool with_writer : {true, false}) {
    rows.push_back({std::make_shared<Live>(text, with_writer), readers});
    rows.push_back({std::make_shared<Rwlock>(text, with_writer), readers});
    rows.push_back({std::make_shared<Mutex>(text, with_writer), readers});
  }
  const double ns_per_tick =
      measure_in_turn(rows, options.rounds.value_or(kRounds), options.seconds.value_or(kSeconds), kTimedSeldom);
  if (wants_table(options)) {
    print_machine();
    fmt::print("measured  {} readers of a {}-byte format; a writer tries 500 replacements a second\n\n", readers,
               text.size());
    print(rows, ns_per_tick);
  }
  warn_of_spread(rows);
  return finish(options, document(rows, ns_per_tick, text));
}

}  // namespace bench
