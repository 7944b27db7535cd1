// Formats that are wrong: where, what was expected, and that nothing else happens.
#include "logformat_support.h"

namespace loguuid::testing {
namespace {

struct Wrong {
  const char* format;
  size_t position;
  const char* says;  // the whole message, or its beginning before a "*"
  loguuid_status status = LOGUUID_ERR_SYNTAX;
};

const Wrong kWrong[] = {
    // items
    {"ids: %[uid]", 7, "unknown item \"uid\" at position 7: did you mean \"uuid\"?"},
    {"%[uuuid]", 2, "unknown item \"uuuid\" at position 2: did you mean \"uuid\"?"},
    {"%[UUID]", 2, "unknown item \"UUID\" at position 2: did you mean \"uuid\"?"},
    {"%[uudi]", 2, "unknown item \"uudi\" at position 2: did you mean \"uuid\"?"},
    {"%[uild]", 2, "unknown item \"uild\" at position 2: did you mean \"ulid\"?"},
    {"%[hostnam]", 2, "unknown item \"hostnam\" at position 2: did you mean \"hostname\"?"},
    {"%[tracparent]", 2, "unknown item \"tracparent\" at position 2: did you mean \"traceparent\"?"},
    {"%[long_nam]", 2, "unknown item \"long_nam\" at position 2: did you mean \"long_name\"?"},
    {"%[something]", 2, "unknown item \"something\" at position 2: expected a built-in item or a field of the host"},
    {"%[req.hdr(user-agent)]", 2, "unknown item \"req.hdr\" at position 2: *"},
    {"%[T]", 2, "unknown item \"T\" at position 2: did you mean \"%T\"?"},
    {"%uuid", 1, "unknown item \"uuid\" at position 1: did you mean \"%[uuid]\"?"},
    {"%ipd", 1, "unknown item \"ipd\" at position 1: did you mean \"pid\"?"},
    {"%TL", 1, "unknown item \"TL\" at position 1: did you mean \"Tl\"?"},
    {"%something", 1, "unknown item \"something\" at position 1: expected a built-in item or a field of the host"},
    {"%_", 1, "unknown item \"_\" at position 1: *"},
    {"%{+Q}pidd", 5, "unknown item \"pidd\" at position 5: did you mean \"pid\"?"},
    {"%[]", 2, "expected the name of a field or an item at position 2"},
    {"%[,hex]", 2, "expected the name of a field or an item at position 2"},
    {"%[(4)]", 2, "expected the name of a field or an item at position 2"},
    {"%[ uuid]", 2, "expected the name of a field or an item at position 2"},
    // the percent sign
    {"100%", 3, "expected an item after the \"%\" at position 3; for a percent sign write \"%%\""},
    {"% v", 0, "expected an item after the \"%\" at position 0; for a percent sign write \"%%\""},
    {"%5", 0, "expected an item after the \"%\" at position 0; *"},
    {"%%%", 2, "expected an item after the \"%\" at position 2; *"},
    {"%]", 0, "expected an item after the \"%\" at position 0; *"},
    {"%\xc3\xa9", 0, "expected an item after the \"%\" at position 0; *"},
    {"%\n", 0, "expected an item after the \"%\" at position 0; *"},
    // brackets
    {"%[", 2, "expected the name of a field or an item at position 2"},
    {"%[uuid", 6, "missing \"]\" at position 6 for the \"[\" at position 1"},
    {"a %[v b", 5, "expected \",\" or \"]\" at position 5, found \" \""},
    {"%[v)]", 3, "expected \",\" or \"]\" at position 3, found \")\""},
    {"%[v%]", 3, "expected \",\" or \"]\" at position 3, found \"%\""},
    {"%[v\"]", 3, "expected \",\" or \"]\" at position 3, found \"\"\""},
    {"%[%[v]]", 2, "expected the name of a field or an item at position 2"},
    {"%[uuid(4]", 6, "missing \")\" for the \"(\" at position 6"},
    {"%[uuid(4)", 9, "missing \"]\" at position 9 for the \"[\" at position 1"},
    {"%[uuid(4))]", 9, "expected \",\" or \"]\" at position 9, found \")\""},
    {"%[uuid(", 6, "missing \")\" for the \"(\" at position 6"},
    // arguments
    {"%[uuid(5)]", 7, "unknown UUID version \"5\" at position 7: expected 4 or 7"},
    {"%[uuid(1)]", 7, "unknown UUID version \"1\" at position 7: expected 4 or 7"},
    {"%[uuid(44)]", 7, "unknown UUID version \"44\" at position 7: expected 4 or 7"},
    {"%[uuid(4,7)]", 8, "\"uuid\" takes at most 1: expected \")\" at position 8"},
    {"%[ulid(1)]", 7, "\"ulid\" takes no argument: expected \")\" at position 7"},
    {"%[pid(x)]", 6, "\"pid\" takes no argument: expected \")\" at position 6"},
    {"%[v(1)]", 3, "the field \"v\" takes no argument: expected \",\" or \"]\" at position 3"},
    {"%[req.hdr(Host)]", 2, "unknown item \"req.hdr(Host)\" at position 2: did you mean \"req.hdr(host)\"?"},
    {"%[uid(4)]", 2, "unknown item \"uid\" at position 2: did you mean \"uuid\"?"},
    {"%[int( 5)]", 6, "expected a number of 64 bits at position 6, found \" 5\""},
    {"%[v,bytes(1 )]", 10, "expected a number from 0 to 2147483647 at position 10, found \"1 \""},
    {"%[str]", 5, "\"str\" needs an argument in brackets: expected one at position 5"},
    {"%[str", 5, "\"str\" needs an argument in brackets: expected one at position 5"},
    {"%[int()]", 6, "expected a number of 64 bits at position 6, found \"\""},
    {"%[int(+)]", 6, "expected a number of 64 bits at position 6, found \"+\""},
    {"%[int(+-5)]", 6, "expected a number of 64 bits at position 6, found \"+-5\""},
    {"%[token()]", 8, "expected a number from 1 to 1024 at position 8, found \"\""},
    {"%[str(a,b)]", 7, "\"str\" takes at most 1: expected \")\" at position 7"},
    {"%[str(\"a)]", 6, "missing end of the quotes that begin at position 6"},
    {"%[str('a)]", 6, "missing end of the quotes that begin at position 6"},
    {"%[str(a\"b'c)]", 7, "missing end of the quotes that begin at position 7"},
    {"%[int]", 5, "\"int\" needs an argument in brackets: expected one at position 5"},
    {"%[int(x)]", 6, "expected a number of 64 bits at position 6, found \"x\""},
    {"%[int(1.5)]", 6, "expected a number of 64 bits at position 6, found \"1.5\""},
    {"%[int(-)]", 6, "expected a number of 64 bits at position 6, found \"-\""},
    {"%[int(9223372036854775808)]", 6, "expected a number of 64 bits at position 6, found \"9223372036854775808\""},
    {"%[int(-9223372036854775809)]", 6, "expected a number of 64 bits at position 6, *"},
    {"%[bool(yes)]", 7, "expected true, false, 1 or 0 at position 7, found \"yes\""},
    {"%[rand(0)]", 7, "expected a number from 1 to 9223372036854775807 at position 7, found \"0\""},
    {"%[rand(-1)]", 7, "expected a number from 1 to 9223372036854775807 at position 7, found \"-1\""},
    {"%[token]", 7, "\"token\" needs an argument in brackets: expected one at position 7"},
    {"%[token(0)]", 8, "expected a number from 1 to 1024 at position 8, found \"0\""},
    {"%[token(1025)]", 8, "expected a number from 1 to 1024 at position 8, found \"1025\"", LOGUUID_ERR_SPACE},
    {"%[token(all)]", 8, "expected a number from 1 to 1024 at position 8, found \"all\""},
    {"%[traceparent(256)]", 14, "expected a number from 0 to 255 at position 14, found \"256\""},
    {"%[date(now)]", 7, "expected a number of 64 bits at position 7, found \"now\""},
    {"%[date(0,h)]", 9, "unknown unit \"h\" at position 9: expected s, ms or us"},
    // converters
    {"%[v,]", 4, "expected a converter at position 4"},
    {"%[v,,hex]", 4, "expected a converter at position 4"},
    {"%[v, hex]", 4, "expected a converter at position 4"},
    {"%[v,uper]", 4, "unknown converter \"uper\" at position 4: did you mean \"upper\"?"},
    {"%[v,base46]", 4, "unknown converter \"base46\" at position 4: did you mean \"base64\"?"},
    {"%[v,sha256]", 4,
     "unknown converter \"sha256\" at position 4: expected hex, base64, ub64enc, b32, upper, lower or bytes"},
    {"%[v,hex(1)]", 8, "\"hex\" takes no argument: expected \")\" at position 8"},
    {"%[v,bytes]", 9, "\"bytes\" needs an argument in brackets: expected one at position 9"},
    {"%[v,bytes()]", 10, "expected a number from 0 to 2147483647 at position 10, found \"\""},
    {"%[v,bytes(1,)]", 12, "expected a number from 0 to 2147483647 at position 12, found \"\""},
    {"%[v,,hex]", 4, "expected a converter at position 4"},
    {"%[v,bytes(,1)]", 10, "expected a number from 0 to 2147483647 at position 10, found \"\""},
    {"%[v,bytes(-1)]", 10, "expected a number from 0 to 2147483647 at position 10, found \"-1\""},
    {"%[v,bytes(1,x)]", 12, "expected a number from 0 to 2147483647 at position 12, found \"x\""},
    {"%[v,bytes(1,2,3)]", 13, "\"bytes\" takes at most 2: expected \")\" at position 13"},
    {"%[v,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex,hex]", 68,
     "more than 16 converters at position 68", LOGUUID_ERR_SPACE},
    // flags
    {"%{+q}v", 3, "unknown flag \"q\" at position 3: did you mean \"Q\"?"},
    {"%{+jsn}v", 3, "unknown flag \"jsn\" at position 3: did you mean \"json\"?"},
    {"%{+bin}o", 3, "unknown flag \"bin\" at position 3: expected Q, X, E, json or cbor"},
    {"%{+}v", 3, "unknown flag \"\" at position 3: expected Q, X, E, json or cbor"},
    {"%{Q}v", 2, "expected \"+\" or \"-\" and a flag at position 2, as in {+Q}"},
    {"%{}v", 2, "expected \"+\" or \"-\" and a flag at position 2, as in {+Q}"},
    {"%{+Q,}v", 5, "expected \"+\" or \"-\" and a flag at position 5, as in {+Q}"},
    {"%{+Q +E}v", 5, "expected \",\" or \"}\" at position 5"},
    {"%{+Q", 1, "missing \"}\" for the \"{\" at position 1"},
    {"%{", 1, "missing \"}\" for the \"{\" at position 1"},
    {"%{+Q,", 1, "missing \"}\" for the \"{\" at position 1"},
    {"%{+Q}", 5, "expected the name of an item or \"[\" at position 5"},
    {"%{+Q} v", 5, "expected the name of an item or \"[\" at position 5"},
    {"%{+Q}%v", 5, "expected the name of an item or \"[\" at position 5"},
    {"%{+Q}{+E}v", 5, "expected the name of an item or \"[\" at position 5"},
    {"%{+Q}(n)v", 5, "expected the name of an item or \"[\" at position 5"},
    // names
    {"%(n", 1, "missing \")\" for the \"(\" at position 1"},
    {"%(", 1, "missing \")\" for the \"(\" at position 1"},
    {"%((((((((", 1, "missing \")\" for the \"(\" at position 1"},
    {"%()v", 2, "expected a name at position 2"},
    {"%(:str)v", 2, "expected a name at position 2"},
    {"%(n)", 4, "expected the name of an item or \"[\" at position 4"},
    {"%(n) v", 4, "expected the name of an item or \"[\" at position 4"},
    {"%(n:int)v", 4, "unknown type \"int\" at position 4: did you mean \"sint\"?"},
    {"%(n:float)v", 4, "unknown type \"float\" at position 4: expected str, sint or bool"},
    {"%(n:)v", 4, "unknown type \"\" at position 4: expected str, sint or bool"},
    {"%(n:str", 1, "missing \")\" for the \"(\" at position 1"},
    {"%{+json}o %(a)v %(b)v %(a)w", 24, "the name \"a\" at position 24 is that of another member"},
    {"%{+json}o %(a)v%(\xff)v", 17, "the name at position 17 is not UTF-8, which JSON wants"},
    {"%{+cbor}o %(a)v%(a)v", 17, "the name \"a\" at position 17 is that of another member"},
};

TEST(LogFormatErrors, EachNamesThePositionAndWhatWasExpected) {
  ASSERT_GE(std::size(kWrong), 60u);
  for (const Wrong& wrong : kWrong) {
    const Format format(wrong.format);
    EXPECT_EQ(wrong.status, format.status) << wrong.format;
    EXPECT_EQ(wrong.position, format.error.position) << wrong.format;
    std::string says = wrong.says, message = format.error.message;
    if (says.ends_with('*')) {
      says.pop_back();
      message = message.substr(0, says.size());
    }
    EXPECT_EQ(says, message) << wrong.format;
    EXPECT_NE(std::string::npos, message.find("at position")) << message;
  }
}

TEST(LogFormatErrors, AFormatWithoutAnErrorPlaceIsRefusedAlike) {
  loguuid_format* format = reinterpret_cast<loguuid_format*>(&format);
  EXPECT_EQ(LOGUUID_ERR_SYNTAX, loguuid_format_compile(&format, "%[uid]", nullptr, 0, 0, nullptr));
  EXPECT_EQ(nullptr, format);
}

TEST(LogFormatErrors, MessagesStayInTheirPlaceHoweverLongTheName) {
  for (const size_t len : {30u, 31u, 32u, 33u, 100u, 255u, 256u, 100000u}) {
    const std::string name(len, 'x');
    for (const std::string& text :
         {"%[" + name + "]", "%" + name, "%[v," + name + "]", "%{+" + name + "}v", "%(n:" + name + ")v",
          "%[uuid(" + name + ")]", "%[int(" + std::string(std::min<size_t>(len, 8000), '9') + ")]"}) {
      const Format format(text);
      if (format.status == LOGUUID_OK) continue;  // int(9999...) of a short length
      EXPECT_LT(strlen(format.error.message), sizeof format.error.message);
      EXPECT_NE(nullptr, strstr(format.error.message, "at position ")) << format.error.message;
    }
  }
  for (const char* name : {"something", "abcdefghijklmnopqrstuvwxyz0123456789"})
    EXPECT_STREQ("lower or bytes",
                 strstr(Format("%[uuid," + std::string(name) + "_]").error.message, "lower or bytes"));
  const Format bytes("%[a\x01\xff\x80]");
  EXPECT_STREQ("unknown item \"a???\" at position 2: expected a built-in item or a field of the host",
               bytes.error.message);
}

TEST(LogFormatErrors, EveryBeginningOfAFormatIsHandled) {
  const std::string whole = "%{+Q,-E}o a %(name:str){+json}[str(\"a\\\"b\"),bytes(1,2),hex] %% %[uuid(7)] %pid %{+X}n";
  EXPECT_EQ(LOGUUID_OK, Format(whole).status);
  for (size_t len = 0; len < whole.size(); ++len) {
    const Format format(whole.substr(0, len));
    EXPECT_TRUE(format.status == LOGUUID_OK || format.status == LOGUUID_ERR_SYNTAX);
    if (format.status != LOGUUID_OK) {
      EXPECT_LE(format.error.position, len);
    }
  }
}

TEST(LogFormatErrors, WrongArgumentsAreRefused) {
  loguuid_format* format = nullptr;
  loguuid_format_error error;
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_format_compile(nullptr, "x", nullptr, 0, 0, &error));
  EXPECT_STRNE("", error.message);
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_format_compile(&format, nullptr, nullptr, 0, 0, &error));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_format_compile(&format, "x", nullptr, 1, 0, &error));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_format_compile(&format, "x", nullptr, 0, 2, &error));
  const auto write = field<&Values::v>;
  for (const loguuid_field& wrong :
       {loguuid_field{nullptr, write, LOGUUID_STR}, loguuid_field{"", write, LOGUUID_STR},
        loguuid_field{"a b", write, LOGUUID_STR}, loguuid_field{"a]", write, LOGUUID_STR},
        loguuid_field{"a(b", write, LOGUUID_STR}, loguuid_field{"a(b)c", write, LOGUUID_STR},
        loguuid_field{"(b)", write, LOGUUID_STR}, loguuid_field{"x", nullptr, LOGUUID_STR},
        loguuid_field{"x", write, static_cast<loguuid_type>(3)}}) {
    EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_format_compile(&format, "x", &wrong, 1, 0, &error));
    EXPECT_STRNE("", error.message);
    EXPECT_EQ(nullptr, format);
  }
  const std::string longest(255, 'x'), longer(256, 'x');
  const loguuid_field good = {longest.c_str(), write, LOGUUID_STR}, bad = {longer.c_str(), write, LOGUUID_STR};
  EXPECT_EQ(LOGUUID_OK, loguuid_format_compile(&format, ("%[" + longest + "]").c_str(), &good, 1, 0, &error));
  loguuid_format_free(format);
  EXPECT_EQ(LOGUUID_ERR_SPACE, loguuid_format_compile(&format, "x", &bad, 1, 0, &error));
  EXPECT_STREQ("field 0 has a name longer than 255 bytes", error.message);
}

