// The row of fast loops in use gives what the definitions say: FIPS 197 and xoshiro256** written down plainly here,
// digit by digit text. Every count up to 200, every separator, any alignment, and not a byte outside, with guard pages.
// The test program runs once for each kernel of this CPU.
#include "kernel.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "support.h"

namespace loguuid::testing {
namespace {

using Bytes = std::vector<uint8_t>;

// ---- AES-128 as FIPS 197 defines it ----

uint8_t times(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b != 0; b = static_cast<uint8_t>(b >> 1)) {
    if (b & 1) product ^= a;
    a = static_cast<uint8_t>(a << 1 ^ (a & 0x80 ? 0x1b : 0));
  }
  return product;
}

std::array<uint8_t, 256> make_s_box() {
  std::array<uint8_t, 256> box{};
  for (int x = 0; x < 256; ++x) {
    int inverse = 0;
    while (x != 0 && times(static_cast<uint8_t>(x), static_cast<uint8_t>(inverse)) != 1) ++inverse;
    int y = 0x63;
    for (int shift = 0; shift < 5; ++shift) y ^= inverse << shift | inverse >> (8 - shift);
    box[static_cast<size_t>(x)] = static_cast<uint8_t>(y);
  }
  return box;
}
const std::array<uint8_t, 256> s_box = make_s_box();

Bytes round_keys_of(const uint8_t* key) {
  Bytes w(key, key + 16);
  uint8_t rcon = 1;
  while (w.size() < kRoundKeyBytes) {
    std::array<uint8_t, 4> t;
    std::copy(w.end() - 4, w.end(), t.begin());
    if (w.size() % 16 == 0) {
      std::rotate(t.begin(), t.begin() + 1, t.end());
      for (uint8_t& b : t) b = s_box[b];
      t[0] ^= rcon;
      rcon = times(rcon, 2);
    }
    for (const uint8_t b : t) w.push_back(static_cast<uint8_t>(w[w.size() - 16] ^ b));
  }
  return w;
}

void encrypt(const uint8_t* round_keys, uint8_t* s) {
  for (int i = 0; i < 16; ++i) s[i] ^= round_keys[i];
  for (int round = 1; round <= 10; ++round) {
    uint8_t t[16];
    for (int i = 0; i < 16; ++i) t[i] = s_box[s[(i + 4 * (i % 4)) % 16]];
    for (int column = 0; column < 16 && round < 10; column += 4) {
      const uint8_t a[4] = {t[column], t[column + 1], t[column + 2], t[column + 3]};
      for (int i = 0; i < 4; ++i)
        t[column + i] =
            static_cast<uint8_t>(times(a[i], 2) ^ times(a[(i + 1) % 4], 3) ^ a[(i + 2) % 4] ^ a[(i + 3) % 4]);
    }
    for (int i = 0; i < 16; ++i) s[i] = static_cast<uint8_t>(t[i] ^ round_keys[16 * round + i]);
  }
}

// ---- the other definitions ----

void step(uint64_t (&s)[4]) {
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = s[3] << 45 | s[3] >> 19;
}

void put_le64(uint8_t* to, uint64_t x) {
  for (int i = 0; i < 8; ++i) to[i] = static_cast<uint8_t>(x >> (8 * i));
}

// The next blocks of a stream, joined; the stream moves on.
Bytes blocks_of(Stream& stream, size_t count) {
  Bytes out(16 * count);
  for (size_t i = 0; i < count; ++i) {
    put_le64(&out[16 * i], stream.s[0] ^ stream.mix);
    put_le64(&out[16 * i + 8], stream.s[1]);
    encrypt(stream.round_keys, &out[16 * i]);
    step(stream.s);
  }
  return out;
}

std::string text_of(const uint8_t* value) {
  const std::string digits = to_hex(value, 16);
  return digits.substr(0, 8) + '-' + digits.substr(8, 4) + '-' + digits.substr(12, 4) + '-' + digits.substr(16, 4) +
         '-' + digits.substr(20);
}

std::string run_of(const Bytes& blocks, char separator) {
  std::string text;
  for (size_t i = 0; i < blocks.size(); i += 16) {
    std::array<uint8_t, 16> value;
    std::copy_n(&blocks[i], 16, value.begin());
    value[6] = static_cast<uint8_t>((value[6] & 0x0f) | 0x40);
    value[8] = static_cast<uint8_t>((value[8] & 0x3f) | 0x80);
    if (i != 0) text += separator;
    text += text_of(value.data());
  }
  return text;
}

// ---- inputs ----

class Numbers {
 public:
  explicit Numbers(uint64_t seed) : x_(seed) {}
  uint64_t next() {
    x_ = x_ * 6364136223846793005u + 1442695040888963407u;
    return x_ ^ x_ >> 29;
  }
  Bytes bytes(size_t count) {
    Bytes out(count);
    for (uint8_t& b : out) b = static_cast<uint8_t>(next() >> 20);
    return out;
  }

