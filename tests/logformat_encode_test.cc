// CBOR read back by a reader of its own, with RFC 8949's examples; JSON texts that hold for any bytes.
#include <map>
#include <optional>
#include <random>

#include "logformat_support.h"

namespace loguuid::testing {
namespace {

// ---- a reader of CBOR (RFC 8949), for what a line can hold ----

struct Item {
  enum { integer, bytes, text, boolean, null, map } type = null;
  std::string string;
  std::map<std::string, Item> members;
};

class Reader {
 public:
  explicit Reader(std::string bytes) : in_(std::move(bytes)) {}

  std::optional<Item> whole() {
    auto item = read();
    return item && at_ == in_.size() ? item : std::nullopt;
  }

 private:
  std::optional<unsigned> byte() {
    if (at_ == in_.size()) return std::nullopt;
    return static_cast<unsigned char>(in_[at_++]);
  }

  // The argument of a head in its shortest form (RFC 8949, 4.2.1).
  std::optional<uint64_t> argument(unsigned info) {
    if (info < 24) return info;
    if (info > 27) return std::nullopt;
    uint64_t value = 0;
    for (unsigned left = 1u << (info - 24); left != 0; --left) {
      const auto next = byte();
      if (!next) return std::nullopt;
      value = value << 8 | *next;
    }
    const uint64_t least[] = {24, 0x100, 0x10000, 0x100000000};
    return value >= least[info - 24] ? std::optional(value) : std::nullopt;
  }

  std::optional<Item> read() {
    const auto head = byte();
    if (!head) return std::nullopt;
    const unsigned major = *head >> 5, info = *head & 31;
    Item item;
    if (*head == 0xbf) return read_map();
    if (major == 7) {
      if (info < 20 || info > 22) return std::nullopt;
      item.type = info == 22 ? Item::null : Item::boolean;
      return item;
    }
    const auto value = argument(info);
    if (!value || major > 3) return std::nullopt;
    if (major < 2) {
      item.type = Item::integer;
      return item;
    }
    if (*value > in_.size() - at_) return std::nullopt;
    item.type = major == 2 ? Item::bytes : Item::text;
    item.string = in_.substr(at_, static_cast<size_t>(*value));
    at_ += static_cast<size_t>(*value);
    return item;
  }

  std::optional<Item> read_map() {
    Item map;
    map.type = Item::map;
    while (at_ < in_.size() && static_cast<unsigned char>(in_[at_]) != 0xff) {
      const auto key = read();
      const auto value = read();
      if (!key || !value || key->type != Item::text || !map.members.emplace(key->string, *value).second)
        return std::nullopt;
    }
    if (at_++ == in_.size()) return std::nullopt;
    return map;
  }

