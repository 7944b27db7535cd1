// Lines of log formats: HAProxy's own, the items, buffers that are too small, fields that lie.
#include <unistd.h>

#include "logformat_support.h"

namespace loguuid::testing {
namespace {

// \xNN in the vectors' values stands for a byte.
std::string unescaped(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") == 0) {
      bytes += static_cast<char>(strtoul(text.substr(i + 2, 2).c_str(), nullptr, 16));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

size_t check_vectors(const char* file, std::initializer_list<unsigned> all_flags) {
  size_t checked = 0;
  for (const Block& block : vectors(file)) {
    Values values;
    values.v = unescaped(block.text("v"));
    for (const unsigned flags : all_flags) {
      const Format format(block.text("format"), flags);
      EXPECT_EQ(unescaped(block.text("line")), format.line(&values)) << block.text("format");
      ++checked;
    }
  }
  return checked;
}

TEST(LogFormat, LinesAreThoseOfHaproxy) {
  EXPECT_GT(check_vectors("logformat.txt", {0u, LOGUUID_FORMAT_MERGE_SPACES}), 140u);
  EXPECT_GT(check_vectors("logformat-haproxy-3.2.txt", {LOGUUID_FORMAT_MERGE_SPACES}), 200u);
}

struct Case {
  const char* format;
  const char* line;
};

void check(const std::vector<Case>& cases, Values values, unsigned flags = 0) {
  for (const Case& each : cases) EXPECT_EQ(each.line, Format(each.format, flags).line(&values)) << each.format;
}

TEST(LogFormat, TextAndItemsMix) {
  check({{"", ""},
         {"plain text", "plain text"},
         {"%%", "%"},
         {"100%% sure", "100% sure"},
         {"%v", "value"},
         {"%v%v", "valuevalue"},
         {"%v-%w.", "value-word."},
         {"%(name)v", "value"},
         {"%(name:str)v", "value"},
         {"%{+Q}v", "\"value\""},
         {"%(name){+Q}v", "\"value\""},
         {"%long_name", "value"},
         {"%long_name_more", "value_more"},
         {"%v_more", "value_more"},
         {"%[long_name]", "value"},
         {"%[req.hdr(host)]", "word"},
         {"%[req.hdr(host),upper]", "WORD"},
         {"%n %b", "12 true"},
         {"a ] b } c ) d", "a ] b } c ) d"}},
        {"value", "word", "12", "true"});
}

TEST(LogFormat, EmptyValuesPrintADash) {
  check({{"%v", "-"},
         {"%[v]", "-"},
         {"%{+Q}v", "\"\""},
         {"%{+E}v", "-"},
         {"%n", "-"},
         {"%{+Q}n", "\"\""},
         {"%[v,hex]", "-"},
         {"%[v,base64]", "-"},
         {"%[v,bytes(1)]", "-"},
         {"%[str(\"\")]", "-"},
         {"%(x){+json}[v]", "\"\""},
         {"%(x){+json}[n]", "\"\""},
         {"%(x:sint){+json}[v]", "\"\""},
         {"%{+cbor}[v]", "F6"},
         {"%{+cbor}[n]", "F6"},
         {"%{+cbor}o %(v:bool)v", "BF6176F6FF"}},
        {});
}

TEST(LogFormat, FlagsOfTheGlobalItemHoldForTheRestOfTheLine) {
  check({{"%v %{+Q}o%v %{-Q}v %v", "a] \"a]\" a] \"a]\""},
         {"%{+Q}o%v%{-Q}o%v", "\"a]\"a]"},
         {"%{+Q,+E}o%v", "\"a\\]\""},
         {"%{+Q, +E}v", "\"a\\]\""},
         {"%{+Q,-Q}v", "a]"},
         {"%o%v", "a]"},
         {"%{+Q}o  %v", "\"a]\""},
         {"x%{+Q}o  %v", "x  \"a]\""}},
        {"a]", "", "", ""});
}

TEST(LogFormat, BlanksMergeWhenAsked) {
  const Values values = {" x ", "", "", ""};
  check({{"  a   b  ", "a b "},
         {"a  %v  b", "a  x  b"},
         {"%{+Q}o  %v", "\" x \""},
         {"a  %{+Q}o  b", "a b"},
         {"a %% b", "a % b"},
         {"a\t\tb", "a\t\tb"}},
        values, LOGUUID_FORMAT_MERGE_SPACES);
  check({{"  a   b  ", "  a   b  "}, {"a  %{+Q}o  b", "a    b"}}, values);
}

TEST(LogFormat, EscapesKeepAValueInItsPlace) {
  check({{"%v", "a#22b#23c#0A#0D#09#7F#C3#A9\\]"},
         {"%{+Q}v", "\"a#22b#23c#0A#0D#09#7F#C3#A9\\]\""},
         {"%{+E}v", "a\\\"b#23c#0A#0D#09#7F#C3#A9\\\\\\]"},
         {"%{+json}[v]", "\"a\\\"b#c\\u000a\\u000d\\u0009\\u007f\xc3\xa9\\\\]\""},
         {"%[str(\"a#b\")]", "a#23b"}},
        {"a\"b#c\n\r\t\x7f\xc3\xa9\\]", "", "", ""});
}

TEST(LogFormat, EveryByteOfAValueIsPrintableInPlainText) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const size_t at : {0u, 3u, 7u, 8u, 12u}) {  // where eight bytes are looked at together, and where not
      Values values;
      values.v = std::string(13, 'x');
      values.v[at] = static_cast<char>(byte);
      const bool plain = byte >= 32 && byte <= 126 && byte != '"' && byte != '#';
      char code[8];
      snprintf(code, sizeof code, plain ? "%c" : "#%02X", static_cast<unsigned>(byte));
      EXPECT_EQ(std::string(at, 'x') + code + std::string(12 - at, 'x'), Format("%v").line(&values)) << byte;
      const bool escaped = byte == '"' || byte == '\\' || byte == ']';
      if (escaped) snprintf(code, sizeof code, "\\%c", static_cast<unsigned>(byte));
      EXPECT_EQ(std::string(at, 'x') + code + std::string(12 - at, 'x'), Format("%{+E}v").line(&values)) << byte;
    }
  }
}

