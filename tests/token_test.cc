// Tokens, ULIDs, trace contexts, WebSocket keys and plain random numbers: shape, alphabet, and what they are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "process.h"
#include "support.h"

namespace loguuid::testing {
namespace {

constexpr uint64_t kMillisecond = 1000000;
constexpr loguuid_encoding kEncodings[] = {LOGUUID_HEX, LOGUUID_BASE64, LOGUUID_BASE64URL, LOGUUID_BASE32};

std::vector<unsigned char> bytes_of(uint64_t seed, size_t size) {
  const auto gen = new_gen(seed);
  const Using use(gen);
  std::vector<unsigned char> bytes(size);
  loguuid_random_bytes(bytes.data(), size);
  return bytes;
}

// A plain reading of RFC 4648: five or six bits at a time from the front, zeroes behind the last.
std::string encode(const std::vector<unsigned char>& bytes, loguuid_encoding encoding) {
  const bool base32 = encoding == LOGUUID_BASE32;
  const char* alphabet = encoding == LOGUUID_HEX ? "0123456789abcdef"
                         : base32                ? "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
                         : encoding == LOGUUID_BASE64
                             ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                             : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const size_t width = encoding == LOGUUID_HEX ? 4 : base32 ? 5 : 6;
  std::string text;
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += width) {
    size_t digit = 0;
    for (size_t i = bit; i < bit + width; ++i)
      digit = digit << 1 | (i < 8 * bytes.size() ? bytes[i / 8] >> (7 - i % 8) & 1u : 0u);
    text += alphabet[digit];
  }
  if (encoding == LOGUUID_BASE64)
    while (text.size() % 4 != 0) text += '=';
  return text;
}

TEST(Token, IsTheNextRandomBytesInItsEncoding) {
  for (const loguuid_encoding encoding : kEncodings) {
    for (size_t size = 0; size <= 300; ++size) {
      const std::string right = encode(bytes_of(size, size), encoding);
      const auto gen = new_gen(size);
      const Using use(gen);
      const size_t need = loguuid_token_size(size, encoding);
      ASSERT_EQ(right.size() + 1, need) << "encoding " << encoding << ", " << size << " bytes";
      GuardedBuffer out(need);
      out.fill(0x5a);
      ASSERT_EQ(right.size(), loguuid_token(out.data(), need, size, encoding));
      ASSERT_EQ(right, out.data()) << "encoding " << encoding << ", " << size << " bytes";
      EXPECT_EQ((size + 15) / 16, loguuid_gen_position(gen.get()).draws);
    }
  }
}

TEST(Token, LargeOnesCrossKeys) {
  for (const loguuid_encoding encoding : kEncodings) {
    constexpr size_t kSize = 16 * 3000 + 5;
    const auto gen = new_gen(3);
    const Using use(gen);
    std::vector<char> out(loguuid_token_size(kSize, encoding));
    ASSERT_EQ(out.size() - 1, loguuid_token(out.data(), out.size(), kSize, encoding));
    EXPECT_TRUE(encode(bytes_of(3, kSize), encoding) == out.data());
  }
}

TEST(Token, RefusesUnknownEncodingsAndSizesThatOverflow) {
  const auto gen = new_gen();
  const Using use(gen);
  char out[8] = "before";
  loguuid_encoding unknown;
  const unsigned number = 4;
  memcpy(&unknown, &number, sizeof unknown);
  EXPECT_EQ(0u, loguuid_token_size(1, unknown));
  EXPECT_EQ(0u, loguuid_token(out, sizeof out, 1, unknown));
  EXPECT_STREQ("", out);
  for (const loguuid_encoding encoding : kEncodings) {
    EXPECT_EQ(0u, loguuid_token_size(SIZE_MAX, encoding));
    EXPECT_EQ(0u, loguuid_token_size(SIZE_MAX / 8 * 7, encoding));
    strcpy(out, "before");
    EXPECT_EQ(0u, loguuid_token(out, sizeof out, SIZE_MAX, encoding));
    EXPECT_STREQ("", out);
  }
  EXPECT_EQ(0u, loguuid_token_size(SIZE_MAX / 2 + 1, LOGUUID_HEX));
  EXPECT_EQ(0u, loguuid_gen_position(gen.get()).draws);
}

TEST(WebsocketKey, IsBase64OfSixteenBytes) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const auto gen = new_gen(seed);
    const Using use(gen);
    char key[25] = "";
    ASSERT_EQ(24u, loguuid_websocket_key(key, sizeof key));
    EXPECT_EQ(encode(bytes_of(seed, 16), LOGUUID_BASE64), key);
  }
  // The oracle itself agrees with the standard's example.
  for (const Block* block : vectors("rfc6455.txt", "websocket_key"))
    EXPECT_EQ(block->text("key"), encode(block->bytes("bytes"), LOGUUID_BASE64));
}