 private:
  uint64_t x_;
};

Stream new_stream(uint64_t seed) {
  Numbers numbers(seed);
  Stream stream;
  for (uint64_t& word : stream.s) word = numbers.next();
  stream.mix = numbers.next();
  const Bytes keys = round_keys_of(numbers.bytes(16).data());
  std::copy(keys.begin(), keys.end(), stream.round_keys);
  return stream;
}

bool same(const Stream& a, const Stream& b) { return memcmp(&a, &b, sizeof a) == 0; }

// All counts from 0 to 200 and a few long ones; an emulator gets those around the sizes of the loops' groups.
std::vector<size_t> counts() {
  std::vector<size_t> all;
  for (size_t i = 0; i <= 200; ++i)
    if (time_limits_count() || i < 20 || i % 16 < 2 || i % 16 == 15) all.push_back(i);
  for (const size_t i : std::initializer_list<size_t>{255, 256, 257, 1023, 1024, 1025}) all.push_back(i);
  return all;
}

const Kernel& row() { return kernel_choose(); }

// ---- AES and the sequence ----

TEST(Kernel, TheReferenceIsFips197) {
  const Bytes key = from_hex("000102030405060708090a0b0c0d0e0f");
  Bytes block = from_hex("00112233445566778899aabbccddeeff");
  const Bytes keys = round_keys_of(key.data());
  encrypt(keys.data(), block.data());
  EXPECT_EQ("69c4e0d86a7b0430d8cdb78070b4c55a", to_hex(block.data(), 16));
  EXPECT_EQ("13111d7fe3944a17f307a78b4d2b30c5", to_hex(&keys[160], 16));
}

TEST(Kernel, TheKeyExpandsAsInFips197) {
  Numbers numbers(1);
  for (int i = 0; i < 100; ++i) {
    const Bytes key = numbers.bytes(16);
    const Bytes expected = round_keys_of(key.data());
    std::array<uint8_t, kRoundKeyBytes> keys;
    row().expand_key(keys.data(), key.data());
    ASSERT_EQ(to_hex(expected.data(), kRoundKeyBytes), to_hex(keys.data(), kRoundKeyBytes));
  }
}

TEST(Kernel, AKeyIsReadAndExpandedAtAnyAlignmentAndNotAByteMore) {
  GuardedBuffer key(16);
  const Bytes bytes = Numbers(2).bytes(16);
  std::copy(bytes.begin(), bytes.end(), key.bytes());
  const std::string keys = written_exactly(
      kRoundKeyBytes, [&](char* out) { row().expand_key(reinterpret_cast<uint8_t*>(out), key.bytes()); });
  const Bytes expected = round_keys_of(bytes.data());
  EXPECT_EQ(std::string(expected.begin(), expected.end()), keys);
}

TEST(Kernel, BlocksOfEveryCountAreTheEncryptedSequence) {
  for (const size_t count : counts()) {
    Stream ours = new_stream(count), theirs = ours;
    const Bytes expected = blocks_of(theirs, count);
    GuardedBuffer out(16 * count + 1);
    out.fill(0x5a);
    row().blocks(ours, out.bytes() + 1, count);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.bytes() + 1)) << count << " blocks";
    ASSERT_EQ(0x5a, *out.bytes()) << count;
    ASSERT_TRUE(same(ours, theirs)) << "the sequence stands elsewhere after " << count << " blocks";
  }
}

