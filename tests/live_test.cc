// Formats that are replaced while threads render them.
#include <malloc.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "logformat_support.h"
#include "programs/emulator.h"

namespace loguuid::testing {
namespace {

class Live {
 public:
  explicit Live(const std::string& text, const std::vector<loguuid_field>& with = fields()) : with_(with) {
    EXPECT_EQ(LOGUUID_OK, loguuid_live_new(&live_, Format(text, with_).release()));
  }
  ~Live() { loguuid_live_free(live_); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  void replace(const std::string& text) {
    EXPECT_EQ(LOGUUID_OK, loguuid_live_replace(live_, Format(text, with_).release()));
  }
  std::string line(void* context = nullptr) {
    char out[16384];
    const size_t wanted = loguuid_live_render(live_, out, sizeof out, context);
    EXPECT_LT(wanted, sizeof out);
    return std::string(out, std::min(wanted, sizeof out - 1));
  }
  loguuid_live* get() { return live_; }

 private:
  std::vector<loguuid_field> with_;
  loguuid_live* live_ = nullptr;
};

// A place where threads wait for each other.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void wait_for(int arrivals) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= arrivals; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

const std::vector<loguuid_field>& waiting_fields() {
  static const std::vector<loguuid_field> all = {
      {"wait",
       [](void* context, char* out, size_t cap) {
         static_cast<Gate*>(context)->arrive_and_wait();
         return give("waited", out, cap);
       },
       LOGUUID_STR},
      {"exit", [](void*, char*, size_t) -> size_t { pthread_exit(nullptr); }, LOGUUID_STR}};
  return all;
}

// Zero where a sanitizer's allocator stands in for the system's: then growth can't be seen.
size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Replaces many times a format that is large enough to be seen; tells by how much the memory in use grew.
size_t growth_over_replacements(Live& live, int times) {
  const std::string large(8192, 'x');
  live.replace(large);
  const size_t before = bytes_in_use();
  for (int i = 0; i < times; ++i) live.replace(large);
  const size_t after = bytes_in_use();
  return after > before ? after - before : 0;
}

TEST(Live, RendersTheFormatInService) {
  Live live("one");
  EXPECT_EQ("one", live.line());
  live.replace("two %[uuid]");
  EXPECT_EQ(40u, live.line().size());
  char out[4] = "xyz";
  EXPECT_EQ(40u, loguuid_live_render(live.get(), out, sizeof out, nullptr));
  EXPECT_STREQ("two", out);
  EXPECT_EQ(40u, loguuid_live_render(live.get(), nullptr, 0, nullptr));
}

TEST(Live, WrongArgumentsAreRefused) {
  loguuid_live* live = reinterpret_cast<loguuid_live*>(&live);
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_live_new(&live, nullptr));
  EXPECT_EQ(nullptr, live);
  Format format("x");
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_live_new(nullptr, const_cast<loguuid_format*>(format.get())));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_live_replace(nullptr, const_cast<loguuid_format*>(format.get())));
  Live good("x");
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_live_replace(good.get(), nullptr));
  EXPECT_EQ("x", good.line());
  char out[4] = "xyz";
  EXPECT_EQ(0u, loguuid_live_render(nullptr, out, sizeof out, nullptr));
  EXPECT_STREQ("", out);
  loguuid_live_free(nullptr);
}

TEST(Live, OldFormatsAreFreed) {
  Live live("one");
  live.line();
  EXPECT_LT(growth_over_replacements(live, 1000), 100000u);
}

TEST(Live, ASleepingReaderKeepsItsFormatAndNoOther) {
  Live live("[%wait] [%[uuid] end]", waiting_fields());
  Gate gate;
  std::string line;
  std::thread sleeper([&] { line = live.line(&gate); });
  gate.wait_for(1);
  EXPECT_LT(growth_over_replacements(live, 1000), 100000u);
  gate.open();
  sleeper.join();
  EXPECT_EQ("[waited] [", line.substr(0, 10));
  EXPECT_EQ(" end]", line.substr(46));
  EXPECT_LT(growth_over_replacements(live, 10), 100000u);
}

TEST(Live, MoreSleepersThanRecordsKeepAFormatEach) {
  constexpr int kSleepers = 200;
  Live live("start", waiting_fields());
  std::vector<std::unique_ptr<Gate>> gates;
  std::vector<std::thread> sleepers;
  std::vector<std::string> lines(kSleepers);
  for (int i = 0; i < kSleepers; ++i) {
    live.replace("%wait " + std::to_string(i));
    gates.push_back(std::make_unique<Gate>());
    sleepers.emplace_back([&, i] { lines[static_cast<size_t>(i)] = live.line(gates[static_cast<size_t>(i)].get()); });
    gates.back()->wait_for(1);
  }
  EXPECT_LT(growth_over_replacements(live, 300), 100000u);
  for (int i = 0; i < kSleepers; ++i) {
    gates[static_cast<size_t>(i)]->open();
    sleepers[static_cast<size_t>(i)].join();
    EXPECT_EQ("waited " + std::to_string(i), lines[static_cast<size_t>(i)]);
  }
}

// Large enough to be seen.
std::string large(const std::string& text) { return std::string(8192, 'y') + text; }