  std::string in_;
  size_t at_ = 0;
};

std::optional<Item> read_cbor(const std::string& hex) {
  const std::vector<uint8_t> bytes = from_hex(hex);
  if (bytes.size() * 2 != hex.size()) return std::nullopt;
  return Reader(std::string(bytes.begin(), bytes.end())).whole();
}

// UTF-8 by the table of RFC 3629, section 4.
bool is_utf8(const std::string& text) {
  const auto in = [&](size_t i, unsigned low, unsigned high) {
    if (i >= text.size()) return false;
    const unsigned c = static_cast<unsigned char>(text[i]);
    return c >= low && c <= high;
  };
  const auto tail = [&](size_t i) { return in(i, 0x80, 0xbf); };
  for (size_t i = 0; i < text.size();) {
    if (in(i, 0, 0x7f))
      i += 1;
    else if (in(i, 0xc2, 0xdf) && tail(i + 1))
      i += 2;
    else if (((in(i, 0xe0, 0xe0) && in(i + 1, 0xa0, 0xbf)) || (in(i, 0xe1, 0xec) && tail(i + 1)) ||
              (in(i, 0xed, 0xed) && in(i + 1, 0x80, 0x9f)) || (in(i, 0xee, 0xef) && tail(i + 1))) &&
             tail(i + 2))
      i += 3;
    else if (((in(i, 0xf0, 0xf0) && in(i + 1, 0x90, 0xbf)) || (in(i, 0xf1, 0xf3) && tail(i + 1)) ||
              (in(i, 0xf4, 0xf4) && in(i + 1, 0x80, 0x8f))) &&
             tail(i + 2) && tail(i + 3))
      i += 4;
    else
      return false;
  }
  return true;
}

std::string random_bytes(std::mt19937& random) {
  static const char* const pieces[] = {"\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\xe2\x80\xa8",
                                       "\xed\xa0\x80",
                                       "\xc0\xaf",
                                       "\xf4\x90\x80\x80",
                                       "\"",
                                       "\\",
                                       "\r\n",
                                       "]",
                                       "#",
                                       "\x7f"};
  std::string bytes;
  const size_t len = random() % 40;
  while (bytes.size() < len) {
    switch (random() % 3) {
      case 0:
        bytes += static_cast<char>(random() % 256);
        break;
      case 1:
        bytes += static_cast<char>(' ' + random() % 95);
        break;
      default:
        bytes += pieces[random() % std::size(pieces)];
    }
  }
  return bytes;
}

// ---- tests ----

TEST(LogFormatCbor, IsThatOfTheExamplesOfRfc8949) {
  const struct {
    const char* format;
    const char* hex;
  } examples[] = {
      {"int(0)", "00"},
      {"int(1)", "01"},
      {"int(10)", "0A"},
      {"int(23)", "17"},
      {"int(24)", "1818"},
      {"int(25)", "1819"},
      {"int(100)", "1864"},
      {"int(1000)", "1903E8"},
      {"int(1000000)", "1A000F4240"},
      {"int(1000000000000)", "1B000000E8D4A51000"},
      {"int(9223372036854775807)", "1B7FFFFFFFFFFFFFFF"},
      {"int(-1)", "20"},
      {"int(-10)", "29"},
      {"int(-100)", "3863"},
      {"int(-1000)", "3903E7"},
      {"int(-9223372036854775808)", "3B7FFFFFFFFFFFFFFF"},
      {"bool(false)", "F4"},
      {"bool(true)", "F5"},
      {"str(a)", "6161"},
      {"str(IETF)", "6449455446"},
      {"str(\"\\\"\\\\\")", "62225C"},
      {"str(\xc3\xbc)", "62C3BC"},
      {"str(\xe6\xb0\xb4)", "63E6B0B4"},
      {"str(\xf0\x90\x85\x91)", "64F0908591"},
  };
  for (const auto& each : examples) {
    const std::string hex = Format("%{+cbor}[" + std::string(each.format) + "]").line();
    EXPECT_EQ(each.hex, hex) << each.format;
    EXPECT_TRUE(read_cbor(hex)) << each.format;
  }
  EXPECT_EQ("BF6346756EF563416D7421FF", Format("%{+cbor}o %(Fun)[bool(1)] %(Amt)[int(-2)]").line());
}

TEST(LogFormatCbor, TheReaderRefusesWhatIsNotCbor) {
  for (const char* hex : {"", "18", "1817", "190018", "61", "6261", "BF", "BF6161FF", "BF616101",
                          "BF6161016161"
                          "02FF",
                          "0000", "F7", "FF", "1C"})
    EXPECT_FALSE(read_cbor(hex)) << hex;
}

TEST(LogFormatCbor, AnyBytesOfAFieldMakeAValidMap) {
  const Format format("%{+cbor}o %(v)v %(w)[w] %(n)n %(b)b %(s:sint)v %(t:bool)w %(k:str)n %(u)[uuid] %(x)[token(5)]");
  ASSERT_EQ(LOGUUID_OK, format.status) << format.error.message;
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Values values = {random_bytes(random), random_bytes(random), random_bytes(random), random_bytes(random)};
    const std::string line = format.line(&values);
    const auto map = read_cbor(line);
    ASSERT_TRUE(map) << line;
    ASSERT_EQ(9u, map->members.size()) << line;
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"v", values.v}, {"w", values.w}}) {
      const Item& item = map->members.at(name);
      ASSERT_EQ(value.empty() ? Item::null : is_utf8(value) ? Item::text : Item::bytes, item.type) << line;
      ASSERT_EQ(value, item.string) << line;
    }
    ASSERT_EQ(36u, map->members.at("u").string.size());
    ASSERT_EQ(Item::bytes, map->members.at("x").type);
  }
}

TEST(LogFormatJson, TextIsCleanWhateverTheBytes) {
  const Format format("%{+json}o %(v)v %(w){+Q,+E}[w] %(n)n %(b)b %(s:sint)v %(t:bool)w %(k:str)n");
  ASSERT_EQ(LOGUUID_OK, format.status) << format.error.message;
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    Values values = {random_bytes(random), random_bytes(random), random_bytes(random), random_bytes(random)};
    const std::string line = format.line(&values);
    ASSERT_TRUE(is_utf8(line));
    for (const char c : line) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    for (const char* end : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) ASSERT_EQ(std::string::npos, line.find(end));
    ASSERT_EQ('}', line.back());
  }
}

TEST(LogFormatJson, EachBrokenBeginningBecomesOneReplacement) {
  const std::string mark = "\xef\xbf\xbd";
  const std::pair<std::string, std::string> cases[] = {
      {"\x80", mark},
      {"a\xc3", "a" + mark},
      {"\xc3(", mark + "("},
      {"\xe2\x82", mark},
      {"\xe2\x82(", mark + "("},
      {"\xf0\x9f\x98", mark},
      {"\xc0\xaf", mark + mark},
      {"\xed\xa0\x80", mark + mark + mark},
      {"\xf4\x90\x80\x80", mark + mark + mark + mark},
      {"\xff\xfe", mark + mark},
      {"\xe2\x82\xac", "\xe2\x82\xac"},
      {"\xc2\x85\xe2\x80\xa8\xe2\x80\xa9", "\\u0085\\u2028\\u2029"},
      {std::string("\0\x01\x1f\x7f", 4), "\\u0000\\u0001\\u001f\\u007f"},
  };
  for (const auto& [bytes, text] : cases) {
    Values values = {bytes, "", "", ""};
    EXPECT_EQ("\"" + text + "\"", Format("%{+json}v").line(&values));
  }
}

}  // namespace
}  // namespace loguuid::testing
