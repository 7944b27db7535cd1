// A line draws what single calls draw.
#include "logformat_support.h"
#include "process.h"

namespace loguuid::testing {
namespace {

std::string v4() {
  char text[37];
  loguuid_v4(text, sizeof text);
  return text;
}
std::string v7() {
  char text[37];
  loguuid_v7(text, sizeof text);
  return text;
}

// What single calls make of the same generator, in order of appearance.
void same_as_single_calls(const std::string& format, const std::function<std::string()>& single) {
  SCOPED_TRACE(format.substr(0, 80));
  const auto gen = pinned_gen(), other = pinned_gen();
  const Format compiled(format);
  for (int line = 0; line < 3; ++line) {
    std::string wanted, got;
    {
      const Using use(other);
      wanted = single();
    }
    {
      const Using use(gen);
      got = compiled.rendered(wanted.size(), nullptr);
    }
    ASSERT_EQ(wanted, got);
    ASSERT_EQ(loguuid_gen_position(other.get()).draws, loguuid_gen_position(gen.get()).draws);
  }
}

std::string singles(const std::string& before, const std::string& between, const std::string& behind, size_t count,
                    std::string (*one)() = v4) {
  std::string line = before;
  for (size_t i = 0; i < count; ++i) line += (i == 0 ? "" : between) + one();
  return line + behind;
}

TEST(LogFormat, ALineDrawsWhatSingleCallsDraw) {
  for (const size_t count : {1u, 2u, 3u, 15u, 16u, 63u, 64u, 65u, 100u, 128u, 129u, 1500u}) {
    for (const char* between : {" ", "", ",", "\",\"", "\", ", "::::", "12345", "1234567", "12345678",
                                "123456789012345", "1234567890123456", "12345678901234567890"}) {
      same_as_single_calls("<" + repeated("%[uuid]", between, count) + ">",
                           [&] { return singles("<", between, ">", count); });
    }
    same_as_single_calls(repeated("%[uuid(7)]", " ", count), [&] { return singles("", " ", "", count, v7); });
    same_as_single_calls(repeated("%[uuid] %[uuid(7)]", " ", count), [&] {
      std::string line;
      for (size_t i = 0; i < count; ++i) {
        line += (i == 0 ? "" : " ") + v4() + " ";
        line += v7();
      }
      return line;
    });
  }
  same_as_single_calls("%[uuid] %[uuid],%[uuid]", [] {
    std::string line = v4() + " ";
    line += v4() + ",";
    return line + v4();
  });
  same_as_single_calls("%{+Q}[uuid]", [] { return "\"" + v4() + "\""; });
  same_as_single_calls("%{+json}o %(a)[uuid] %(bc)[uuid] %(d)[uuid(7)]", [] {
    std::string line = "{\"a\": \"" + v4();
    line += "\", \"bc\": \"" + v4();
    line += "\", \"d\": \"" + v7();
    return line + "\"}";
  });
}

std::string called(size_t (*call)(char*, size_t)) {
  char text[128];
  call(text, sizeof text);
  return text;
}
template <size_t Size, loguuid_encoding Encoding>
std::string token() {
  std::string text(loguuid_token_size(Size, Encoding), '\0');
  text.resize(loguuid_token(text.data(), text.size(), Size, Encoding));
  return text;
}
std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(toupper(c));
  return text;
}

TEST(LogFormat, EveryDrawingItemIsTheSingleCall) {
  const std::vector<std::pair<std::string, std::function<std::string()>>> items = {
      {"%[uuid]", v4},
      {"%[uuid(4)]", v4},
      {"%[uuid()]", v4},
      {"%[uuid(7)]", v7},
      {"%[uuid,upper]", [] { return upper(v4()); }},
      {"%[uuid(7),bytes(0,8)]", [] { return v7().substr(0, 8); }},
      {"%[ulid]", [] { return called(loguuid_ulid); }},
      {"%[rand]", [] { return std::to_string(loguuid_random32()); }},
      {"%[rand(6)]", [] { return std::to_string(loguuid_random_below(6)); }},
      {"%[rand(9000000000000000000)]", [] { return std::to_string(loguuid_random_below(9000000000000000000)); }},
      {"%[token(16)]", token<16, LOGUUID_HEX>},
      {"%[token(7)]", token<7, LOGUUID_HEX>},
      {"%[token(1024)]", token<1024, LOGUUID_HEX>},
      {"%[token(20),hex]", [] { return upper(token<20, LOGUUID_HEX>()); }},
      {"%[token(20),base64]", token<20, LOGUUID_BASE64>},
      {"%[token(300),base64]", token<300, LOGUUID_BASE64>},
      {"%[token(33),ub64enc]", token<33, LOGUUID_BASE64URL>},
      {"%[token(1024),ub64enc]", token<1024, LOGUUID_BASE64URL>},
      {"%[token(33),b32]", token<33, LOGUUID_BASE32>},
      {"%[token(481),b32]", token<481, LOGUUID_BASE32>},
      {"%[traceparent]", [] { return called([](char* out, size_t cap) { return loguuid_traceparent(out, cap, 1); }); }},
      {"%[traceparent(0)]",
       [] { return called([](char* out, size_t cap) { return loguuid_traceparent(out, cap, 0); }); }},
      {"%[ws_key]", [] { return called(loguuid_websocket_key); }},
      {"%ID", token<16, LOGUUID_HEX>},
      {"%[lane]",
       [] {
         const loguuid_position at = loguuid_gen_position(nullptr);
         return std::to_string(at.thread) + "." + std::to_string(at.process) + "." + std::to_string(at.draws);
       }},
      {"%rt", [] { return std::to_string(loguuid_gen_position(nullptr).draws); }},
  };
  std::string all;
  for (const auto& [format, single] : items) {
    same_as_single_calls(format, single);
    all += format + " ";
  }
  same_as_single_calls(all, [&] {
    std::string line;
    for (const auto& item : items) line += item.second() + " ";
    return line;
  });
}

TEST(LogFormat, AUlidThatWouldOverflowPrintsADash) {
  const auto gen = pinned_gen();
  const Using use(gen);
  const Format format("<%[ulid]>");
  EXPECT_EQ(28u, format.line().size());
  lane_of(gen.get())->ulid.high = 0xffff;
  lane_of(gen.get())->ulid.low = ~uint64_t{0};
  EXPECT_EQ("<->", format.line());
}

TEST(LogFormat, AFieldMayDrawAndRender) {
  struct Inner {
    const loguuid_format* format;
    static size_t write(void* context, char* out, size_t cap) {
      return loguuid_format_render(static_cast<Inner*>(context)->format, out, cap, nullptr);
    }
  };
  const Format inner("%[uuid]");
  Inner context = {inner.get()};
  const Format outer("%[uuid] %x %[uuid(7)]", {{"x", Inner::write, LOGUUID_STR}});
  const auto gen = pinned_gen();
  const Using use(gen);
  const std::string line = outer.rendered(110, &context);
  ASSERT_EQ(110u, line.size());
  EXPECT_EQ(3u, loguuid_gen_position(gen.get()).draws);
  EXPECT_NE(line.substr(0, 36), line.substr(37, 36));
}

}  // namespace
}  // namespace loguuid::testing
