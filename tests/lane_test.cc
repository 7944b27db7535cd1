// Caller-owned generators: skip, save, restore and position, at and around the draws where a key ends.
#include <gtest/gtest.h>

#include <cstring>

#include "support.h"

namespace loguuid::testing {
namespace {

std::string next_v4() {
  char text[37] = "";
  loguuid_v4(text, sizeof text);
  return text;
}

std::string next_v4(loguuid_gen* gen, size_t count = 1) {
  const Using use(gen);
  std::string all;
  for (size_t i = 0; i < count; ++i) all += next_v4() + " ";
  return all;
}

// ---- wrong arguments ----

// As C code can make it: a number that no enumerator has.
loguuid_hash unknown_hash(unsigned number) {
  loguuid_hash hash;
  memcpy(&hash, &number, sizeof hash);
  return hash;
}

TEST(GenInit, RefusesWrongArgumentsAndLeavesTheGeneratorAlone) {
  const uint64_t integer = 1;
  unsigned char seed[64] = {1};
  unsigned char zero_state[48] = {};
  memset(zero_state, 7, 16);  // a key, and no state
  loguuid_gen gen, before;
  memset(&gen, 0x5a, sizeof gen);
  before = gen;
  seed[47] = 1;
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(nullptr, seed, 48, 0, 0, LOGUUID_HASH_AES));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(&gen, nullptr, 48, 0, 0, LOGUUID_HASH_AES));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(&gen, nullptr, 0, 0, 0, LOGUUID_HASH_AES));
  for (size_t len = 0; len <= 64; ++len) {
    if (len == 8 || len == 48) continue;
    EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(&gen, seed, len, 0, 0, LOGUUID_HASH_AES)) << len;
  }
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(&gen, zero_state, 48, 0, 0, LOGUUID_HASH_AES));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(&gen, &integer, 8, 0, 0, unknown_hash(2)));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init(&gen, &integer, 8, 0, 0, unknown_hash(77)));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_init_live(nullptr));
  EXPECT_EQ(0, memcmp(&gen, &before, sizeof gen)) << "a refused call changed the generator";
  EXPECT_EQ(LOGUUID_OK, loguuid_gen_init(&gen, seed, 48, 0, 0, LOGUUID_HASH_AES));
}

TEST(GenInit, OneBitOfStateIsEnough) {
  for (size_t byte = 16; byte < 48; ++byte) {
    unsigned char seed[48] = {};
    seed[byte] = 0x80;
    loguuid_gen gen;
    EXPECT_EQ(LOGUUID_OK, loguuid_gen_init(&gen, seed, 48, 0, 0, LOGUUID_HASH_AES)) << byte;
  }
}

TEST(GenInit, SeedThreadAndProcessAllMatter) {
  const std::string first = next_v4(new_gen(42, 0, 0).get());
  EXPECT_EQ(first, next_v4(new_gen(42, 0, 0).get()));
  EXPECT_NE(first, next_v4(new_gen(43, 0, 0).get()));
  EXPECT_NE(first, next_v4(new_gen(42, 1, 0).get()));
  EXPECT_NE(first, next_v4(new_gen(42, 0, 1).get()));
  EXPECT_NE(next_v4(new_gen(42, 1, 0).get()), next_v4(new_gen(42, 0, 1).get()));
}

TEST(Nulls, AreNoticedAndDoNothing) {
  unsigned char saved[LOGUUID_GEN_SAVE_SIZE] = {};
  loguuid_gen gen = *new_gen();
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_save(nullptr, saved));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_save(&gen, nullptr));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_restore(nullptr, saved));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_gen_restore(&gen, nullptr));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_describe(nullptr));
  loguuid_gen_set_clock(nullptr, 1);
  loguuid_gen_skip(nullptr, 1);
  loguuid_gen_wipe(nullptr);
  loguuid_format_free(nullptr);
  loguuid_live_free(nullptr);
  loguuid_random_bytes(nullptr, 0);
}

TEST(GenSave, RefusesMemoryThatHoldsNoGenerator) {
  unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
  loguuid_gen gen;
  for (const int pattern : {0, 0x5a, 0xff}) {
    memset(&gen, pattern, sizeof gen);
    EXPECT_EQ(LOGUUID_ERR_STATE, loguuid_gen_save(&gen, saved)) << pattern;
  }
  gen = *new_gen();
  loguuid_gen_wipe(&gen);
  EXPECT_EQ(LOGUUID_ERR_STATE, loguuid_gen_save(&gen, saved)) << "wiped";
}

// ---- position and skip ----

const uint64_t kInterestingDraws[] = {0,    1,    15,   16,   17,   1022, 1023, 1024, 1025, 1026,
                                      1039, 1040, 2047, 2048, 2049, 2050, 3072, 3073, 10000};

