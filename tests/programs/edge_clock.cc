// Version 7 under clocks that misbehave: set back an hour, jittering, before 1970, behind 48 bits, standing still.
// Always strictly increasing within a lane, and different between lanes.
#include <ctime>

#include <algorithm>

#include "edge.h"

namespace {

constexpr uint64_t kMs = 1000000, kHour = 3600000 * kMs;
constexpr uint64_t kToday = 1700000000000 * kMs;
constexpr uint64_t kLastMs = (uint64_t{1} << 48) - 1;

timespec system_time;
bool system_time_is_faked;
uint64_t host_time;
uint64_t host_clock() { return host_time; }

// A 32-bit machine has a second call, for the 64-bit times that these programs are built with.
#if defined(SYS_clock_gettime64)
constexpr long kClockCall = sizeof(time_t) > sizeof(long) ? SYS_clock_gettime64 : SYS_clock_gettime;
#else
constexpr long kClockCall = SYS_clock_gettime;
#endif

}  // namespace

// The library's clock, when the host gives none.
extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
  if (!system_time_is_faked || clock != CLOCK_REALTIME) return static_cast<int>(syscall(kClockCall, clock, out));
  *out = system_time;
  return 0;
}

namespace {

uint64_t ms_of(const Id& id) {
  uint64_t ms = 0;
  for (size_t i = 0; i < 6; ++i) ms = ms << 8 | id[i];
  return ms;
}

void set_system_time(int64_t seconds, long ns) {
  system_time_is_faked = true;
  system_time = {seconds, ns};
}

class Increasing {
 public:
  void draw(int count = 1) {
    for (int i = 0; i < count; ++i) check(v7_id());
  }
  void draw_batch() {
    char text[100 * 37];
    CHECK_EQ(100 * 37 - 1, loguuid_v7_many(text, sizeof text, 100, ' '));
    for (size_t i = 0; i < 100; ++i) {
      Id id;
      CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text + 37 * i, 36));
      check(id);
    }
  }
  uint64_t ms() const { return ms_of(last_); }

 private:
  void check(const Id& id) {
    CHECK_EQ(7, id[6] >> 4);
    CHECK_EQ(2, id[8] >> 6);
    CHECK(id > last_);
    last_ = id;
  }
  Id last_{};
};

// `set(t)` makes it nanosecond t since the epoch.
template <class Set>
void clocks(Set set) {
  Increasing v7;
  set(kToday);
  v7.draw(10000);  // one millisecond that stands still
  CHECK_EQ(kToday / kMs, v7.ms());
  v7.draw_batch();

  set(kToday - kHour);
  v7.draw(1000);
  v7.draw_batch();
  CHECK_EQ(kToday / kMs, v7.ms());

  uint64_t highest = kToday, random = 1;
  for (int i = 0; i < 3000; ++i) {  // jitter of 50 milliseconds
    random = random * 6364136223846793005 + 1442695040888963407;
    const uint64_t now = kToday + static_cast<uint64_t>(i) * kMs + random % (50 * kMs);
    highest = std::max(highest, now);
    set(now);
    v7.draw();
    CHECK_EQ(highest / kMs, v7.ms());
  }
  v7.draw_batch();
}

void far_future() {
  Increasing v7;
  host_time = UINT64_MAX;  // 584 years: as far as nanoseconds go
  v7.draw(1000);
  CHECK_EQ(UINT64_MAX / kMs, v7.ms());
}

// 48 bits of milliseconds end in the year 10889, behind what 64 bits of nanoseconds hold: the clock stops at their end.
void past_48_bits() {
  Increasing v7;
  set_system_time(static_cast<int64_t>(kLastMs / 1000 + 5), 0);
  v7.draw(10000);
  v7.draw_batch();
  CHECK_EQ(UINT64_MAX / kMs, v7.ms());
}

// At such a clock all lanes stand in millisecond 0, where nothing but the counter and 32 bits keeps them apart.
void before_1970() {
  set_system_time(-5, 0);
  constexpr size_t kLanes = 16, kEach = 700;
  Drawn drawn(kLanes * kEach);
  std::vector<uint64_t> counters;
  for (size_t lane = 0; lane < kLanes; ++lane)
    in_a_thread([&] {
      Increasing v7;
      v7.draw(1000);
      CHECK_EQ(0, v7.ms());
      for (size_t i = 0; i < kEach; ++i) drawn.add(v7_id());
      const Id id = v7_id();
      counters.push_back((id[6] & 15u) << 8 | id[7]);
    });
  std::vector<Id> all;
  for (size_t i = 0; i < drawn.size(); ++i) all.push_back(drawn[i]);
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  std::sort(counters.begin(), counters.end());
  CHECK(counters.front() + 16 < counters.back());  // of 4096 values: they began apart
}

void with_host_clock(void (*work)()) {
  in_a_child([=] {
    loguuid_config config{};
    config.size = sizeof config;
    config.now_ns = host_clock;
    host_time = kToday;
    CHECK_EQ(LOGUUID_OK, loguuid_boot(&config));
    work();
  });
}

}  // namespace

int main() {
  with_host_clock([] { clocks([](uint64_t now) { host_time = now; }); });
  in_a_child([] {
    clocks([](uint64_t now) {
      set_system_time(static_cast<int64_t>(now / (1000 * kMs)), static_cast<long>(now % (1000 * kMs)));
    });
  });
  with_host_clock(far_future);
  in_a_child(past_48_bits);
  in_a_child(before_1970);
  return 0;
}
