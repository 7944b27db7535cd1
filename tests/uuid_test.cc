// What we print is read, typed and printed by libuuid, fits exactly, and what we read is what RFC 9562 wrote and
// nothing else.
#include <gtest/gtest.h>
#ifndef LOGUUID_TEST_WITHOUT_LIBUUID  // for other machines there is none
#include <uuid/uuid.h>
#endif

#include <algorithm>
#include <cstring>

#include "support.h"

namespace loguuid::testing {
namespace {

using Text = std::string;

// ---- libuuid as the oracle ----

#ifndef LOGUUID_TEST_WITHOUT_LIBUUID

void expect_libuuid_agrees(const char* text, const unsigned char* bytes, int version) {
  uuid_t theirs;
  ASSERT_EQ(0, uuid_parse(text, theirs)) << text;
  EXPECT_EQ(version, uuid_type(theirs)) << text;
  EXPECT_EQ(UUID_VARIANT_DCE, uuid_variant(theirs)) << text;
  char printed[37];
  uuid_unparse_lower(theirs, printed);
  EXPECT_STREQ(printed, text);
  if (bytes != nullptr) {
    EXPECT_EQ(0, memcmp(theirs, bytes, 16)) << text;
  }
}

TEST(Uuid, LibuuidReadsTypesAndPrintsEverySingleUuid) {
  const auto text_gen = new_gen(1), bytes_gen = new_gen(1);
  for (int i = 0; i < 3000; ++i) {
    for (const int version : {4, 7}) {
      char text[37];
      unsigned char bytes[16];
      {
        const Using use(text_gen);
        ASSERT_EQ(36u, version == 4 ? loguuid_v4(text, sizeof text) : loguuid_v7(text, sizeof text));
      }
      const Using use(bytes_gen);
      version == 4 ? loguuid_v4_bytes(bytes) : loguuid_v7_bytes(bytes);
      expect_libuuid_agrees(text, version == 4 ? bytes : nullptr, version);
      char unparsed[37];
      ASSERT_EQ(36u, loguuid_unparse(unparsed, sizeof unparsed, bytes));
      expect_libuuid_agrees(unparsed, bytes, version);
    }
  }
}

TEST(Uuid, LibuuidReadsEveryUuidOfABatch) {
  const auto gen = new_gen(2);
  const Using use(gen);
  for (const int version : {4, 7}) {
    std::vector<char> text(37 * 3000);
    ASSERT_EQ(text.size() - 1, version == 4 ? loguuid_v4_many(text.data(), text.size(), 3000, '\0')
                                            : loguuid_v7_many(text.data(), text.size(), 3000, '\0'));
    for (size_t i = 0; i < 3000; ++i) expect_libuuid_agrees(text.data() + 37 * i, nullptr, version);
  }
}

TEST(Uuid, LiveUuidsAreReadByLibuuidToo) {
  for (int i = 0; i < 100; ++i) {
    char text[37];
    ASSERT_EQ(36u, loguuid_v4(text, sizeof text));
    expect_libuuid_agrees(text, nullptr, 4);
    ASSERT_EQ(36u, loguuid_v7(text, sizeof text));
    expect_libuuid_agrees(text, nullptr, 7);
  }
}

TEST(Uuid, WhatLibuuidPrintsIsParsedAsItReadsIt) {
  for (int i = 0; i < 3000; ++i) {
    uuid_t theirs;
    uuid_generate_random(theirs);
    for (size_t b = 0; b < 16; ++b)
      if (i % 16 == static_cast<int>(b)) theirs[b] = static_cast<unsigned char>(i / 16);
    char upper[37], lower[37];
    uuid_unparse_upper(theirs, upper);
    uuid_unparse_lower(theirs, lower);
    for (const char* text : {upper, lower}) {
      unsigned char ours[16] = {};
      ASSERT_EQ(LOGUUID_OK, loguuid_parse(ours, text, 36)) << text;
      EXPECT_EQ(0, memcmp(ours, theirs, 16)) << text;
    }
    char printed[37];
    ASSERT_EQ(36u, loguuid_unparse(printed, sizeof printed, theirs));
    EXPECT_STREQ(lower, printed);
  }
}

#else

TEST(Uuid, LibuuidAgrees) { GTEST_SKIP() << "there is no libuuid for this machine"; }

#endif

TEST(Uuid, ExamplesOfRfc9562AreReadAndPrinted) {
  for (const Block* block : vectors("rfc9562.txt", "uuid")) {
    const Text& text = block->text("text");
    unsigned char bytes[16] = {};
    ASSERT_EQ(LOGUUID_OK, loguuid_parse(bytes, text.data(), text.size())) << text;
    EXPECT_EQ(block->text("bytes"), to_hex(bytes, 16));
    EXPECT_EQ(block->number("version"), bytes[6] >> 4u);
    Text lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return static_cast<char>(tolower(c)); });
    char printed[37];
    EXPECT_EQ(36u, loguuid_unparse(printed, sizeof printed, bytes));
    EXPECT_EQ(lower, printed);
    if (!block->has("unix_ms")) continue;
    // Our own version 7 of the same millisecond begins as the example does.
    const auto gen = new_gen();
    loguuid_gen_set_clock(gen.get(), block->number("unix_ms") * 1000000);
    const Using use(gen);
    loguuid_v7(printed, sizeof printed);
    EXPECT_EQ(lower.substr(0, 15), Text(printed).substr(0, 15));
  }
}