TEST(Kernel, SingleBlocksAndTextsAreThoseOfARun) {
  Stream ours = new_stream(3), theirs = ours;
  for (int i = 0; i < 300; ++i) {
    const Bytes expected = blocks_of(theirs, 1);
    if (i % 2 == 0) {
      uint8_t block[16];
      row().block(ours, block);
      ASSERT_EQ(to_hex(expected.data(), 16), to_hex(block, 16));
    } else {
      char text[kUuidText];
      row().v4_one(ours, text);
      ASSERT_EQ(run_of(expected, 0), std::string(text, kUuidText));
    }
    ASSERT_TRUE(same(ours, theirs));
  }
}

TEST(Kernel, AStreamMayStandAtAnyWord) {
  const Stream start = new_stream(4);
  for (size_t at = 0; at < 8; ++at) {
    alignas(64) uint64_t room[sizeof(Stream) / 8 + 8];
    Stream& ours = *new (room + at) Stream(start);
    Stream theirs = start;
    std::array<uint8_t, 16 * 60> out;
    row().blocks(ours, out.data(), 60);
    ASSERT_EQ(blocks_of(theirs, 60), Bytes(out.begin(), out.end()));
    std::array<char, 37 * 60> text;
    row().v4_run(ours, text.data(), ',', 60);
    ASSERT_EQ(run_of(blocks_of(theirs, 60), ','), std::string(text.data(), text.size() - 1));
    row().block(ours, out.data());
    ASSERT_EQ(blocks_of(theirs, 1), Bytes(out.begin(), out.begin() + 16));
    row().v4_one(ours, text.data());
    ASSERT_EQ(run_of(blocks_of(theirs, 1), 0), std::string(text.data(), kUuidText));
  }
}

// ---- text ----

TEST(Kernel, RunsOfEveryCountAreTheTextOfTheBlocks) {
  for (const size_t count : counts()) {
    if (count == 0) continue;
    Stream ours = new_stream(100 + count), theirs = ours;
    const std::string expected = run_of(blocks_of(theirs, count), ' ');
    GuardedBuffer out(37 * count - 1);
    out.fill(0x5a);
    row().v4_run(ours, out.data(), ' ', count);
    ASSERT_EQ(expected, std::string(out.data(), out.size())) << count << " UUIDs";
    ASSERT_TRUE(same(ours, theirs)) << "the sequence stands elsewhere after " << count << " UUIDs";
  }
}

TEST(Kernel, RunsAreWrittenAtAnyAlignmentAndNotAByteMore) {
  for (const size_t count :
       std::initializer_list<size_t>{1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 31, 47, 48, 49, 50, 51, 52, 100}) {
    const Stream start = new_stream(count);
    Stream theirs = start;
    const std::string text = written_exactly(37 * count - 1, [&](char* out) {
      Stream ours = start;
      row().v4_run(ours, out, ';', count);
    });
    ASSERT_EQ(run_of(blocks_of(theirs, count), ';'), text);
  }
}

TEST(Kernel, AnyCharacterSeparates) {
  for (int separator = 0; separator < 256; ++separator) {
    for (const size_t count : std::initializer_list<size_t>{2, 5, 70}) {
      Stream ours = new_stream(static_cast<uint64_t>(separator)), theirs = ours;
      std::string text(37 * count - 1, '\0');
      row().v4_run(ours, text.data(), static_cast<char>(separator), count);
      ASSERT_EQ(run_of(blocks_of(theirs, count), static_cast<char>(separator)), text) << separator;
    }
  }
}

TEST(Kernel, SingleUuidsAreWrittenAtAnyAlignmentAndNotAByteMore) {
  const Stream start = new_stream(5);
  Stream theirs = start;
  const std::string text = written_exactly(kUuidText, [&](char* out) {
    Stream ours = start;
    row().v4_one(ours, out);
  });
  EXPECT_EQ(run_of(blocks_of(theirs, 1), 0), text);
}

