// Generators that are lent to threads, and lanes that come and go with them.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support.h"

namespace loguuid::testing {
namespace {

std::string next_v4() {
  char text[37] = "";
  loguuid_v4(text, sizeof text);
  return text;
}

template <class Work>
void in_a_thread(Work work) {
  std::thread thread(work);
  thread.join();
}

TEST(Use, ReturnsWhatServedBefore) {
  const auto a = new_gen(1), b = new_gen(2);
  EXPECT_EQ(nullptr, loguuid_use(a.get()));
  EXPECT_EQ(a.get(), loguuid_use(b.get()));
  EXPECT_EQ(b.get(), loguuid_use(b.get()));
  EXPECT_EQ(b.get(), loguuid_use(nullptr));
  EXPECT_EQ(nullptr, loguuid_use(nullptr));
}

TEST(Use, TheThreadsOwnLaneGoesOnWhereItStood) {
  in_a_thread([] {
    next_v4();
    const loguuid_position before = loguuid_gen_position(nullptr);
    const auto gen = new_gen(1);
    {
      const Using use(gen);
      for (int i = 0; i < 100; ++i) next_v4();
      EXPECT_EQ(100u, loguuid_gen_position(nullptr).draws);
    }
    const loguuid_position after = loguuid_gen_position(nullptr);
    EXPECT_EQ(before.thread, after.thread);
    EXPECT_EQ(before.process, after.process);
    EXPECT_EQ(before.draws, after.draws);
  });
}

// A coroutine that moves between threads takes its generator along.
TEST(Use, AGeneratorThatMovesBetweenThreadsGivesOneStream) {
  const auto moving = new_gen(3), still = new_gen(3);
  std::string moved, stayed;
  for (int i = 0; i < 40; ++i) {
    in_a_thread([&] {
      const Using use(moving);
      for (int k = 0; k < 70; ++k) moved += next_v4();
    });
  }
  const Using use(still);
  for (int i = 0; i < 40 * 70; ++i) stayed += next_v4();
  EXPECT_TRUE(stayed == moved);
}

TEST(Use, AThreadMayEndWhileAGeneratorServesIt) {
  const auto gen = new_gen(4);
  in_a_thread([&] {
    loguuid_use(gen.get());
    next_v4();
  });
  EXPECT_EQ(1u, loguuid_gen_position(gen.get()).draws);
  const Using use(gen);
  EXPECT_EQ(36u, next_v4().size());
}

TEST(Threads, LanesOfThreadsThatEndAreNeverWalkedAgain) {
  std::set<std::pair<uint64_t, uint64_t>> lanes;
  std::set<std::string> uuids;
  for (int i = 0; i < 500; ++i) {
    in_a_thread([&] {
      EXPECT_TRUE(uuids.insert(next_v4()).second);
      const loguuid_position position = loguuid_gen_position(nullptr);
      EXPECT_TRUE(lanes.insert({position.thread, position.process}).second);
    });
  }
}

TEST(Threads, StartAndStopCanGoOnForEver) {
  in_a_thread([] {
    std::set<uint64_t> processes;
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(LOGUUID_OK, loguuid_thread_start(77));
      ASSERT_TRUE(processes.insert(loguuid_gen_position(nullptr).process).second) << "a lane was given twice";
      next_v4();
      loguuid_thread_stop();
    }
  });
}

TEST(Threads, ReseedChangesALiveStreamAndRefusesAReproducibleOne) {
  in_a_thread([] {
    EXPECT_EQ(LOGUUID_OK, loguuid_reseed());
    const auto gen = new_gen(5), same = new_gen(5);
    {
      const Using use(gen);
      EXPECT_EQ(LOGUUID_ERR_STATE, loguuid_reseed());
    }
    std::string a, b;
    {
      const Using use(gen);
      a = next_v4();
    }
    const Using use(same);
    b = next_v4();
    EXPECT_EQ(b, a) << "a refused reseed changes nothing";
  });
}

}  // namespace
}  // namespace loguuid::testing