TEST(GenSkip, IsAsManyDraws) {
  for (const uint64_t first : kInterestingDraws) {
    for (const uint64_t draws : kInterestingDraws) {
      const auto drawn = new_gen(9), skipped = new_gen(9);
      next_v4(drawn.get(), first);
      next_v4(skipped.get(), first);
      std::vector<unsigned char> bytes(16 * draws);
      {
        const Using use(drawn);
        loguuid_random_bytes(bytes.data(), bytes.size());
      }
      loguuid_gen_skip(skipped.get(), draws);
      ASSERT_EQ(first + draws, loguuid_gen_position(skipped.get()).draws);
      ASSERT_EQ(first + draws, loguuid_gen_position(drawn.get()).draws);
      ASSERT_EQ(next_v4(drawn.get(), 3), next_v4(skipped.get(), 3)) << first << " and " << draws;
    }
  }
}

TEST(GenSkip, AddsUp) {
  const auto once = new_gen(10), often = new_gen(10);
  uint64_t sum = 0;
  for (uint64_t draws = 1; draws < 20000; draws = draws * 3 + 1) {
    loguuid_gen_skip(often.get(), draws);
    loguuid_gen_skip(often.get(), 0);
    sum += draws;
  }
  loguuid_gen_skip(once.get(), sum);
  EXPECT_EQ(next_v4(often.get(), 3), next_v4(once.get(), 3));
}

TEST(GenSkip, ReachesDraw1000000000InUnderTwoSeconds) {
  const auto gen = new_gen(11), other = new_gen(11);
  const double took = least_microseconds(1, [&] { loguuid_gen_skip(gen.get(), 1000000000); });
  EXPECT_EQ(1000000000u, loguuid_gen_position(gen.get()).draws);
  loguuid_gen_skip(other.get(), 999999998);
  next_v4(other.get(), 2);
  EXPECT_EQ(next_v4(other.get()), next_v4(gen.get()));
  printf("# 10^9 draws skipped in %.0f ms\n", took / 1000);
  if (!time_limits_count()) return;
  EXPECT_LT(took, 2e6);
}

TEST(GenPosition, CountsEveryKindOfDraw) {
  const auto gen = new_gen(12, 34, 56);
  const Using use(gen);
  char text[200];
  uint64_t draws = 0;
  const auto expect = [&](uint64_t more, const char* what) {
    const loguuid_position position = loguuid_gen_position(nullptr);
    EXPECT_EQ(draws += more, position.draws) << what;
    EXPECT_EQ(34u, position.thread);
    EXPECT_EQ(56u, position.process);
  };
  expect(0, "nothing");
  for (int round = 0; round < 200; ++round) {  // over several keys
    loguuid_random64();
    expect(1, "random64");
    loguuid_random32();
    expect(1, "random32");
    loguuid_random_pair(nullptr, nullptr);
    expect(1, "pair");
    loguuid_random_bytes(text, 33);
    expect(3, "33 bytes");
    loguuid_v4(text, sizeof text);
    expect(1, "v4");
    loguuid_v7(text, sizeof text);
    expect(1, "v7");
    loguuid_v4_many(text, sizeof text, 5, ' ');
    expect(5, "five v4");
    loguuid_v7_many(text, sizeof text, 4, ' ');
    expect(4, "four v7");
    loguuid_traceparent(text, sizeof text, 0);
    expect(2, "traceparent");
    loguuid_websocket_key(text, sizeof text);
    expect(1, "WebSocket key");
    loguuid_token(text, sizeof text, 17, LOGUUID_HEX);
    expect(2, "17-byte token");
  }
}

// ---- save and restore ----

TEST(GenRestore, GoesOnByteForByteFromAnywhere) {
  for (const loguuid_hash hash : {LOGUUID_HASH_AES, LOGUUID_HASH_XXH3}) {
    for (const uint64_t draws : kInterestingDraws) {
      const auto gen = new_gen(13, 7, 2, hash);
      loguuid_gen_set_clock(gen.get(), 1700000000123456789);
      loguuid_gen_skip(gen.get(), draws);
      char text[40];
      {
        const Using use(gen);  // version 7 and ULID have a memory of their own
        loguuid_v7(text, sizeof text);
        loguuid_ulid(text, sizeof text);
      }
      unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
      ASSERT_EQ(LOGUUID_OK, loguuid_gen_save(gen.get(), saved));
      loguuid_gen restored;
      ASSERT_EQ(LOGUUID_OK, loguuid_gen_restore(&restored, saved));
      const loguuid_position a = loguuid_gen_position(gen.get()), b = loguuid_gen_position(&restored);
      EXPECT_EQ(a.draws, b.draws);
      EXPECT_EQ(a.thread, b.thread);
      EXPECT_EQ(a.process, b.process);
      const auto all = [&](loguuid_gen* of) {
        const Using use(of);
        std::string made;
        for (int i = 0; i < 1100; ++i) {
          char one[40];
          loguuid_v7(one, sizeof one);
          made += one;
          loguuid_ulid(one, sizeof one);
          made += one;
          made += next_v4() + std::to_string(loguuid_random64_internal());
        }
        return made;
      };
      ASSERT_TRUE(all(gen.get()) == all(&restored)) << "saved after " << draws << " draws";
    }
  }
}