TEST(Traceparent, HasItsVersionIdsAndFlags) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const auto gen = new_gen(seed);
    const Using use(gen);
    const std::string ids = encode(bytes_of(seed, 24), LOGUUID_HEX);
    const unsigned flags = static_cast<unsigned>(seed % 300);  // only the lower 8 bits count
    char text[56] = "", right[56];
    ASSERT_EQ(55u, loguuid_traceparent(text, sizeof text, flags));
    snprintf(right, sizeof right, "00-%s-%s-%02x", ids.substr(0, 32).c_str(), ids.substr(32).c_str(), flags & 0xff);
    EXPECT_STREQ(right, text);
    EXPECT_EQ(2u, loguuid_gen_position(gen.get()).draws);
  }
}

// ---- ULID ----

struct Ulid {
  uint64_t ms = 0;
  std::vector<unsigned char> random = std::vector<unsigned char>(10);
};

Ulid decode_ulid(const std::string& text) {
  const std::string alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  EXPECT_EQ(26u, text.size());
  Ulid ulid;
  for (size_t i = 0; i < text.size(); ++i) {
    const uint64_t digit = alphabet.find(text[i]);
    EXPECT_GT(32u, digit) << text;
    if (i < 10) ulid.ms = ulid.ms << 5 | digit;
    for (size_t bit = 0; i >= 10 && bit < 5; ++bit) {
      const size_t at = 5 * (i - 10) + bit;
      if (digit >> (4 - bit) & 1)
        ulid.random[at / 8] = static_cast<unsigned char>(ulid.random[at / 8] | 0x80 >> at % 8);
    }
  }
  EXPECT_GE('7', text[0]) << "130 bits do not fit 128";
  return ulid;
}

std::vector<unsigned char> plus_one(std::vector<unsigned char> number) {
  for (size_t i = number.size(); i-- > 0;)
    if (++number[i] != 0) break;
  return number;
}

std::string next_ulid() {
  char text[27] = "";
  loguuid_ulid(text, sizeof text);
  return text;
}

TEST(Ulid, IsTheMillisecondAndTenRandomBytes) {
  for (const uint64_t ms : {0ull, 1ull, 1469918176385ull, 1700000000123ull, 18446744073708ull}) {
    const auto gen = new_gen(ms);
    loguuid_gen_set_clock(gen.get(), ms * kMillisecond + 999999);
    const Using use(gen);
    const Ulid ulid = decode_ulid(next_ulid());
    EXPECT_EQ(ms, ulid.ms);
    EXPECT_EQ(bytes_of(ms, 10), ulid.random);
    EXPECT_EQ(1u, loguuid_gen_position(gen.get()).draws);
  }
}

