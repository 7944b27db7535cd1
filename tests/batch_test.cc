// A batch is its single calls, byte for byte, wherever a key ends; and no two UUIDs of twenty threads are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "support.h"

namespace loguuid::testing {
namespace {

struct Version {
  const char* name;
  size_t (*one)(char*, size_t);
  size_t (*many)(char*, size_t, size_t, char);
};
const Version kVersions[] = {{"v4", loguuid_v4, loguuid_v4_many}, {"v7", loguuid_v7, loguuid_v7_many}};

std::unique_ptr<loguuid_gen> gen_at(uint64_t draws) {
  auto gen = new_gen(5, 3, 1);
  loguuid_gen_set_clock(gen.get(), 1700000000123000000);
  loguuid_gen_skip(gen.get(), draws);
  return gen;
}

std::string by_single_calls(const Version& version, loguuid_gen* gen, size_t count, char separator) {
  const Using use(gen);
  std::string all;
  for (size_t i = 0; i < count; ++i) {
    char text[37];
    EXPECT_EQ(36u, version.one(text, sizeof text));
    if (i != 0) all += separator;
    all.append(text, 36);
  }
  return all;
}

std::string by_batch(const Version& version, loguuid_gen* gen, size_t count, char separator) {
  const Using use(gen);
  GuardedBuffer out(37 * count);
  out.fill(0x5a);
  EXPECT_EQ(37 * count - 1, version.many(out.data(), out.size(), count, separator));
  EXPECT_EQ('\0', out.data()[37 * count - 1]);
  return std::string(out.data(), 37 * count - 1);
}

TEST(Batch, IsItsSingleCallsForEveryCount) {
  for (const Version& version : kVersions) {
    for (size_t count = 1; count <= 130; ++count) {
      const auto a = gen_at(0), b = gen_at(0);
      ASSERT_EQ(by_single_calls(version, a.get(), count, ' '), by_batch(version, b.get(), count, ' '))
          << version.name << " " << count;
      EXPECT_EQ(count, loguuid_gen_position(b.get()).draws);
    }
  }
}

TEST(Batch, IsItsSingleCallsWhereverItMeetsTheEndOfAKey) {
  for (const Version& version : kVersions) {
    for (uint64_t start = 900; start <= 1030; ++start) {
      const auto a = gen_at(start), b = gen_at(start);
      ASSERT_EQ(by_single_calls(version, a.get(), 120, ','), by_batch(version, b.get(), 120, ','))
          << version.name << " from draw " << start;
    }
  }
}

TEST(Batch, CrossesManyKeys) {
  for (const Version& version : kVersions) {
    for (const size_t count : {1024u, 1025u, 5000u}) {
      const auto a = gen_at(7), b = gen_at(7);
      const std::string singles = by_single_calls(version, a.get(), count, '\n');
      const std::string batch = by_batch(version, b.get(), count, '\n');
      ASSERT_TRUE(singles == batch) << version.name << " " << count;
      EXPECT_EQ(7 + count, loguuid_gen_position(b.get()).draws);
    }
  }
}

TEST(Batch, TakesEverySeparator) {
  for (const Version& version : kVersions) {
    for (int separator = 0; separator < 256; ++separator) {
      const auto a = gen_at(1000), b = gen_at(1000);
      ASSERT_EQ(by_single_calls(version, a.get(), 37, static_cast<char>(separator)),
                by_batch(version, b.get(), 37, static_cast<char>(separator)))
          << version.name << " separator " << separator;
    }
  }
}

TEST(Batch, GoesOnWhereTheLastCallEnded) {
  for (const Version& version : kVersions) {
    const auto a = gen_at(0), b = gen_at(0);
    std::string pieces;
    for (size_t count = 1; count <= 60; ++count) {
      pieces += by_batch(version, a.get(), count, ' ') + " ";
      pieces += by_single_calls(version, a.get(), 2, ' ') + " ";
    }
    ASSERT_EQ(by_single_calls(version, b.get(), 60 * 61 / 2 + 120, ' ') + " ", pieces) << version.name;
  }
}

TEST(Batch, BytesOfSeveralCallsAreBytesOfOneWhenTheyEndOnABlock) {
  const auto a = gen_at(0), b = gen_at(0);
  std::string once(16 * 3000, 0), pieces(16 * 3000, 0);
  {
    const Using use(a);
    loguuid_random_bytes(once.data(), once.size());
  }
  const Using use(b);
  for (size_t at = 0, step = 1; at < pieces.size(); at += 16 * step, step = step % 90 + 1) {
    step = std::min(step, (pieces.size() - at) / 16);
    loguuid_random_bytes(pieces.data() + at, 16 * step);
  }
  EXPECT_TRUE(once == pieces);
}

// A batch so large that its size overflows is refused like any other that does not fit.
TEST(Batch, RefusesCountsThatOverflow) {
  for (const Version& version : kVersions) {
    for (const size_t count : {SIZE_MAX, SIZE_MAX / 37, SIZE_MAX / 37 + 1, SIZE_MAX / 37 + 2, SIZE_MAX / 2 + 1}) {
      const auto gen = gen_at(0);
      const Using use(gen);
      char out[128] = "before";
      EXPECT_EQ(0u, version.many(out, sizeof out, count, ' ')) << version.name << " " << count;
      EXPECT_STREQ("", out);
      EXPECT_EQ(0u, loguuid_gen_position(gen.get()).draws);
    }
  }
}

// ---- no duplicate ----

struct Value {
  uint64_t high, low;
  auto operator<=>(const Value&) const = default;
};

TEST(Unique, SixteenMillionUuidsOfTwentyThreadsHaveNoDuplicate) {
  constexpr size_t kThreads = 20, kBatch = 128;
  const size_t total = time_limits_count() ? size_t{1} << 24 : size_t{1} << 18;
  const size_t share = total / kThreads + 1;
  std::vector<Value> values(share * kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      char text[37 * kBatch];
      for (size_t i = 0; i < share;) {
        // All ways to make one take part: batches, and one in 64 by single calls.
        const size_t count = i % 64 == 0 ? 1 : std::min(kBatch, share - i);
        count == 1 ? loguuid_v4(text, sizeof text) : loguuid_v4_many(text, sizeof text, count, ' ');
        for (size_t k = 0; k < count; ++k, ++i) {
          unsigned char bytes[16];
          if (loguuid_parse(bytes, text + 37 * k, 36) != LOGUUID_OK) abort();
          memcpy(&values[t * share + i], bytes, 16);
        }
      }
      loguuid_thread_stop();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  std::thread lower([&] { std::sort(values.begin(), middle); });
  std::sort(middle, values.end());
  lower.join();
  EXPECT_LE(total, values.size());
  EXPECT_TRUE(std::adjacent_find(values.begin(), values.end()) == values.end());
}

}  // namespace
}  // namespace loguuid::testing