TEST(Kernel, TakenBlocksAreWrittenAtAnyAlignmentAndNotAByteMore) {
  Stream stream = new_stream(6);
  const Bytes block = blocks_of(stream, 1);
  Ahead ahead = {};
  const std::string text = written_exactly(kUuidText + 1, [&](char* out) {
    ahead = {37};
    EXPECT_EQ(kUuidText, row().v4_take(ahead, 37, block.data(), out));
  });
  EXPECT_EQ(38u, ahead.next);
  EXPECT_EQ(run_of(block, 0) + '\0', text);
}

TEST(Kernel, ABlockThatIsGoneIsNotGivenOut) {
  Stream stream = new_stream(7);
  const Bytes block = blocks_of(stream, 1);
  for (const uint64_t next : {uint64_t{0}, uint64_t{38}, uint64_t{1} << 40}) {
    Ahead ahead = {next};
    char text[kUuidText + 1] = "";
    EXPECT_EQ(kUuidText, row().v4_take(ahead, 37, block.data(), text));
    EXPECT_EQ(kUuidText, strlen(text));
    EXPECT_NE(run_of(block, 0), std::string(text));
  }
}

TEST(Kernel, TextStandsAtEveryStrideAndNothingOutsideChanges) {
  for (size_t stride = 36; stride <= 140; ++stride) {
    for (const size_t count : std::initializer_list<size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 40}) {
      const Bytes values = Numbers(stride + count).bytes(16 * count);
      GuardedBuffer in(values.size() + 1);
      std::copy(values.begin(), values.end(), in.bytes() + 1);
      const size_t size = count == 0 ? 0 : stride * (count - 1) + kUuidText;
      GuardedBuffer out(size + 70);
      for (const size_t at : {70 - stride % 7, size_t{70}}) {
        out.fill(0x5a);
        row().text(out.data() + at, stride, in.bytes() + 1, count);
        for (size_t i = 0; i < count; ++i)
          ASSERT_EQ(text_of(&values[16 * i]), std::string(out.data() + at + i * stride, kUuidText))
              << "value " << i << " of " << count << ", stride " << stride;
        for (size_t i = 0; i < out.size(); ++i)
          ASSERT_TRUE((i >= at && i < at + size) || out.bytes()[i] == 0x5a)
              << "byte " << i << ", count " << count << ", stride " << stride;
      }
    }
  }
}

TEST(Kernel, TextShowsEveryByteOfEveryValue) {
  for (int b = 0; b < 256; ++b) {
    Bytes values(16 * 6);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(static_cast<size_t>(b) + 37 * i);
    char out[37 * 6];
    row().text(out, 37, values.data(), 6);
    for (size_t i = 0; i < 6; ++i) ASSERT_EQ(text_of(&values[16 * i]), std::string(out + 37 * i, kUuidText));
  }
}

TEST(Kernel, DigitsOfEveryLengthFitExactly) {
  for (size_t len = 0; len <= 200; ++len) {
    GuardedBuffer in(len);
    const Bytes bytes = Numbers(len).bytes(len);
    std::copy(bytes.begin(), bytes.end(), in.bytes());
    const std::string digits = written_exactly(2 * len, [&](char* out) { row().hex(out, in.bytes(), len); });
    ASSERT_EQ(to_hex(bytes.data(), len), digits);
  }
}

// ---- parse ----

