// The sequence and its jumps against published values, and the time that reaching a lane may take.
#include "xoshiro.h"

#include <gtest/gtest.h>

#include "support.h"

namespace loguuid::testing {
namespace {

const char* const kFile = "xoshiro-and-haproxy.txt";

Words256 state_of(const Block& block, std::string_view key) {
  const std::vector<uint64_t> words = block.hex_words(key);
  EXPECT_EQ(4u, words.size()) << key;
  Words256 state{};
  for (size_t i = 0; i < 4 && i < words.size(); ++i) state[i] = words[i];
  return state;
}

// "3*2^192+2*2^128": terms of a factor (1 if it is not there) and a power of two.
void jump_as_written(Words256& state, const std::string& distance) {
  for (size_t at = 0; at < distance.size();) {
    const size_t end = std::min(distance.find('+', at), distance.size());
    const std::string term = distance.substr(at, end - at);
    const size_t times = term.find('*');
    const uint64_t factor = times == std::string::npos ? 1 : std::stoull(term);
    const std::string power = times == std::string::npos ? term : term.substr(times + 1);
    ASSERT_EQ("2^", power.substr(0, 2)) << distance;
    xoshiro::jump(state, factor, static_cast<unsigned>(std::stoul(power.substr(2))));
    at = end + 1;
  }
}

TEST(Xoshiro, OutputsAndStatesAreThePublishedOnes) {
  for (const Block* block : vectors(kFile, "xoshiro256starstar")) {
    Words256 state = state_of(*block, "state");
    const std::vector<uint64_t> next = block->hex_words("next");
    ASSERT_EQ(6u, next.size());
    for (const uint64_t word : next) {
      EXPECT_EQ(word, xoshiro::output(state));
      xoshiro::step(state);
    }
    EXPECT_EQ(state_of(*block, "state_after_6"), state);
    for (int i = 6; i < 1000; ++i) xoshiro::step(state);
    EXPECT_EQ(state_of(*block, "state_after_1000"), state);
  }
}

TEST(Xoshiro, JumpsArriveWhereThePublishedOnesDo) {
  for (const Block* block : vectors(kFile, "xoshiro256starstar")) {
    const std::vector<std::string> keys = block->keys_with_prefix("state_jump_");
    EXPECT_LE(6u, keys.size());
    for (const std::string& key : keys) {
      Words256 state = state_of(*block, "state");
      jump_as_written(state, key.substr(11));
      EXPECT_EQ(state_of(*block, key), state) << key;
    }
  }
}

// The arrays JUMP and LONG_JUMP of the authors' xoshiro256starstar.c.
TEST(Xoshiro, TableHoldsThePublishedJumpConstants) {
  constexpr Words256 kJump = {0x180ec6d33cfd0aba, 0xd5a61266f0c9392c, 0xa9582618e03fc9aa, 0x39abdc4529b1661c};
  constexpr Words256 kLongJump = {0x76e15d3efefdcbbf, 0xc5004e441c522fb3, 0x77710069854ee241, 0x39109bb02acbe635};
  EXPECT_EQ(kJump, xoshiro::kPowersOfTwo[128]);
  EXPECT_EQ(kLongJump, xoshiro::kPowersOfTwo[192]);
  EXPECT_EQ((Words256{2, 0, 0, 0}), xoshiro::kPowersOfTwo[0]);
}

TEST(Xoshiro, JumpOfASmallDistanceIsThatManySteps) {
  Words256 walked = {1, 2, 3, 4};
  for (uint64_t distance = 0; distance < 2000; ++distance) {
    Words256 jumped = {1, 2, 3, 4};
    xoshiro::jump(jumped, distance, 0);
    ASSERT_EQ(walked, jumped) << distance;
    xoshiro::step(walked);
  }
}

TEST(Xoshiro, AStepBackUndoesAStep) {
  Words256 state = {1, 2, 3, 4};
  for (int i = 0; i < 2000; ++i) {
    Words256 there_and_back = state;
    xoshiro::step(there_and_back);
    xoshiro::step_back(there_and_back);
    ASSERT_EQ(state, there_and_back) << i;
    xoshiro::step(state);
  }
}

TEST(Xoshiro, JumpsAddUpInAnyOrder) {
  Words256 once = {5, 6, 7, 8}, twice = once;
  xoshiro::jump(once, 0xffffffffffffffff, 130);
  xoshiro::jump(once, 1, 130);
  xoshiro::jump(twice, 1, 194);
  EXPECT_EQ(twice, once);

  Words256 lane = {5, 6, 7, 8}, other_order = lane;
  xoshiro::jump_to_lane(lane, 77, 1234567);
  xoshiro::jump(other_order, 77, 192);
  xoshiro::jump(other_order, 1234567, 128);
  EXPECT_EQ(other_order, lane);
}

TEST(Xoshiro, AllJumpsOfThePeriodComeBack) {
  // The period is 2^256 - 1, so the distances 2^0 + ... + 2^255 lead home.
  Words256 state = {11, 12, 13, 14};
  for (unsigned shift = 0; shift < 256; shift += 64) xoshiro::jump(state, 0xffffffffffffffff, shift);
  EXPECT_EQ((Words256{11, 12, 13, 14}), state);
}

TEST(Xoshiro, FarLanesAreReachedInTime) {
  if (!time_limits_count()) GTEST_SKIP() << "LOGUUID_TEST_SLOW is set: no time limits here";
  loguuid_gen gen;
  const uint64_t seed = 42;
  const auto reach = [&](uint64_t thread, uint64_t process) {
    return least_microseconds(50, [&] { loguuid_gen_init(&gen, &seed, 8, thread, process, LOGUUID_HASH_AES); });
  };
  const double far = reach(uint64_t{1} << 63, uint64_t{1} << 63);
  const double tid_4096 = reach(4097, 0);
  const double farthest = reach(~uint64_t{0}, ~uint64_t{0});
  printf("# lane (2^63, 2^63): %.2f us, TID 4096: %.2f us, all 128 jumps: %.2f us\n", far, tid_4096, farthest);
  EXPECT_LT(far, 100);
  EXPECT_LT(tid_4096, 20);
}

}  // namespace
}  // namespace loguuid::testing
