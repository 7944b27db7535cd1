// loguuid_parse() against a slow reader written from its description, and the way back.
#include <string>

#include "fuzz.h"
#include "loguuid.h"

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool digits(const std::string& text, uint8_t out[16]) {
  if (text.size() != 32) return false;
  for (size_t i = 0; i < 32; ++i) {
    const int value = digit(text[i]);
    if (value < 0) return false;
    out[i / 2] = static_cast<uint8_t>(i % 2 == 0 ? value << 4 : out[i / 2] | value);
  }
  return true;
}

bool dashed(const std::string& text, uint8_t out[16]) {
  if (text.size() != 36) return false;
  std::string without;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool place = i == 8 || i == 13 || i == 18 || i == 23;
    if (place != (text[i] == '-')) return false;
    if (!place) without += text[i];
  }
  return digits(without, out);
}

bool slow_parse(std::string text, uint8_t out[16]) {
  if (text.size() == 32) return digits(text, out);
  if (text.size() == 38 && text.front() == '{' && text.back() == '}') return dashed(text.substr(1, 36), out);
  if (text.size() == 45) {
    std::string scheme = text.substr(0, 9);
    for (char& c : scheme)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return scheme == "urn:uuid:" && dashed(text.substr(9), out);
  }
  return dashed(text, out);
}

void check(const void* data, size_t size) {
  fuzz::Exact text(data, size), value(16), untouched(16);
  uint8_t expected[16] = {};
  const bool good = slow_parse(std::string(static_cast<const char*>(data), size), expected);
  const loguuid_status status = loguuid_parse(value.bytes(), text.text(), size);
  FUZZ_CHECK(status == (good ? LOGUUID_OK : LOGUUID_ERR_SYNTAX));
  if (!good) {
    FUZZ_CHECK(value.same(untouched));
    return;
  }
  FUZZ_CHECK(memcmp(value.bytes(), expected, 16) == 0);
  fuzz::Exact back(37);
  FUZZ_CHECK(loguuid_unparse(back.text(), 37, value.bytes()) == 36);
  FUZZ_CHECK(back.bytes()[36] == 0);
  uint8_t again[16] = {};
  FUZZ_CHECK(loguuid_parse(again, back.text(), 36) == LOGUUID_OK);
  FUZZ_CHECK(memcmp(again, expected, 16) == 0);
}

}  // namespace

// As it came; then laid over right texts, since the lengths that matter are few and one wrong character is the hard
// case.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  check(data, size);
  fuzz::Input input(data, size);
  const char* const right[] = {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE7DEC11D0A76500A0C91E6BF6",
                               "{f81d4fae-7dec-11d0-A765-00a0c91e6bf6}",
                               "URN:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"};
  std::string text = right[input.byte() % 4];
  for (int changes = input.byte() % 4; changes > 0 && input.left() >= 2; --changes) {
    const size_t where = input.byte();
    text[where % text.size()] = static_cast<char>(input.byte());
  }
  check(text.data(), text.size());
  return 0;
}