// ---- reading ----

const Text kText = "00112233-4455-6677-8899-aAbBcCdDeEfF";
const unsigned char kBytes[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

// Parses a copy that ends at a guard page, so that reading too far is seen.
loguuid_status parse(unsigned char out[16], const Text& text) {
  GuardedBuffer copy(text.size());
  if (!text.empty()) memcpy(copy.data(), text.data(), text.size());
  return loguuid_parse(out, copy.data(), text.size());
}

void expect_parsed(const Text& text) {
  unsigned char out[16] = {};
  EXPECT_EQ(LOGUUID_OK, parse(out, text)) << text;
  EXPECT_EQ(0, memcmp(out, kBytes, 16)) << text;
}

void expect_refused(const Text& text) {
  for (const int pattern : {0x5a, 0xa5}) {
    unsigned char out[16], before[16];
    memset(out, pattern, 16);
    memset(before, pattern, 16);
    EXPECT_EQ(LOGUUID_ERR_SYNTAX, parse(out, text)) << '"' << text << '"';
    EXPECT_EQ(0, memcmp(out, before, 16)) << "changed the output for \"" << text << '"';
  }
}

Text without_dashes(Text text) {
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  return text;
}

Text cased(Text text, int (*change)(int)) {
  std::transform(text.begin(), text.end(), text.begin(), [&](char c) { return static_cast<char>(change(c)); });
  return text;
}

TEST(Parse, AcceptsTheFourFormsInEitherCase) {
  for (const Text& text : {kText, cased(kText, toupper), cased(kText, tolower)}) {
    expect_parsed(text);
    expect_parsed(without_dashes(text));
    expect_parsed("{" + text + "}");
    expect_parsed("urn:uuid:" + text);
  }
  expect_parsed("URN:UUID:" + kText);  // RFC 8141: "urn" and the namespace in either case
  expect_parsed("Urn:Uuid:" + kText);
}

TEST(Parse, AcceptsAnyVersionAndVariant) {
  for (const char* text : {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                           "00000000-0000-f000-c000-000000000000"}) {
    unsigned char out[16];
    EXPECT_EQ(LOGUUID_OK, parse(out, text)) << text;
  }
}

TEST(Parse, RefusesEveryWrongByteAtEveryPosition) {
  const Text forms[] = {kText, without_dashes(kText), "{" + kText + "}", "urn:uuid:" + kText};
  for (const Text& form : forms) {
    for (size_t at = 0; at < form.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        Text text = form;
        text[at] = static_cast<char>(byte);
        unsigned char out[16];
        const bool digit = form[at] != '-' && form[at] != '{' && form[at] != '}' && (form[0] != 'u' || at >= 9);
        const bool right = digit ? isxdigit(byte) != 0 : tolower(byte) == tolower(form[at]);
        ASSERT_EQ(right ? LOGUUID_OK : LOGUUID_ERR_SYNTAX, loguuid_parse(out, text.data(), text.size()))
            << "byte " << byte << " at " << at << " of " << form;
      }
    }
  }
}

