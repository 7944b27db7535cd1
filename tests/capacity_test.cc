// Every function that writes into a caller's buffer writes what it promises and not one byte more.
#include <gtest/gtest.h>

#include <cstring>

#include "support.h"

namespace loguuid::testing {
namespace {

const std::string kText = "00112233-4455-6677-8899-aabbccddeeff";
const unsigned char kBytes[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

struct Writer {
  const char* name;
  size_t need;
  std::function<size_t(char*, size_t)> write;
};

std::vector<Writer> writers() {
  std::vector<Writer> all = {
      {"v4", 37, loguuid_v4},
      {"v7", 37, loguuid_v7},
      {"ulid", 27, loguuid_ulid},
      {"traceparent", 56, [](char* out, size_t cap) { return loguuid_traceparent(out, cap, 1); }},
      {"websocket_key", 25, loguuid_websocket_key},
      {"unparse", 37, [](char* out, size_t cap) { return loguuid_unparse(out, cap, kBytes); }},
  };
  for (size_t count = 0; count <= 2; ++count) {
    all.push_back({"v4_many", count == 0 ? 1 : 37 * count,
                   [=](char* out, size_t cap) { return loguuid_v4_many(out, cap, count, ';'); }});
    all.push_back({"v7_many", count == 0 ? 1 : 37 * count,
                   [=](char* out, size_t cap) { return loguuid_v7_many(out, cap, count, ';'); }});
  }
  for (const loguuid_encoding encoding : {LOGUUID_HEX, LOGUUID_BASE64, LOGUUID_BASE64URL, LOGUUID_BASE32})
    for (const size_t size : std::initializer_list<size_t>{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 20, 24, 31, 32, 33, 39})
      all.push_back({"token", loguuid_token_size(size, encoding),
                     [=](char* out, size_t cap) { return loguuid_token(out, cap, size, encoding); }});
  return all;
}

std::unique_ptr<loguuid_gen> clocked_gen() {
  auto gen = new_gen(77);
  loguuid_gen_set_clock(gen.get(), 1700000000123456789);
  return gen;
}

TEST(Capacity, EveryOneFrom0To80IsRespected) {
  for (const Writer& writer : writers()) {
    char ample[200];
    {
      const auto gen = clocked_gen();
      const Using use(gen);
      ASSERT_EQ(writer.need - 1, writer.write(ample, sizeof ample)) << writer.name;
      ASSERT_EQ(writer.need - 1, strlen(ample)) << writer.name;
    }
    for (size_t cap = 0; cap <= 80; ++cap) {
      SCOPED_TRACE(std::string(writer.name) + ", capacity " + std::to_string(cap));
      for (const int pattern : {0x5a, 0xa5}) {
        const auto gen = clocked_gen();
        const Using use(gen);
        GuardedBuffer buffer(cap);
        buffer.fill(pattern);
        const size_t len = writer.write(buffer.data(), cap);
        if (cap >= writer.need) {
          ASSERT_EQ(writer.need - 1, len);
          ASSERT_STREQ(ample, buffer.data());
          for (size_t i = writer.need; i < cap; ++i)
            ASSERT_EQ(pattern, buffer.bytes()[i]) << "byte " << i << " behind the text";
          continue;
        }
        ASSERT_EQ(0u, len);
        EXPECT_EQ(0u, loguuid_gen_position(gen.get()).draws) << "a refused call draws nothing";
        for (size_t i = 0; i < cap; ++i) ASSERT_EQ(i == 0 ? 0 : pattern, buffer.bytes()[i]) << "byte " << i;
      }
    }
  }
}

TEST(Capacity, ExactBuffersAreFilledAndNothingElseAtEveryAlignment) {
  for (const Writer& writer : writers()) {
    SCOPED_TRACE(writer.name);
    const std::string text = written_exactly(writer.need, [&](char* out) {
      const auto gen = clocked_gen();
      const Using use(gen);
      EXPECT_EQ(writer.need - 1, writer.write(out, writer.need));
    });
    EXPECT_EQ(writer.need - 1, text.find('\0')) << "NUL at the end, and only there";
  }
}

TEST(Capacity, NullWritesNothingAndDrawsNothing) {
  for (const Writer& writer : writers()) {
    const auto gen = clocked_gen();
    const Using use(gen);
    EXPECT_EQ(0u, writer.write(nullptr, 100)) << writer.name;
    EXPECT_EQ(0u, writer.write(nullptr, 0)) << writer.name;
    EXPECT_EQ(0u, loguuid_gen_position(gen.get()).draws) << writer.name;
  }
  char text[37] = "x";
  EXPECT_EQ(0u, loguuid_unparse(text, sizeof text, nullptr));
}

TEST(Capacity, SixteenBytesAreWrittenExactly) {
  for (const auto write : {loguuid_v4_bytes, loguuid_v7_bytes}) {
    const std::string bytes = written_exactly(16, [&](char* out) {
      const auto gen = clocked_gen();
      const Using use(gen);
      write(reinterpret_cast<unsigned char*>(out));
    });
    EXPECT_EQ('\x80', bytes[8] & '\xc0');
  }
  const std::string parsed = written_exactly(16, [](char* out) {
    EXPECT_EQ(LOGUUID_OK, loguuid_parse(reinterpret_cast<unsigned char*>(out), kText.data(), 36));
  });
  EXPECT_EQ(0, memcmp(kBytes, parsed.data(), 16));
}

}  // namespace
}  // namespace loguuid::testing