int digit_value(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

TEST(Kernel, ParseReadsWhatTextWritesInEitherCase) {
  Numbers numbers(6);
  for (int i = 0; i < 200; ++i) {
    const Bytes value = numbers.bytes(16);
    const std::string text = text_of(value.data());
    for (const size_t at : std::initializer_list<size_t>{0, 1, 5}) {
      GuardedBuffer in(kUuidText + at);  // behind it nothing can be read
      std::copy(text.begin(), text.end(), in.data());
      for (char* c = in.data(); c != in.data() + kUuidText; ++c)
        if (*c >= 'a' && numbers.next() % 2 == 0) *c = static_cast<char>(*c - 'a' + 'A');
      uint8_t out[16];
      ASSERT_TRUE(row().parse(out, in.data())) << std::string(in.data(), kUuidText);
      ASSERT_EQ(to_hex(value.data(), 16), to_hex(out, 16));
    }
    GuardedBuffer in(kUuidText);
    std::copy(text.begin(), text.end(), in.data());
    uint8_t out[16];
    ASSERT_TRUE(row().parse(out, in.data()));
    ASSERT_EQ(to_hex(value.data(), 16), to_hex(out, 16));
  }
}

TEST(Kernel, ParseTakesNoOtherCharacterAtAnyPlaceAndThenWritesNothing) {
  const Bytes value = Numbers(7).bytes(16);
  const std::string text = text_of(value.data());
  for (size_t place = 0; place < kUuidText; ++place) {
    for (int c = 0; c < 256; ++c) {
      std::string changed = text;
      changed[place] = static_cast<char>(c);
      const bool is_dash = place == 8 || place == 13 || place == 18 || place == 23;
      const bool right = is_dash ? c == '-' : digit_value(c) >= 0;
      uint8_t out[16];
      std::fill_n(out, 16, uint8_t{0x5a});
      ASSERT_EQ(right, row().parse(out, changed.data())) << "character " << c << " at " << place;
      if (!right) {
        for (const uint8_t b : out) ASSERT_EQ(0x5a, b) << "character " << c << " at " << place;
      } else if (!is_dash) {
        const size_t digit = place - (place > 8) - (place > 13) - (place > 18) - (place > 23);
        const int nibble = digit % 2 == 0 ? out[digit / 2] >> 4 : out[digit / 2] & 15;
        ASSERT_EQ(digit_value(c), nibble) << "character " << c << " at " << place;
      }
    }
  }
}

TEST(Kernel, ParseOverwritesItsOwnInputCorrectly) {
  const Bytes value = Numbers(8).bytes(16);
  std::string text = text_of(value.data());
  ASSERT_TRUE(row().parse(reinterpret_cast<uint8_t*>(text.data()), text.data()));
  EXPECT_EQ(to_hex(value.data(), 16), to_hex(text.data(), 16));
}

// ---- secrets ----

struct Residue {
  Stream* stream;
  size_t count;
  bool as_text;
  char* out;
};

void* draw_in_thread(void* argument) {
  const Residue& work = *static_cast<Residue*>(argument);
  if (work.as_text)
    row().v4_run(*work.stream, work.out, ' ', work.count);
  else
    row().blocks(*work.stream, reinterpret_cast<uint8_t*>(work.out), work.count);
  return nullptr;
}

// The words of the sequence that a call went through must not lie in memory it leaves behind, apart from those few that
// a compiler spilled from registers. A thread on a stack of ours makes the call, and then the stack is searched.
TEST(Kernel, ARunLeavesNoTrailOfStatesOnTheStack) {
  constexpr size_t kStack = 1 << 18;
  for (const bool as_text : {false, true}) {
    for (const size_t count : std::initializer_list<size_t>{40, 100, 117}) {
      std::vector<char> out(37 * count);
      Stream stream = new_stream(900 + count), walk = stream;
      Residue work{&stream, count, as_text, out.data()};
      void* const stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
      ASSERT_NE(MAP_FAILED, stack);
      pthread_attr_t attributes;
      pthread_attr_init(&attributes);
      ASSERT_EQ(0, pthread_attr_setstack(&attributes, stack, kStack));
      pthread_t thread;
      ASSERT_EQ(0, pthread_create(&thread, &attributes, draw_in_thread, &work));
      pthread_join(thread, nullptr);
      pthread_attr_destroy(&attributes);
      std::vector<uint64_t> words(kStack / 8);
      memcpy(words.data(), stack, kStack);
      munmap(stack, kStack);
      std::sort(words.begin(), words.end());
      size_t found = 0;
      for (size_t i = 0; i < count; ++i) {
        found += std::binary_search(words.begin(), words.end(), walk.s[0]) ||
                 std::binary_search(words.begin(), words.end(), walk.s[1]) ||
                 std::binary_search(words.begin(), words.end(), walk.s[0] ^ walk.mix);
        step(walk.s);
      }
      EXPECT_LE(found, 8u) << "of " << count << (as_text ? " texts" : " blocks");
    }
  }
}

}  // namespace
}  // namespace loguuid::testing