TEST(LogFormat, ArgumentsMayBeQuoted) {
  check({{"%[str(a b)]", "a b"},
         {"%[str(\"a,b)\")]", "a,b)"},
         {"%[str('a\"b')]", "a#22b"},
         {"%[str(\"it's\")]", "it's"},
         {"%[str(a\\ b)]", "a b"},
         {"%[str(a\\\\b)]", "a\\b"},
         {"%[str('a\\b')]", "a\\b"},
         {"%[str(a\\'b)]", "a'b"},
         {"%[str(a\\nb\\rc\\td),hex]", "610A620D630964"},
         {"%[str(\"a\\nb\"),hex]", "610A62"},
         {"%[str('a\\nb')]", "a\\nb"},
         {"%[str(a\\nb)]", "a#0Ab"},
         {"%[str(a\\0\\q\\x41)]", "a\\0\\q\\x41"},
         {"%[str()]", "-"},
         {"%[str(\"\"),upper()]", "-"},
         {"%[str(a(b)]", "a(b"},
         {"%[int(12)]%[int(+5)]%[int(\"-3\")]", "125-3"},
         {"%[int(-9223372036854775808)]", "-9223372036854775808"},
         {"%[int(9223372036854775807)]", "9223372036854775807"},
         {"%[bool(true)]%[bool(1)]%[bool(false)]%[bool(0)]", "1100"},
         {"%[bool(TRUE)]%[bool(False)]", "10"}},
        {});
}