TEST(Ulid, OfTheSameMillisecondIsThePreviousPlusOne) {
  const auto gen = new_gen(1);
  loguuid_gen_set_clock(gen.get(), 1700000000123 * kMillisecond);
  const Using use(gen);
  Ulid before = decode_ulid(next_ulid());
  for (int i = 0; i < 5000; ++i) {
    const Ulid now = decode_ulid(next_ulid());
    ASSERT_EQ(before.ms, now.ms);
    ASSERT_EQ(plus_one(before.random), now.random);
    before = now;
  }
}

TEST(Ulid, IncreasesWhateverTheClockDoes) {
  const auto gen = new_gen(2);
  const Using use(gen);
  const uint64_t start = 1700000000123 * kMillisecond, hour = 3600ull * 1000 * kMillisecond;
  std::string before;
  for (const uint64_t clock : {start, start - hour, uint64_t{0}, start + kMillisecond, start, start + hour, start}) {
    loguuid_gen_set_clock(gen.get(), clock);
    for (int i = 0; i < 20; ++i) {
      const std::string now = next_ulid();
      ASSERT_LT(before, now);
      before = now;
    }
  }
}

TEST(Ulid, OfALaterMillisecondIsRandomAgain) {
  const auto gen = new_gen(3);
  const Using use(gen);
  std::set<std::string> tails;
  for (uint64_t ms = 1; ms <= 500; ++ms) {
    loguuid_gen_set_clock(gen.get(), ms * kMillisecond);
    tails.insert(next_ulid().substr(10));
  }
  EXPECT_EQ(500u, tails.size());
}

TEST(Ulid, OverflowIsAnErrorUntilTheNextMillisecond) {
  const auto gen = new_gen(9);
  const uint64_t ms = 1700000000123;
  loguuid_gen_set_clock(gen.get(), ms * kMillisecond);
  const Using use(gen);
  lane_of(gen.get())->ulid = {ms, 0xffff, ~uint64_t{0} - 1};
  EXPECT_EQ("01HF7YAT3VZZZZZZZZZZZZZZZZ", next_ulid());
  for (int i = 0; i < 3; ++i) {
    char text[27] = "before";
    EXPECT_EQ(0u, loguuid_ulid(text, sizeof text));
    EXPECT_STREQ("", text);
  }
  loguuid_gen_set_clock(gen.get(), (ms + 1) * kMillisecond);
  EXPECT_EQ("01HF7YAT3W", next_ulid().substr(0, 10));
}

// ---- random numbers ----

TEST(RandomBelow, StaysBelowAndReachesEverything) {
  const auto gen = new_gen(4);
  const Using use(gen);
  EXPECT_EQ(0u, loguuid_random_below(0));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(0u, loguuid_random_below(1));
  for (const uint64_t bound : {2u, 3u, 5u, 7u, 10u, 100u}) {
    std::vector<int> seen(bound);
    for (uint64_t i = 0; i < 1000 * bound; ++i) {
      const uint64_t value = loguuid_random_below(bound);
      ASSERT_LT(value, bound);
      ++seen[value];
    }
    // 1000 expected, a deviation of six times 31.6 has odds of one in half a thousand million.
    for (const int count : seen) EXPECT_NEAR(1000, count, 190);
  }
  for (const uint64_t bound : {uint64_t{1} << 63, (uint64_t{1} << 63) + 1, ~uint64_t{0}, uint64_t{1} << 32})
    for (int i = 0; i < 1000; ++i) ASSERT_LT(loguuid_random_below(bound), bound);
}

// With a bound of 3 * 2^62 a modulo would give the lower third of the range twice as often as the others.
TEST(RandomBelow, HasNoModuloBias) {
  const auto gen = new_gen(5);
  const Using use(gen);
  constexpr uint64_t kBound = uint64_t{3} << 62;
  int thirds[3] = {};
  for (int i = 0; i < 30000; ++i) ++thirds[loguuid_random_below(kBound) / (kBound / 3)];
  for (const int count : thirds) EXPECT_NEAR(10000, count, 500);
}