// ---- limits ----

TEST(LogFormatLimits, AreStatedWhenTheyRefuse) {
  {
    const Format at(std::string(size_t{16} << 20, 'x'));
    EXPECT_EQ(LOGUUID_OK, at.status);
    const Format over(std::string((size_t{16} << 20) + 1, 'x'));
    EXPECT_EQ(LOGUUID_ERR_SPACE, over.status);
    EXPECT_STREQ("the format is longer than 16777216 bytes", over.error.message);
  }
  {
    const Format at(repeated("%v", "", 1000000)), over(repeated("%v", "", 1000001));
    EXPECT_EQ(LOGUUID_OK, at.status);
    EXPECT_EQ(LOGUUID_ERR_SPACE, over.status);
    EXPECT_STREQ("more than 1000000 items at position 2000000", over.error.message);
  }
  {
    const Format at("%[str(" + std::string(8192, 'x') + ")]"), over("%[str(" + std::string(8193, 'x') + ")]");
    EXPECT_EQ(LOGUUID_OK, at.status);
    EXPECT_EQ(LOGUUID_ERR_SPACE, over.status);
    EXPECT_STREQ("the argument at position 6 is longer than 8192 bytes", over.error.message);
  }
  {
    const Format at("%(" + std::string(255, 'x') + ")v"), over("%(" + std::string(256, 'x') + ")v");
    EXPECT_EQ(LOGUUID_OK, at.status);
    EXPECT_EQ(LOGUUID_ERR_SPACE, over.status);
    EXPECT_STREQ("the name at position 2 is longer than 255 bytes", over.error.message);
  }
  EXPECT_EQ(LOGUUID_OK, Format("%[token(1024)]").status);
  EXPECT_EQ(LOGUUID_ERR_SPACE, Format("%[token(9223372036854775808)]").status);
  EXPECT_EQ(LOGUUID_ERR_SYNTAX, Format("%[token(5000x)]").status);
  EXPECT_EQ(LOGUUID_ERR_SYNTAX, Format("%[token(-9223372036854775809)]").status);
  {
    const std::vector<loguuid_field> many(1000001, fields()[0]);
    const Format over("x", many);
    EXPECT_EQ(LOGUUID_ERR_SPACE, over.status);
    EXPECT_STREQ("more than 1000000 fields", over.error.message);
  }
  EXPECT_EQ(LOGUUID_OK, Format("%[v" + repeated(",hex", "", 16) + "]").status);
  const Format grows(repeated("%(a){+json}[str('" + std::string(8000, '\x01') + "')]", "", 1500));
  EXPECT_EQ(LOGUUID_ERR_SPACE, grows.status);
  EXPECT_EQ(0u, std::string(grows.error.message).find("more than 67108864 bytes of literal text, once compiled, at "))
      << grows.error.message;
}