TEST(LogFormat, ConvertersChain) {
  check({{"%[v,upper]", "AB-12"},
         {"%[v,upper,lower]", "ab-12"},
         {"%[v,hex,lower]", "61622d3132"},
         {"%[v,hex,hex]", "36313632324433313332"},
         {"%[v,base64]", "YWItMTI="},
         {"%[v,ub64enc]", "YWItMTI"},
         {"%[v,b32]", "C5H2TC9J"},
         {"%[v,bytes(3)]", "12"},
         {"%[v,bytes(0,2),upper]", "AB"},
         {"%[v,bytes(9)]", "-"},
         {"%[v,bytes(5)]", "-"},
         {"%[v,bytes(0,0)]", "-"},
         {"%[int(255),bytes(7)]", "#FF"},
         {"%[int(16706),bytes(0)]", "-"},  // a number's bytes are text as far as the first NUL
         {"%[int(16706),bytes(6)]%[int(16706),bytes(6),lower]", "ABab"},
         {"%[int(65),bytes(0),hex]", "0000000000000041"},
         {"%[int(255),bytes(6),hex]", "00FF"},
         {"%[int(255),base64]", "AAAAAAAAAP8="},
         {"%[int(-1),hex]", "FFFFFFFFFFFFFFFF"},
         {"%[int(255),upper]", "255"},
         {"%[n,hex]", "0000000000000007"},
         {"%[n,upper]", "07"},
         {"%[str(abc),bytes(1,1),upper]", "B"},
         {"%[bool(true),hex]", "0000000000000001"},
         {"%{+json}[int(65),bytes(7)]", "\"A\""},
         {"%{+cbor}[int(255),bytes(7)]", "41FF"},
         {"%(x:str){+cbor}[int(65),bytes(7)]", "6141"},
         {"%(x:sint){+json}[int(49),bytes(7)]", "\"\""}},
        {"ab-12", "", "07", ""});
}

TEST(LogFormat, ValuesAreCutAtTheirLimits) {
  Values values;
  values.v = std::string(20000, 'x');
  EXPECT_EQ(std::string(8192, 'x'), Format("%v").line(&values));
  EXPECT_EQ(repeated("78", "", 8192), Format("%[v,hex]").line(&values));
  EXPECT_EQ(repeated("3738", "", 4096), Format("%[v,hex,hex]").line(&values));
  EXPECT_EQ(16384u, Format("%[v,base64,base64,base64]").line(&values).size());
}

TEST(LogFormat, TypesDecideHowJsonAndCborShow) {
  check({{"%{+json}o %(n)n %(b)b %(v)v", "{\"n\": 7, \"b\": true, \"v\": \"12x\"}"},
         {"%{+json}o %(n:str)n %(b:str)b %(v:sint)v", "{\"n\": \"07\", \"b\": \"true\", \"v\": 12}"},
         {"%{+json}o %(n:bool)n %(b:sint)b %(v:bool)v", "{\"n\": true, \"b\": 1, \"v\": true}"},
         {"%{+cbor}o %(n)n %(b)b %(v)v",
          "BF616E076162F561766331327"
          "8FF"},
         {"%(n:str)n", "07"},
         {"%{+json}o %(x:sint)w", "{\"x\": 9223372036854775807}"}},
        {"12x", "99999999999999999999", "07", "true"});
  // Built-in items that are text stay text, hexadecimal numbers too.
  EXPECT_EQ(Format("%{+json}o %(a)H").line(), Format("%{+json}o %(a:sint)H").line());
  EXPECT_EQ(Format("%{+cbor}o %(a)H").line(), Format("%{+cbor}o %(a:bool)H").line());
  EXPECT_EQ(Format("%{+json,+X}o %(a)pid").line(), Format("%{+json,+X}o %(a:sint)pid").line());
  for (const std::string item : {"t", "T", "Tl", "ID"})
    EXPECT_EQ('"', Format("%{+json}o %(a:bool)" + item).line()[6]) << item;
  // What is not of its field's type stays a text.
  check({{"%{+json}o %(n)n %(b)b", "{\"n\": \"7 \", \"b\": \"yes\"}"}}, {"", "", "7 ", "yes"});
  check({{"%{+json}o %(n)n %(b)b", "{\"n\": -7, \"b\": false}"}}, {"", "", "-7", "0"});
  check({{"%{+json}o %(n)n", "{\"n\": -9223372036854775808}"}}, {"", "", "-9223372036854775808", ""});
  check({{"%{+json}o %(n)n", "{\"n\": \"9223372036854775808\"}"}}, {"", "", "9223372036854775808", ""});
}

