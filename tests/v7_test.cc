// Version 7: time in front, strictly increasing within a lane whatever the clock does.
#include <gtest/gtest.h>

#include <ctime>

#include "process.h"
#include "support.h"

namespace loguuid::testing {
namespace {

using Text = std::string;

Text v7() {
  char text[37] = "";
  loguuid_v7(text, sizeof text);
  return text;
}

TEST(Version7, IncreasesInOneFrozenMillisecond) {
  const auto gen = new_gen(77);
  loguuid_gen_set_clock(gen.get(), 1700000000123456789);
  const Using use(gen);
  Text before;
  for (int i = 0; i < 10000; ++i) {
    const Text now = v7();
    ASSERT_LT(before, now);
    ASSERT_EQ("018bcfe5-687b-7", now.substr(0, 15));
    before = now;
  }
}

TEST(Version7, IncreasesWhateverTheClockDoes) {
  const auto gen = new_gen();
  const Using use(gen);
  const uint64_t hour = 3600ull * 1000000000, start = 1700000000123456789;
  const uint64_t clocks[] = {start, start - hour, start + 1, start + 1000000, 0, start - 1, start + hour, start, 5};
  Text before;
  for (int round = 0; round < 50; ++round) {
    for (const uint64_t clock : clocks) {
      loguuid_gen_set_clock(gen.get(), clock);
      for (int i = 0; i < 5; ++i) {
        const Text now = v7();
        ASSERT_LT(before, now) << "clock at " << clock;
        before = now;
      }
      char many[37 * 7];
      ASSERT_EQ(37u * 7 - 1, loguuid_v7_many(many, sizeof many, 7, '\0'));
      for (size_t i = 0; i < 7; ++i) {
        ASSERT_LT(before, Text(many + 37 * i)) << "in a batch, clock at " << clock;
        before = many + 37 * i;
      }
    }
  }
}

// 42 bits of counter: the one after the last borrows a millisecond of the future and starts in the lower half again.
TEST(Version7, CounterThatIsUsedUpGoesToTheNextMillisecond) {
  for (const bool batch : {false, true}) {
    const auto gen = new_gen(6);
    loguuid_gen_set_clock(gen.get(), 1700000000123456789);
    const Using use(gen);
    Lane& lane = *lane_of(gen.get());
    lane.v7_ms = 1700000000123;
    lane.v7_counter = (uint64_t{1} << 42) - 3;
    char text[37 * 4];
    if (batch)
      loguuid_v7_many(text, sizeof text, 4, '\0');
    else
      for (size_t i = 0; i < 4; ++i) loguuid_v7(text + 37 * i, 37);
    const auto front = [&](size_t i) { return Text(text + 37 * i, 28); };
    EXPECT_EQ("018bcfe5-687b-7fff-bfff-fffe", front(0));
    EXPECT_EQ("018bcfe5-687b-7fff-bfff-ffff", front(1));
    EXPECT_EQ("018bcfe5-687c-7", front(2).substr(0, 15));
    EXPECT_GT('8', front(2)[15]) << "the upper bit of a fresh counter is free";
    EXPECT_LT(front(2), front(3));
  }
}

TEST(Version7, ShowsTheMillisecondOfTheClock) {
  for (const uint64_t ms : {0ull, 1ull, 1645557742000ull, 1700000000123ull, 18446744073709ull}) {
    const auto gen = new_gen(ms + 1);
    loguuid_gen_set_clock(gen.get(), ms * 1000000);
    const Using use(gen);
    unsigned char bytes[16];
    loguuid_v7_bytes(bytes);
    uint64_t shown = 0;
    for (int i = 0; i < 6; ++i) shown = shown << 8 | bytes[i];
    EXPECT_EQ(ms, shown);
  }
}

TEST(Version7, LiveOnesShowTheTimeOfDay) {
  const uint64_t before = static_cast<uint64_t>(time(nullptr)) * 1000;
  unsigned char bytes[16];
  loguuid_v7_bytes(bytes);
  uint64_t shown = 0;
  for (int i = 0; i < 6; ++i) shown = shown << 8 | bytes[i];
  EXPECT_LE(before, shown + 1000);
  EXPECT_GE(before + 60000, shown);
}

}  // namespace
}  // namespace loguuid::testing