TEST(GenSave, WritesTheSameBytesEveryTimeAndAllOfThem) {
  const auto gen = new_gen(14);
  next_v4(gen.get(), 20);
  written_exactly(LOGUUID_GEN_SAVE_SIZE, [&](char* out) {
    EXPECT_EQ(LOGUUID_OK, loguuid_gen_save(gen.get(), reinterpret_cast<unsigned char*>(out)));
  });
}

TEST(GenRestore, RefusesOneChangedByteAtEveryPosition) {
  const auto gen = new_gen(15);
  next_v4(gen.get(), 1500);
  unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
  ASSERT_EQ(LOGUUID_OK, loguuid_gen_save(gen.get(), saved));
  loguuid_gen restored;
  memset(&restored, 0x5a, sizeof restored);
  const loguuid_gen before = restored;
  for (size_t at = 0; at < sizeof saved; ++at) {
    for (int change = 1; change < 256; ++change) {
      saved[at] = static_cast<unsigned char>(saved[at] ^ change);
      ASSERT_EQ(LOGUUID_ERR_FORMAT, loguuid_gen_restore(&restored, saved)) << "byte " << at << " xor " << change;
      saved[at] = static_cast<unsigned char>(saved[at] ^ change);
    }
    ASSERT_EQ(0, memcmp(&restored, &before, sizeof before)) << "a refused call changed the generator";
  }
  EXPECT_EQ(LOGUUID_OK, loguuid_gen_restore(&restored, saved)) << "the right bytes are taken";
}

TEST(GenRestore, RefusesBytesThatWereNeverSaved) {
  loguuid_gen restored;
  unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
  for (const int pattern : {0, 0x5a, 0xff}) {
    memset(saved, pattern, sizeof saved);
    EXPECT_EQ(LOGUUID_ERR_FORMAT, loguuid_gen_restore(&restored, saved)) << pattern;
  }
}

TEST(GenRestore, LiveGeneratorMovesToAFreshLane) {
  loguuid_gen live, restored;
  ASSERT_EQ(LOGUUID_OK, loguuid_gen_init_live(&live));
  next_v4(&live, 10);
  unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
  ASSERT_EQ(LOGUUID_OK, loguuid_gen_save(&live, saved));
  ASSERT_EQ(LOGUUID_OK, loguuid_gen_restore(&restored, saved));
  EXPECT_NE(loguuid_gen_position(&live).thread, loguuid_gen_position(&restored).thread);
  EXPECT_NE(next_v4(&live), next_v4(&restored));
  loguuid_gen_wipe(&live);
  loguuid_gen_wipe(&restored);
}

// ---- live generators, wiping ----

TEST(GenLive, EachHasALaneOfItsOwnAbove2To33) {
  loguuid_gen gens[50];
  std::vector<uint64_t> lanes;
  std::string drawn;
  for (loguuid_gen& gen : gens) {
    ASSERT_EQ(LOGUUID_OK, loguuid_gen_init_live(&gen));
    const uint64_t lane = loguuid_gen_position(&gen).thread;
    EXPECT_LE(uint64_t{1} << 33, lane);
    for (const uint64_t other : lanes) ASSERT_NE(other, lane);
    lanes.push_back(lane);
    const std::string uuid = next_v4(&gen);
    EXPECT_EQ(std::string::npos, drawn.find(uuid));
    drawn += uuid;
  }
  for (loguuid_gen& gen : gens) loguuid_gen_wipe(&gen);
}

TEST(GenWipe, LeavesNothingAndHandsBackToTheThread) {
  loguuid_gen gen;
  const uint64_t seed = 16;
  ASSERT_EQ(LOGUUID_OK, loguuid_gen_init(&gen, &seed, 8, 5, 5, LOGUUID_HASH_AES));
  EXPECT_EQ(nullptr, loguuid_use(&gen));
  next_v4();
  loguuid_gen_wipe(&gen);
  EXPECT_NE(5u, loguuid_gen_position(nullptr).thread) << "the thread's own lane serves again";
  EXPECT_EQ(36u, next_v4().size());
  EXPECT_EQ(nullptr, loguuid_use(nullptr));
  for (const uint64_t word : gen.opaque) EXPECT_EQ(0u, word) << "a word was left";
}

}  // namespace
}  // namespace loguuid::testing