TEST(LogFormat, AnEncodedLineHasNamedItemsOnly) {
  check({{"%{+json}o", "{}"},
         {"%{+cbor}o", "BFFF"},
         {"%{+json}o text %v", "{}"},
         {"before %(a)v %{+json}o %(c)v", "{\"a\": \"x\", \"c\": \"x\"}"},
         {"%{+Q}o %{+json}o %(a)v", "{\"a\": \"x\"}"},
         {"%{+json}o %{+Q}o %(a)v", "{\"a\": \"x\"}"},
         {"%{+json,+cbor}o %(a)v", "{\"a\": \"x\"}"},
         {"%{+json}o %(a){+cbor}v", "{\"a\": \"x\"}"},
         {"%{+json}o %(a){-json}v", "{\"a\": \"x\"}"},
         {"%{+json}o%(a)v %{-json}o%(b)v", "\"x\" x"},
         {"[%{+json}v]", "[\"x\"]"},
         {"%{+json}o %(a\"b\\c\x01)v", "{\"a\\\"b\\\\c\\u0001\": \"x\"}"},
         {"%{+json}o %% %[uuid] %(a)v", "{\"a\": \"x\"}"}},
        {"x", "", "", ""});
}

TEST(LogFormat, BuiltInsSayWhatTheSystemSays) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const std::string pid = std::to_string(getpid());
  char hex[32];
  snprintf(hex, sizeof hex, "%04X", static_cast<unsigned>(getpid()));
  EXPECT_EQ(name, Format("%H").line());
  EXPECT_EQ(name, Format("%[hostname]").line());
  EXPECT_EQ("\"" + std::string(name) + "\"", Format("%{+Q}H").line());
  EXPECT_EQ(pid, Format("%pid").line());
  EXPECT_EQ(pid, Format("%[pid]").line());
  EXPECT_EQ(pid, Format("%{+Q}pid").line());
  EXPECT_EQ("\"" + pid + "\"", Format("%{+Q}[pid]").line());
  EXPECT_EQ(hex, Format("%{+X}pid").line());
  EXPECT_EQ("{\"p\": " + pid + "}", Format("%{+json}o %(p)pid").line());
  EXPECT_EQ("{\"p\": \"" + std::string(hex) + "\"}", Format("%{+json}o %(p){+X}pid").line());
}

TEST(LogFormat, HexadecimalNumbersOfFieldsWhereTheyAreAliases) {
  check({{"%{+X}n", "00FF"}, {"%{+X}[n]", "255"}, {"%{+X}v", "255"}}, {"255", "", "255", ""});
  check({{"%{+X}n", "FFFFFFFFFFFFFFFF"}}, {"", "", "-1", ""});
  check({{"%{+X}n", "many"}}, {"", "", "many", ""});
}

TEST(LogFormat, AHostsFieldComesBeforeABuiltIn) {
  const std::vector<loguuid_field> with = {
      {"uuid", [](void*, char* out, size_t cap) { return give("mine", out, cap); }, LOGUUID_STR},
      {"pid", [](void*, char* out, size_t cap) { return give("none", out, cap); }, LOGUUID_STR},
      {"uuid", [](void*, char* out, size_t cap) { return give("second", out, cap); }, LOGUUID_STR},
  };
  EXPECT_EQ("mine none none", Format("%[uuid] %[pid] %pid", with).line());
  EXPECT_EQ(36u, Format("%[uuid(4)]", with).line().size());
}

// ---- buffers ----

