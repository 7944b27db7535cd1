// The threads of the scenario `handoff`: each producer has one consumer. Lines travel in batches of 32 through a ring
// of four, so that the threads seldom wake each other and what is measured is the memory that the lines live in.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "clock.h"
#include "format.h"
#include "handoff.h"

namespace bench {
namespace {

constexpr size_t kBatchLines = 32;
constexpr uint32_t kBatches = 4;
constexpr double kEarly = 10;

struct Batch {
  std::array<iovec, kBatchLines> lines;
  size_t count = 0;  // 0 when handed over: the end
};

// One producer, one consumer.
struct Channel {
  std::array<Batch, kBatches> batches;
  std::vector<char> buffers;  // the ring's lines
  alignas(64) std::atomic<uint32_t> filled{0};
  alignas(64) std::atomic<uint32_t> drained{0};
  uint64_t lines = 0;
};

struct Run {
  const loguuid_format* format;
  size_t capacity;
  bool ring;
  int sink;
  std::atomic<bool> stop{false};
};

iovec make_on_heap(const Run& run, char* scratch, uint64_t number) {
  const size_t len = loguuid_format_render(run.format, scratch, run.capacity, &number);
  char* line = static_cast<char*>(malloc(len + 1));
  if (line == nullptr) abort();
  memcpy(line, scratch, len + 1);
  return {line, len};
}

iovec make_in_place(const Run& run, char* buffer, uint64_t number) {
  return {buffer, loguuid_format_render(run.format, buffer, run.capacity, &number)};
}

void hand_over(Channel& channel, uint32_t filled) {
  channel.filled.store(filled + 1, std::memory_order_release);
  channel.filled.notify_one();
}

void produce(const Run& run, Channel& channel) {
  std::vector<char> scratch(run.capacity);
  for (uint32_t filled = 0;; ++filled) {
    for (uint32_t drained; filled - (drained = channel.drained.load(std::memory_order_acquire)) == kBatches;)
      channel.drained.wait(drained);
    Batch& batch = channel.batches[filled % kBatches];
    batch.count = run.stop.load(std::memory_order_relaxed) ? 0 : kBatchLines;
    for (size_t i = 0; i < batch.count; ++i, ++channel.lines) {
      char* const buffer = channel.buffers.data() + (filled % kBatches * kBatchLines + i) * run.capacity;
      batch.lines[i] =
          run.ring ? make_in_place(run, buffer, channel.lines) : make_on_heap(run, scratch.data(), channel.lines);
    }
    hand_over(channel, filled);
    if (batch.count == 0) return;
  }
}

void consume(const Run& run, Channel& channel) {
  for (uint32_t drained = 0;; ++drained) {
    channel.filled.wait(drained, std::memory_order_acquire);
    Batch& batch = channel.batches[drained % kBatches];
    if (batch.count == 0) return;
    if (writev(run.sink, batch.lines.data(), static_cast<int>(batch.count)) < 0) abort();
    if (!run.ring)
      for (size_t i = 0; i < batch.count; ++i) free(batch.lines[i].iov_base);
    channel.drained.store(drained + 1, std::memory_order_release);
    channel.drained.notify_one();
  }
}

// A figure of /proc/self/status, in bytes; 0 where there is none.
uint64_t status_bytes(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
      kib = strtoull(line + strlen(name) + 1, nullptr, 10);
  std::fclose(file);
  return kib * 1024;
}

uint64_t process_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

void sleep_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

bool hand_lines_over(const HandoffTask& task, HandoffResult& result, std::string& message) {
  const Format format = compile(task.format, message);
  if (!format) return false;
  Run run{format.get(), format.line_capacity(), task.ring, open("/dev/null", O_WRONLY | O_CLOEXEC)};
  std::vector<std::unique_ptr<Channel>> channels;
  for (unsigned i = 0; i < task.pairs; ++i) {
    channels.push_back(std::make_unique<Channel>());
    if (task.ring) channels.back()->buffers.resize(run.capacity * kBatchLines * kBatches);
  }
  const uint64_t wall = wall_ns(), cpu = process_cpu_ns();
  std::vector<std::thread> threads;
  for (const auto& channel : channels) {
    threads.emplace_back(consume, std::cref(run), std::ref(*channel));
    threads.emplace_back(produce, std::cref(run), std::ref(*channel));
  }
  sleep_seconds(std::min(task.seconds, kEarly));
  result.peak_early = status_bytes("VmHWM");
  sleep_seconds(task.seconds - std::min(task.seconds, kEarly));
  result.peak = status_bytes("VmHWM");
  result.resident = status_bytes("VmRSS");
  run.stop.store(true);
  for (std::thread& thread : threads) thread.join();
  result.wall_ns = wall_ns() - wall;
  result.cpu_ns = process_cpu_ns() - cpu;
  for (const auto& channel : channels) result.lines += channel->lines;
  close(run.sink);
  return true;
}

}  // namespace bench
