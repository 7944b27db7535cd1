// HAProxy's names give HAProxy's values: its seeding, its lanes, its hashed words and its layout of UUIDs.
#include "loguuid_haproxy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "process.h"
#include "support.h"

namespace loguuid::testing {
namespace {

const char* const kFile = "xoshiro-and-haproxy.txt";

// Whoever calls ha_random_seed() walks HAProxy's sequence for the rest of its life, so each case has a thread of its
// own.
template <class Work>
void in_a_thread(Work work) {
  std::thread thread(work);
  thread.join();
}

Words256 state() {
  const Lane& lane = *current_lane;
  return {lane.stream.s[0], lane.stream.s[1], lane.stream.s[2], lane.stream.s[3]};
}

Words256 state_of(const Block& block, std::string_view key) {
  const std::vector<uint64_t> words = block.hex_words(key);
  EXPECT_EQ(4u, words.size()) << key;
  Words256 right{};
  for (size_t i = 0; i < 4 && i < words.size(); ++i) right[i] = words[i];
  return right;
}

std::string uuid(void (*generate)(struct buffer*)) {
  char area[37] = "";
  struct buffer out = {sizeof area, area, 0, 0};
  generate(&out);
  EXPECT_EQ(36u, out.data);
  return area;
}

TEST(Haproxy, SeedFillsTheStateAsHaproxyDoes) {
  for (const Block* block : vectors(kFile, "haproxy_seed")) {
    in_a_thread([&] {
      const std::vector<uint8_t> seed = block->bytes("seed");
      // A copy that ends at a guard page: nothing behind the seed is read.
      GuardedBuffer copy(seed.size());
      if (!seed.empty()) memcpy(copy.data(), seed.data(), seed.size());
      ha_random_seed(copy.bytes(), copy.size());
      EXPECT_EQ(state_of(*block, "state"), state()) << block->text("seed");
    });
  }
}

TEST(Haproxy, HashedValuesAreHaproxys) {
  for (const Block* block : vectors(kFile, "haproxy_hashed")) {
    in_a_thread([&] {
      const std::vector<uint8_t> seed = block->bytes("boot_seed");
      ha_random_seed(seed.data(), seed.size());
      ha_random_seed_thread(static_cast<unsigned>(block->number("tid")));
      EXPECT_EQ(state_of(*block, "lane"), state());
      loguuid_haproxy_set_clock(block->number("now_ns"), block->number("unix_ms"));
      for (const uint64_t word : block->hex_words("random64")) EXPECT_EQ(word, ha_random64());
      for (const std::string& pair : block->words("pair")) {
        uint64_t lo = 0, hi = 0;
        ha_random64_pair_hashed(&lo, &hi);
        char text[34];
        snprintf(text, sizeof text, "%016llx:%016llx", static_cast<unsigned long long>(lo),
                 static_cast<unsigned long long>(hi));
        EXPECT_EQ(pair, text);
      }
      for (const std::string& right : block->words("uuid_v4")) EXPECT_EQ(right, uuid(ha_generate_uuid_v4));
      for (const std::string& right : block->words("uuid_v7")) EXPECT_EQ(right, uuid(ha_generate_uuid_v7));
    });
  }
}

TEST(Haproxy, InternalWordsAndJumpsAreTheSequencesOwn) {
  for (const Block* block : vectors(kFile, "xoshiro256starstar")) {
    const Words256 start = state_of(*block, "state");
    unsigned char seed[32];
    for (size_t i = 0; i < 4; ++i) store_le64(seed + 8 * i, start[i]);
    if (seed[0] == 0) continue;  // a seed begins at its first byte that is not zero
    in_a_thread([&] {
      ha_random_seed(seed, sizeof seed);
      for (const uint64_t word : block->hex_words("next")) EXPECT_EQ(word, ha_random64_internal());
      ha_random_seed(seed, sizeof seed);
      ha_random_jump128(5);
      EXPECT_EQ(state_of(*block, "state_jump_5*2^128"), state());
      ha_random_seed(seed, sizeof seed);
      ha_random_jump192(19);
      EXPECT_EQ(state_of(*block, "state_jump_19*2^192"), state());
      ha_random_seed(seed, sizeof seed);
      ha_random_jump192(3);
      ha_random_jump128(2);
      EXPECT_EQ(state_of(*block, "state_jump_3*2^192+2*2^128"), state());
      ha_random_seed(seed, sizeof seed);
      ha_random_seed_thread(18);
      EXPECT_EQ(state_of(*block, "state_jump_19*2^192"), state()) << "TID 18 walks lane 19";
    });
  }
}

TEST(Haproxy, ShortNumbersAreTheUpperBitsOfTheLongOnes) {
  in_a_thread([] {
    const unsigned char seed[] = {1, 2, 3};
    const auto start = [&] {
      ha_random_seed(seed, sizeof seed);
      loguuid_haproxy_set_clock(1234567890, 1);
    };
    start();
    uint64_t words[100];
    for (uint64_t& word : words) word = ha_random64();
    start();
    for (const uint64_t word : words) ASSERT_EQ(static_cast<uint32_t>(word >> 32), ha_random32());
    start();
    for (const uint64_t word : words) {
      const int32_t value = ha_random();
      ASSERT_LE(0, value);
      ASSERT_EQ(static_cast<int32_t>(word >> 33), value);
    }
  });
}

TEST(Haproxy, TooSmallBuffersAreLeftAlone) {
  for (const auto generate : {ha_generate_uuid_v4, ha_generate_uuid_v7}) {
    for (size_t size = 0; size <= 80; ++size) {
      GuardedBuffer area(size);
      area.fill(0x5a);
      struct buffer out = {size, area.data(), 7, 0};
      generate(&out);
      EXPECT_EQ(size < 37 ? 7u : 36u, out.data) << size;
      if (size < 37) {
        for (size_t i = 0; i < size; ++i) EXPECT_EQ(0x5a, area.data()[i]) << size;
        continue;
      }
      unsigned char bytes[16];
      EXPECT_EQ(LOGUUID_OK, loguuid_parse(bytes, area.data(), 36));
      EXPECT_EQ(0, area.data()[36]);
    }
  }
}

TEST(Haproxy, NullIsNoBufferAndAnEmptySeed) {
  in_a_thread([] {
    ha_generate_uuid_v4(nullptr);
    ha_generate_uuid_v7(nullptr);
    ha_random_seed(nullptr, 5);
    const Words256 without_seed = state();
    const unsigned char nothing = 0;
    ha_random_seed(&nothing, 0);
    EXPECT_EQ(state(), without_seed);
  });
}

TEST(Haproxy, WithoutASeedItIsTheThreadsOwnLane) {
  in_a_thread([] {
    EXPECT_NE(ha_random64(), ha_random64());
    loguuid_info info{};
    info.size = sizeof info;
    ASSERT_EQ(LOGUUID_OK, loguuid_describe(&info));
    EXPECT_STREQ("aes", info.hash);
    unsigned char bytes[16];
    const std::string text = uuid(ha_generate_uuid_v4);
    EXPECT_EQ(LOGUUID_OK, loguuid_parse(bytes, text.data(), text.size()));
    EXPECT_EQ(4, bytes[6] >> 4);
  });
}

}  // namespace
}  // namespace loguuid::testing