TEST(RandomBelow, OfAPowerOfTwoTakesOneDraw) {
  const auto gen = new_gen(6);
  const Using use(gen);
  for (int bit = 0; bit < 64; ++bit) loguuid_random_below(uint64_t{1} << bit);
  EXPECT_GE(64u, loguuid_gen_position(gen.get()).draws);
}

TEST(RandomBytes, AreWrittenExactlyAtEverySize) {
  const std::vector<unsigned char> right = bytes_of(7, 200);
  for (size_t size = 0; size <= 200; size = size < 70 ? size + 1 : size + 13) {
    const std::string bytes = written_exactly(size, [&](char* out) {
      const auto gen = new_gen(7);
      const Using use(gen);
      loguuid_random_bytes(out, size);
      EXPECT_EQ((size + 15) / 16, loguuid_gen_position(gen.get()).draws);
    });
    EXPECT_EQ(0, memcmp(bytes.data(), right.data(), size)) << size;
  }
}

std::string little_endian(uint64_t number) {
  std::string digits;
  for (int i = 0; i < 8; ++i, number >>= 8) {
    const unsigned char byte = static_cast<unsigned char>(number);
    digits += to_hex(&byte, 1);
  }
  return digits;
}

TEST(RandomPair, WritesTheHalvesThatAreWanted) {
  const std::vector<unsigned char> right = bytes_of(8, 48);
  const auto gen = new_gen(8);
  const Using use(gen);
  uint64_t lo = 0, hi = 0;
  loguuid_random_pair(&lo, nullptr);
  EXPECT_EQ(to_hex(right.data(), 8), little_endian(lo));
  loguuid_random_pair(nullptr, &hi);
  EXPECT_EQ(to_hex(right.data() + 24, 8), little_endian(hi));
  loguuid_random_pair(&lo, &hi);
  EXPECT_EQ(to_hex(right.data() + 32, 8), little_endian(lo));
  EXPECT_EQ(to_hex(right.data() + 40, 8), little_endian(hi));
}

TEST(Library, NamesItsErrorsAndVersion) {
  EXPECT_STREQ("1.0.0", loguuid_version());
  std::set<std::string> sentences;
  for (int status = LOGUUID_OK; status <= LOGUUID_ERR_FORMAT; ++status) {
    const char* sentence = loguuid_strerror(static_cast<loguuid_status>(status));
    ASSERT_NE(nullptr, sentence);
    EXPECT_NE(0u, strlen(sentence));
    sentences.insert(sentence);
  }
  EXPECT_EQ(static_cast<size_t>(LOGUUID_ERR_FORMAT) + 1, sentences.size()) << "two errors share a sentence";
  loguuid_status unknown;
  const unsigned number = 9;
  memcpy(&unknown, &number, sizeof unknown);
  ASSERT_NE(nullptr, loguuid_strerror(unknown));
}

TEST(Library, DescribesWhatItFound) {
  loguuid_info info{};
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_describe(&info)) << "size 0";
  info.size = sizeof info;
  ASSERT_EQ(LOGUUID_OK, loguuid_describe(&info));
  EXPECT_STREQ(loguuid_kernel(), info.kernel);
  const std::string kernels = std::string(" ") + info.kernels + " ";
  EXPECT_NE(std::string::npos, kernels.find(" " + std::string(info.kernel) + " ")) << kernels;
  EXPECT_TRUE(kernels.ends_with(" scalar ")) << "always there, and the slowest: " << kernels;
  EXPECT_LT(0u, info.thread_state_bytes);
  EXPECT_GE(1024u, info.thread_state_bytes);
  const char* asked = getenv("LOGUUID_KERNEL");
  if (asked != nullptr) {
    EXPECT_STREQ(asked, info.kernel_request);
    EXPECT_EQ(1, info.kernel_request_honoured);
  } else {
    EXPECT_EQ(nullptr, info.kernel_request);
  }
}

}  // namespace
}  // namespace loguuid::testing