const char* const kFormats[] = {
    "",
    "text only",
    "%[uuid] %[uuid] %[uuid]",
    "<%[uuid]>",
    "\"%[uuid]\",\"%[uuid]\"",
    "%v %[uuid] %w",
    "%{+json}o %(v)v %(u)[uuid] %(w)w",
    "%{+cbor}o %(v)v %(u)[uuid] %(w)w",
    "%[traceparent] %[ulid]",
    "%T %Ts.%ms %[date]",
    "%{+Q,+E}v%[v,hex]",
};

TEST(LogFormat, ALineThatDoesNotFitIsCutAndDrawsAllTheSame) {
  Values values = {"a\"#\n]b", "\xff\xc3", "", ""};
  for (const char* text : kFormats) {
    const Format format(text);
    const auto reference = pinned_gen();
    std::string whole;
    {
      const Using use(reference);
      whole = format.rendered(400, &values);
    }
    for (size_t cap = 0; cap <= whole.size() + 3; ++cap) {
      for (const int pattern : {0x5a, 0xa5}) {
        GuardedBuffer buffer(cap);
        buffer.fill(pattern);
        const auto gen = pinned_gen();
        const Using use(gen);
        ASSERT_EQ(whole.size(), loguuid_format_render(format.get(), buffer.data(), cap, &values)) << text << " " << cap;
        ASSERT_EQ(loguuid_gen_position(reference.get()).draws, loguuid_gen_position(gen.get()).draws) << text;
        if (cap == 0) continue;
        const size_t kept = std::min(cap - 1, whole.size());
        ASSERT_EQ(whole.substr(0, kept), std::string(buffer.data(), kept)) << text << " " << cap;
        ASSERT_EQ('\0', buffer.data()[kept]) << text << " " << cap;
        for (size_t i = kept + 1; i < cap; ++i)
          ASSERT_EQ(static_cast<char>(pattern), buffer.data()[i]) << text << " " << cap << " byte " << i;
      }
    }
  }
}

TEST(LogFormat, NullsAreAllowedWhereTheyMakeSense) {
  char out[8] = "unused";
  EXPECT_EQ(0u, loguuid_format_render(nullptr, out, sizeof out, nullptr));
  EXPECT_STREQ("", out);
  const Format format("text");
  EXPECT_EQ(4u, loguuid_format_render(format.get(), nullptr, 0, nullptr));
  EXPECT_EQ(4u, loguuid_format_render(format.get(), nullptr, 9, nullptr));
  loguuid_format_free(nullptr);
}

// ---- hostile fields ----

TEST(LogFormat, AFieldsLengthIsNotBelieved) {
  struct Liar {
    size_t claim;
    size_t writes;
    static size_t write(void* context, char* out, size_t cap) {
      const Liar& liar = *static_cast<Liar*>(context);
      memset(out, 'y', std::min(cap, liar.writes));
      return liar.claim;
    }
  };
  const std::vector<loguuid_field> with = {{"x", Liar::write, LOGUUID_STR}};
  Liar full = {SIZE_MAX, SIZE_MAX};
  EXPECT_EQ(std::string(8192, 'y'), Format("%x", with).line(&full));
  Liar nothing = {SIZE_MAX, 0};
  EXPECT_EQ("<->", Format("<%x>", with).line(&nothing));
  Liar little = {8193, 100};
  EXPECT_EQ("<->", Format("<%x>", with).line(&little));
  Liar exact = {8192, 8192};
  EXPECT_EQ(std::string(8192, 'y'), Format("%x", with).line(&exact));
  Liar zero = {0, 100};
  EXPECT_EQ("-", Format("%x", with).line(&zero));
}

TEST(LogFormat, AFieldWrittenWithSnprintfIsCutWithoutItsNul) {
  const std::vector<loguuid_field> with = {{"x",
                                            [](void*, char* out, size_t cap) {
                                              return static_cast<size_t>(
                                                  snprintf(out, cap, "%s", std::string(9000, 'z').c_str()));
                                            },
                                            LOGUUID_STR}};
  EXPECT_EQ(std::string(8192, 'z'), Format("%x", with).line(nullptr));
}

}  // namespace
}  // namespace loguuid::testing
