// Values as text, JSON and CBOR, such that no byte of a value can end a line, a field or a string.
//
// Plain text follows HAProxy's manual: bytes outside 32..126 and the characters `"` and `#` become #XX, an empty value `-`.
// JSON (RFC 8259) and CBOR (RFC 8949, section 3) stay valid whatever the bytes are.
#include "base.h"
#include "logformat.h"

namespace loguuid::logformat {
namespace {

constexpr char kUpperHex[] = "0123456789ABCDEF";

char upper_hex(unsigned nibble) { return kUpperHex[nibble & 15]; }

size_t unsigned_text(char out[20], uint64_t n) {
  char digits[20];
  size_t len = 0;
  do digits[len++] = static_cast<char>('0' + n % 10);
  while ((n /= 10) != 0);
  for (size_t i = 0; i < len; ++i) out[i] = digits[len - 1 - i];
  return len;
}

void put_hex(Out& out, const void* bytes, size_t len, bool lower = false) {
  const uint8_t* in = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < len; ++i) {
    char pair[2] = {upper_hex(in[i] >> 4u), upper_hex(in[i])};
    if (lower)
      for (char& c : pair) c = static_cast<char>(c >= 'A' ? c | 0x20 : c);
    out.put(pair, 2);
  }
}

bool is_plain(uint8_t c) { return c >= 32 && c <= 126 && c != '"' && c != '#'; }

// Eight characters at once: true if all are plain and none is a backslash or a bracket, which +E escapes.
bool are_plain(const char* text) {
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  const uint64_t x = load_le64(text);
  const auto below = [](uint64_t word, uint64_t n) { return (word - kOnes * n) & ~word; };  // exact below 128
  const auto equals = [&](uint64_t c) { return below(x ^ kOnes * c, 1); };
  const uint64_t bad =
      x | below(x, 32) | (x + kOnes) | equals('"') | equals('#') | equals('\\') | equals(']');
  return (bad & kTops) == 0;
}

void put_plain(Out& out, const char* text, size_t len, bool escape) {
  size_t done = 0, i = 0;
  while (i < len) {
    if (len - i >= 8 && are_plain(text + i)) {
      i += 8;
      continue;
    }
    const uint8_t c = static_cast<uint8_t>(text[i]);
    const bool backslash = escape && (c == '"' || c == '\\' || c == ']');
    if (is_plain(c) && !backslash) {
      ++i;
      continue;
    }
    out.put(text + done, i - done);
    const char code[3] = {backslash ? '\\' : '#', backslash ? static_cast<char>(c) : upper_hex(c >> 4u), upper_hex(c)};
    out.put(code, backslash ? 2 : 3);
    done = ++i;
  }
  out.put(text + done, len - done);
}

// The length of the UTF-8 sequence at `text` (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF), or 0;
// then `bad` bytes are the longest beginning of one, at least 1.
size_t utf8_sequence(const uint8_t* text, size_t len, size_t& bad, uint32_t& code) {
  const uint8_t lead = text[0];
  bad = 1;
  code = lead;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  code = lead & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if (i == len) return 0;
    uint8_t low = 0x80, high = 0xbf;
    if (i == 1 && lead == 0xe0) low = 0xa0;
    if (i == 1 && lead == 0xed) high = 0x9f;
    if (i == 1 && lead == 0xf0) low = 0x90;
    if (i == 1 && lead == 0xf4) high = 0x8f;
    if (text[i] < low || text[i] > high) return 0;
    code = code << 6 | (text[i] & 0x3f);
    bad = i + 1;
  }
  return size;
}

bool is_utf8(const char* text, size_t len) {
  const uint8_t* in = reinterpret_cast<const uint8_t*>(text);
  size_t i = 0, bad;
  uint32_t code;
  while (i < len) {
    const size_t size = utf8_sequence(in + i, len - i, bad, code);
    if (size == 0) return false;
    i += size;
  }
  return true;
}

// Controls, and what some readers take for the end of a line: U+0085, U+2028, U+2029.
bool needs_unicode_escape(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

void put_unicode_escape(Out& out, uint32_t code) {
  const char text[6] = {'\\', 'u', kHexDigit(code >> 12), kHexDigit(code >> 8), kHexDigit(code >> 4), kHexDigit(code)};
  out.put(text, 6);
}

// ---- a datum, three ways ----

struct Text {
  const char* at;
  size_t len;
};

// The text of a number or boolean that came without one. `memory` has room for 20 digits and a sign.
Text text_of(const Datum& data, char memory[21]) {
  if (data.text != nullptr || data.type == Type::text || data.type == Type::bytes) return {data.text, data.len};
  return {memory, integer_text(memory, data.number)};
}

void put_hexadecimal(Out& out, uint64_t number) {
  char digits[16];
  size_t len = 0;
  do digits[len++] = upper_hex(static_cast<unsigned>(number));
  while ((number >>= 4) != 0);
  while (len < 4) digits[len++] = '0';
  while (len != 0) out.put(digits[--len]);
}

}  // namespace
}  // namespace loguuid::logformat