// 64 times the text takes some 64 times the time, or ten times that where the memory is new to the process; quadratic
// would be 4,096 times.
TEST(LogFormatLimits, CompilingTakesLinearTime) {
  const std::vector<loguuid_field> with = {{"a", field<&Values::v>, LOGUUID_STR},
                                           {"v", field<&Values::v>, LOGUUID_STR},
                                           {"a.b.a.b", field<&Values::v>, LOGUUID_STR}};
  for (const std::string shape : {"%[uuid] ", "\"%[uuid]\",", "%v", "a%%", "%{+Q}[v,hex,bytes(1,2)] ",
                                  "%a.a.a.a.a.a.a ", "%[str(\"x\")]", "x", "  ", "%(long)pid"}) {
    const auto compile = [&](size_t bytes) {
      const std::string text = repeated(shape, "", bytes / shape.size());
      return least_microseconds(3, [&] { const Format format(text, with, LOGUUID_FORMAT_MERGE_SPACES); });
    };
    const double little = compile(size_t{1} << 14), much = compile(size_t{1} << 20);
    if (!time_limits_count()) continue;
    EXPECT_LT(much, 1500 * little + 20000) << shape;
    EXPECT_LT(much, 2000000) << shape;
  }
}

TEST(LogFormatLimits, TenThousandNamedItemsMakeOneObject) {
  std::string text = "%{+json}o";
  for (int i = 0; i < 10000; ++i) text += "%(n" + std::to_string(i) + ")[uuid]";
  const Format format(text);
  ASSERT_EQ(LOGUUID_OK, format.status) << format.error.message;
  const std::string line = format.line();
  EXPECT_EQ(9999, std::count(line.begin(), line.end(), ','));
  const Format twice(text + "%(n5000)pid");
  EXPECT_EQ(LOGUUID_ERR_SYNTAX, twice.status);
  EXPECT_EQ(text.size() + 2, twice.error.position);
}

}  // namespace
}  // namespace loguuid::testing