TEST(Parse, RefusesEveryOtherLength) {
  Text digits, dashed = kText;
  for (size_t len = 0; len <= 100; ++len, digits += 'a') {
    if (len != 32) expect_refused(digits);
    if (len < 36) expect_refused(kText.substr(0, len));
    if (len > 36) expect_refused(dashed += '0');
  }
}

TEST(Parse, RefusesWhatOnlyLooksLikeOne) {
  const Text digits = without_dashes(kText);
  const Text wrong[] = {
      "",
      "-",
      "{}",
      "urn:uuid:",
      " " + kText,
      kText + " ",
      kText + "\n",
      kText + Text(1, '\0'),
      "\t" + kText,
      "{" + kText,
      kText + "}",
      "(" + kText + ")",
      "[" + kText + "]",
      "{" + kText + "]",
      "}" + kText + "{",
      "{{" + kText + "}}",
      "{" + digits + "}",
      "urn:uuid:" + digits,
      "urn:uuid:{" + kText + "}",
      "{urn:uuid:" + kText + "}",
      "urn:uid:" + kText,
      "urn:uuid" + kText,
      "urn-uuid-" + kText,
      "urn:uuid: " + kText,
      "uuid:" + kText,
      "\"" + kText + "\"",
      "0x" + digits,
      "00112233_4455_6677_8899_aabbccddeeff",
      "00112233 4455 6677 8899 aabbccddeeff",
      "001122334-455-6677-8899-aabbccddeeff",
      "0011223-34455-6677-8899-aabbccddeeff",
      "00112233-44556677-8899-aabbccddeeff",
      "00112233-4455-6677-8899aabbccddeeff",
      "00112233-4455-6677--8899-aabbccddeef",
      "00112233-4455-6677-8899-aabbccddeefg",
      "g0112233-4455-6677-8899-aabbccddeeff",
      "00112233-4455-6677-8899-aabbccddee-f",
      "-0112233-4455-6677-8899-aabbccddeeff",
      "+0112233-4455-6677-8899-aabbccddeeff",
      "0O112233-4455-6677-8899-aabbccddeeff",
      "00112233-4455-6677-8899-aabbccdd\xef\xbc\x90"
      "f",
      "------------------------------------",
      Text(36, '0'),
      Text(36, '\0'),
      Text(32, '\0'),
      Text(32, '\xff'),
      Text(32, '-'),
      "0011-2233-4455-6677-8899-aabb-ccd",
      "00112233445566778899aabbccddeef ",
      " 0112233445566778899aabbccddeeff",
      "00112233445566778899aabbccddeef:",
      "00112233445566778899aabbccddeef@",
      "00112233445566778899aabbccddeef`",
      "00112233445566778899aabbccddeefG",
      "00112233445566778899aabbccddeef/",
  };
  for (const Text& text : wrong) expect_refused(text);
}

TEST(Parse, RefusesNullAndDrawsNothing) {
  unsigned char out[16];
  memset(out, 0x5a, sizeof out);
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_parse(nullptr, kText.data(), 36));
  EXPECT_EQ(LOGUUID_ERR_ARG, loguuid_parse(out, nullptr, 36));
  EXPECT_EQ(0x5a, out[0]);
  const auto gen = new_gen();
  const Using use(gen);
  loguuid_parse(out, kText.data(), 36);
  char text[37];
  loguuid_unparse(text, sizeof text, out);
  EXPECT_EQ(0u, loguuid_gen_position(gen.get()).draws);
}

}  // namespace
}  // namespace loguuid::testing