TEST(Live, EndedThreadsHoldNothing) {
  constexpr int kThreads = 300;
  Live live(large("[%exit]"), waiting_fields());
  const size_t before = bytes_in_use();
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&] {
      char out[64];
      loguuid_live_render(live.get(), out, sizeof out, nullptr);  // ends the thread
      ADD_FAILURE() << "the field did not end its thread";
    }).join();
    live.replace(large("[%exit]"));
  }
  live.replace("alive");
  EXPECT_LT(bytes_in_use(), before + 10 * 8192);
  for (int i = 0; i < kThreads; ++i) std::thread([&] { EXPECT_EQ("alive", live.line()); }).join();
}

// A field that renders the live format again and replaces it on the way.
struct Nested {
  Live* live;
  int depth;
  static size_t write(void* context, char* out, size_t cap) {
    Nested inner = *static_cast<Nested*>(context);
    if (inner.depth-- == 0) return give("core", out, cap);
    inner.live->replace("(%deeper " + std::to_string(inner.depth) + ")");
    return loguuid_live_render(inner.live->get(), out, cap, &inner);
  }
};

TEST(Live, RendersNestToAnyDepth) {
  Live live("(%deeper start)", {{"deeper", Nested::write, LOGUUID_STR}});
  Nested context = {&live, 12};
  std::string wanted = "core";
  for (int i = 0; i < 12; ++i) wanted = "(" + wanted + " " + std::to_string(i) + ")";
  EXPECT_EQ("(" + wanted + " start)", live.line(&context));
  EXPECT_LT(growth_over_replacements(live, 100), 100000u);
}

// The same, whose thread ends in the innermost render.
struct Ending {
  loguuid_live* live;
  int depth;
  static size_t write(void* context, char* out, size_t cap) {
    Ending inner = *static_cast<Ending*>(context);
    if (inner.depth-- == 0) pthread_exit(nullptr);
    return loguuid_live_render(inner.live, out, cap, &inner);
  }
};

TEST(Live, ThreadsThatEndInNestedRendersHoldNothing) {
  const std::vector<loguuid_field> with = {{"deeper", Ending::write, LOGUUID_STR}};
  for (const int depth : {4, 5, 6, 7, 12}) {
    Live live(large("%deeper"), with);
    const size_t before = bytes_in_use();
    for (int i = 0; i < 100; ++i) {
      std::thread([&] {
        char out[64];
        Ending context = {live.get(), depth};
        loguuid_live_render(live.get(), out, sizeof out, &context);
      }).join();
      live.replace(large("%deeper"));
    }
    EXPECT_LT(bytes_in_use(), before + 10 * 8192) << depth;
  }
}

Live* handled;
char handled_line[64];
void on_signal(int) { loguuid_live_render(handled->get(), handled_line, sizeof handled_line, nullptr); }

TEST(Live, ASignalHandlerMayRender) {
  if (const char* why = emulator::wrong_with_signals()) GTEST_SKIP() << why;
  const std::vector<loguuid_field> with = {{"signal",
                                            [](void* context, char* out, size_t cap) {
                                              if (context != nullptr) {
                                                handled->replace("[%[uuid]] %signal");
                                                raise(SIGUSR1);
                                              }
                                              return give("x", out, cap);
                                            },
                                            LOGUUID_STR}};
  Live live("<%[uuid]> %signal", with);
  handled = &live;
  signal(SIGUSR1, on_signal);
  const std::string line = live.line(&live);
  signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ('<', line[0]);
  EXPECT_EQ(40u, line.size());
  EXPECT_EQ('[', handled_line[0]);
  EXPECT_EQ(40u, strlen(handled_line));
}

TEST(Live, AChildIsFreeOfItsParentsThreads) {
  constexpr size_t kSleepers = 100;
  Live live("start", waiting_fields());
  std::vector<std::unique_ptr<Gate>> gates;
  std::vector<std::thread> sleepers;
  for (size_t i = 0; i < kSleepers; ++i) {
    live.replace(large("%wait"));
    gates.push_back(std::make_unique<Gate>());
    sleepers.emplace_back([&live, gate = gates.back().get()] { live.line(gate); });
    gates.back()->wait_for(1);
  }
  const pid_t child = fork();
  if (child == 0) {
    const size_t before = bytes_in_use();
    live.replace("child");
    const bool freed = before == 0 || bytes_in_use() + kSleepers * 8192 / 2 < before;
    _exit(freed && live.line() == "child" ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (size_t i = 0; i < kSleepers; ++i) {
    gates[i]->open();
    sleepers[i].join();
  }
}

// Every line is whole: the number at its end is that at its beginning, whatever is freed meanwhile.
TEST(Live, ReadersAndWritersAtOnceMakeWholeLines) {
  Live live("0 %[uuid] 0");
  std::atomic<bool> stop{false};
  std::atomic<long> lines{0}, broken{0};
  std::vector<std::thread> readers, writers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::string line = live.line();
        const size_t first = line.find(' '), last = line.rfind(' ');
        if (first == std::string::npos || last - first != 37 || line.substr(0, first) != line.substr(last + 1))
          ++broken;
        ++lines;
      }
    });
  for (int i = 0; i < 2; ++i)
    writers.emplace_back([&, i] {
      for (int n = 0; n < 3000; ++n) {
        const std::string number = std::to_string(n * 2 + i);
        live.replace(number + " %[uuid] " + number);
      }
    });
  for (std::thread& writer : writers) writer.join();
  while (lines.load() < 1000) std::this_thread::yield();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(0, broken.load());
  EXPECT_LT(growth_over_replacements(live, 100), 100000u);
}

}  // namespace
}  // namespace loguuid::testing
