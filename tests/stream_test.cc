// Lanes, keys, blocks and what is made of them, against vectors from an independent implementation; on the kernel in
// use.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "process.h"
#include "support.h"

namespace loguuid::testing {
namespace {

struct StreamVector {
  const Block& block;
  uint64_t thread = block.number("thread");
  uint64_t process = block.number("process");

  std::unique_ptr<loguuid_gen> gen() const { return new_gen(block.number("seed"), thread, process); }
};

std::vector<StreamVector> streams() {
  std::vector<StreamVector> all;
  for (const Block* block : vectors("stream-aes.txt", "stream")) all.push_back({*block});
  return all;
}

std::string one(size_t (*make)(char*, size_t)) {
  char text[37] = "";
  EXPECT_EQ(36u, make(text, sizeof text));
  return text;
}

TEST(Stream, KernelIsTheOneThatWasAskedFor) {
  const char* asked = getenv("LOGUUID_KERNEL");
  if (asked == nullptr) GTEST_SKIP() << "LOGUUID_KERNEL is not set: this is " << loguuid_kernel();
  EXPECT_STREQ(asked, loguuid_kernel());
}

TEST(Stream, IntegerSeedIsItsExpandedBytes) {
  for (const StreamVector& v : streams()) {
    const std::vector<uint8_t> bytes = v.block.bytes("seed_bytes");
    ASSERT_EQ(48u, bytes.size());
    loguuid_gen long_seed;
    ASSERT_EQ(LOGUUID_OK, loguuid_gen_init(&long_seed, bytes.data(), 48, v.thread, v.process, LOGUUID_HASH_AES));
    const auto integer_seed = v.gen();
    unsigned char a[3000], b[3000];
    {
      const Using use(&long_seed);
      loguuid_random_bytes(a, sizeof a);
    }
    const Using use(integer_seed);
    loguuid_random_bytes(b, sizeof b);
    EXPECT_EQ(to_hex(a, sizeof a), to_hex(b, sizeof b));
  }
}

TEST(Stream, LaneStartsWithTheRightStateAndKey) {
  for (const StreamVector& v : streams()) {
    const auto gen = v.gen();
    const Lane& lane = *lane_of(gen.get());
    const std::vector<uint64_t> state = v.block.hex_words("lane");
    ASSERT_EQ(4u, state.size());
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(state[i], lane.stream.s[i]);
    EXPECT_EQ(v.block.text("key"), to_hex(lane.key, 16));
    const loguuid_position position = loguuid_gen_position(gen.get());
    EXPECT_EQ(v.thread, position.thread);
    EXPECT_EQ(v.process, position.process);
    EXPECT_EQ(0u, position.draws);
  }
}

TEST(Stream, BlocksAndWordsAreRight) {
  for (const StreamVector& v : streams()) {
    const std::vector<std::string> blocks = v.block.words("block");
    const std::vector<uint64_t> words = v.block.hex_words("random64");
    const std::vector<uint64_t> internal = v.block.hex_words("internal");
    ASSERT_EQ(3u, blocks.size());
    ASSERT_EQ(3u, words.size());
    ASSERT_EQ(3u, internal.size());
    const auto by_bytes = v.gen(), by_pairs = v.gen(), by_words = v.gen(), by_halves = v.gen(), raw = v.gen();
    for (size_t i = 0; i < 3; ++i) {
      unsigned char bytes[16];
      loguuid_use(by_bytes.get());
      loguuid_random_bytes(bytes, sizeof bytes);
      EXPECT_EQ(blocks[i], to_hex(bytes, 16));

      uint64_t lo = 0, hi = 0;
      loguuid_use(by_pairs.get());
      loguuid_random_pair(&lo, &hi);
      EXPECT_EQ(load_le64(bytes), lo);
      EXPECT_EQ(load_le64(bytes + 8), hi);

      loguuid_use(by_words.get());
      EXPECT_EQ(words[i], loguuid_random64());
      loguuid_use(by_halves.get());
      EXPECT_EQ(static_cast<uint32_t>(words[i] >> 32), loguuid_random32());
      loguuid_use(raw.get());
      EXPECT_EQ(internal[i], loguuid_random64_internal());
      loguuid_use(nullptr);
    }
    EXPECT_EQ(3u, loguuid_gen_position(by_words.get()).draws);
    EXPECT_EQ(0u, loguuid_gen_position(raw.get()).draws) << "the raw word is not a draw";
  }
}

TEST(Stream, ThirtySevenBytesAreThreeBlocksCutOff) {
  for (const StreamVector& v : streams()) {
    const auto gen = v.gen();
    const Using use(gen);
    const std::string bytes = written_exactly(37, [&](char* out) {
      const auto fresh = v.gen();
      const Using use_fresh(fresh);
      loguuid_random_bytes(out, 37);
      EXPECT_EQ(3u, loguuid_gen_position(fresh.get()).draws);
    });
    EXPECT_EQ(v.block.text("bytes_37"), to_hex(bytes.data(), bytes.size()));
  }
}

TEST(Stream, Version4IsRightOneByOneAndInABatch) {
  for (const StreamVector& v : streams()) {
    const std::vector<std::string> first = v.block.words("uuid_v4");
    ASSERT_EQ(3u, first.size());
    const auto single = v.gen(), batch = v.gen(), raw = v.gen();
    for (const std::string& uuid : first) {
      {
        const Using use(single);
        EXPECT_EQ(uuid, one(loguuid_v4));
      }
      const Using use(raw);
      unsigned char bytes[16];
      char text[37];
      loguuid_v4_bytes(bytes);
      loguuid_unparse(text, sizeof text, bytes);
      EXPECT_EQ(uuid, text);
    }
    const Using use(batch);
    char text[111];
    EXPECT_EQ(110u, loguuid_v4_many(text, sizeof text, 3, ' '));
    EXPECT_EQ(v.block.text("uuid_v4"), text);
  }
}

// UUIDs number `from` and so on, in four ways of getting there.
void check_around_rekey(const StreamVector& v, const char* key, uint64_t from) {
  const std::vector<std::string> right = v.block.words(key);
  ASSERT_LE(3u, right.size());
  const auto single = v.gen(), batch = v.gen(), skipped = v.gen(), by_ones = v.gen();
  {
    const Using use(single);
    for (uint64_t i = 1; i < from; ++i) one(loguuid_v4);
    for (const std::string& uuid : right) EXPECT_EQ(uuid, one(loguuid_v4)) << key;
  }
  {
    const Using use(batch);
    const size_t count = from - 1 + right.size();
    std::vector<char> text(37 * count);
    loguuid_v4_many(text.data(), text.size(), count, ' ');
    EXPECT_EQ(v.block.text(key), text.data() + 37 * (from - 1)) << "batch";
  }
  {
    const Using use(skipped);
    loguuid_gen_skip(skipped.get(), from - 1);
    for (const std::string& uuid : right) EXPECT_EQ(uuid, one(loguuid_v4)) << "skipped";
  }
  const Using use(by_ones);
  for (uint64_t i = 1; i < from; ++i) loguuid_gen_skip(by_ones.get(), 1);
  for (const std::string& uuid : right) EXPECT_EQ(uuid, one(loguuid_v4)) << "skipped one by one";
}

TEST(Stream, RekeyComesAfterDraw1024And2048) {
  for (const StreamVector& v : streams()) {
    check_around_rekey(v, "uuid_v4_1023_to_1026", 1023);
    check_around_rekey(v, "uuid_v4_2048_to_2050", 2048);
  }
}

TEST(Stream, Version7IsRightOneByOneAndInABatch) {
  for (const StreamVector& v : streams()) {
    const std::vector<std::string> right = v.block.words("uuid_v7");
    ASSERT_EQ(3u, right.size());
    const uint64_t now_ns = v.block.number("unix_ms") * 1000000;
    const auto single = v.gen(), batch = v.gen(), raw = v.gen();
    for (const auto* gen : {&single, &batch, &raw}) loguuid_gen_set_clock(gen->get(), now_ns);
    for (const std::string& uuid : right) {
      {
        const Using use(single);
        EXPECT_EQ(uuid, one(loguuid_v7));
      }
      const Using use(raw);
      unsigned char bytes[16];
      char text[37];
      loguuid_v7_bytes(bytes);
      loguuid_unparse(text, sizeof text, bytes);
      EXPECT_EQ(uuid, text);
    }
    const Using use(batch);
    char text[111];
    EXPECT_EQ(110u, loguuid_v7_many(text, sizeof text, 3, ' '));
    EXPECT_EQ(v.block.text("uuid_v7"), text);
  }
}

TEST(Stream, AesIsTheOneOfFips197) {
  for (const Block* block : vectors("fips197.txt", "aes128")) {
    // Any plain text can be a block's input: it is the first half of a state.
    const std::vector<uint8_t> key = block->bytes("key"), plain = block->bytes("plain");
    Stream stream{};
    stream.s[0] = load_le64(plain.data());
    stream.s[1] = load_le64(plain.data() + 8);
    kernel().expand_key(stream.round_keys, key.data());
    Stream copy = stream;
    uint8_t out[16];
    kernel().block(copy, out);
    EXPECT_EQ(block->text("cipher"), to_hex(out, 16));
    uint8_t many[16 * 3];
    kernel().blocks(stream, many, 3);
    EXPECT_EQ(block->text("cipher"), to_hex(many, 16));
  }
  for (const Block* block : vectors("fips197.txt", "aes128_key_schedule")) {
    uint8_t round_keys[kRoundKeyBytes];
    kernel().expand_key(round_keys, block->bytes("key").data());
    EXPECT_EQ(block->text("first_round_key"), to_hex(round_keys, 16));
    EXPECT_EQ(block->text("last_round_key"), to_hex(round_keys + 160, 16));
  }
}

}  // namespace
}  // namespace loguuid::testing
