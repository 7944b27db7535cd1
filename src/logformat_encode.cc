// Values as text, JSON and CBOR, such that no byte of a value can end a line, a field or a string.
//
// Plain text follows HAProxy's manual: bytes outside 32..126 and the characters `"` and `#` become #XX, an empty value
// `-`. JSON (RFC 8259) and CBOR (RFC 8949, section 3) stay valid whatever the bytes are.
#include "base.h"
#include "logformat.h"

namespace loguuid::logformat {
namespace {

constexpr char kUpperHex[] = "0123456789ABCDEF";

char upper_hex(unsigned nibble) { return kUpperHex[nibble & 15]; }

void put_hex(Out& out, const void* bytes, size_t len, bool lower = false) {
  for (size_t i = 0; i < len; ++i) {
    const uint8_t byte = static_cast<const uint8_t*>(bytes)[i];
    char pair[2] = {upper_hex(byte >> 4u), upper_hex(byte)};
    if (lower)
      for (char& c : pair) c = static_cast<char>(c >= 'A' ? c | 0x20 : c);
    out.put(pair, 2);
  }
}

void put_token(Out& out, const Datum& data) { put_hex(out, data.text, data.len, true); }

bool is_plain(uint8_t c) { return c >= 32 && c <= 126 && c != '"' && c != '#'; }

// Eight characters at once: true if all are plain and none is a backslash or a bracket, which +E escapes.
bool are_plain(const char* text) {
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  const uint64_t x = load_le64(text);
  const auto below = [](uint64_t word, uint64_t n) { return (word - kOnes * n) & ~word; };  // exact below 128
  const auto equals = [&](uint64_t c) { return below(x ^ kOnes * c, 1); };
  const uint64_t bad = x | below(x, 32) | (x + kOnes) | equals('"') | equals('#') | equals('\\') | equals(']');
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

// Controls, and what some readers take for the end of a line: U+0085, U+2028, U+2029.
bool needs_unicode_escape(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

void put_unicode_escape(Out& out, uint32_t code) {
  char text[6] = {'\\', 'u'};
  for (unsigned i = 0; i < 4; ++i) {
    const char digit = upper_hex(code >> (12 - 4 * i));
    text[2 + i] = static_cast<char>(digit >= 'A' ? digit | 0x20 : digit);
  }
  out.put(text, 6);
}

// ---- types ----

// As HAProxy reads a number at the start of a text: a sign, digits, held at the ends of 64 bits; no digits are 0.
int64_t leading_integer(const char* text, size_t len) {
  size_t i = len != 0 && (text[0] == '-' || text[0] == '+');
  const bool negative = i != 0 && text[0] == '-';
  int64_t n = 0;
  for (; i < len && text[i] >= '0' && text[i] <= '9'; ++i) {
    const int64_t digit = text[i] - '0';
    if (__builtin_mul_overflow(n, int64_t{10}, &n) || __builtin_sub_overflow(n, digit, &n))
      return negative ? INT64_MIN : INT64_MAX;
  }
  if (negative) return n;
  return n == INT64_MIN ? INT64_MAX : -n;  // it was summed up below zero, where there is room for one more
}

// Brings a datum to the type that the item was given. False: it has none of that type.
bool cast(Datum& data, Type type) {
  if (type == Type::text && data.type != Type::bytes) {
    data.type = Type::text;
    return true;
  }
  if (type != Type::integer && type != Type::boolean) return true;
  if (data.type == Type::bytes || (data.type == Type::text && data.len == 0)) return false;
  if (data.type == Type::text) data.number = leading_integer(data.text, data.len);
  if (type == Type::boolean) data.number = data.number != 0;
  data.type = type;
  return true;
}

size_t hexadecimal_text(char out[16], uint64_t number, size_t least) {
  size_t len = 1;
  while (len < 16 && (number >> (4 * len) != 0 || len < least)) ++len;
  for (size_t i = 0; i < len; ++i) out[i] = upper_hex(static_cast<unsigned>(number >> (4 * (len - 1 - i))));
  return len;
}

// ---- a datum, three ways ----

void write_plain(const Datum& data, uint8_t flags, Out& out) {
  const bool bare = (flags & kAlias) != 0 && (data.bare || data.type == Type::integer || data.type == Type::boolean);
  const bool quote = (flags & kQuote) != 0 && !bare;
  if (quote) out.put('"');
  if (data.len == 0) {
    if (!quote) out.put('-');
  } else if (data.type == Type::bytes) {
    put_token(out, data);
  } else {
    put_plain(out, data.text, data.len, (flags & kEscape) != 0);
  }
  if (quote) out.put('"');
}

void write_json(const Datum& data, Out& out) {
  char digits[kIntegerText];
  if (data.type == Type::integer) {
    out.put(digits, integer_text(digits, data.number));
  } else if (data.type == Type::boolean) {
    data.number != 0 ? out.put("true", 4) : out.put("false", 5);
  } else {
    out.put('"');
    data.type == Type::bytes ? put_token(out, data) : put_json_text(out, data.text, data.len);
    out.put('"');
  }
}

// Simple values and types of RFC 8949, 3.1 and 3.3.
constexpr uint8_t kCborUnsigned = 0, kCborNegative = 1, kCborBytes = 2, kCborText = 3;

void write_cbor(const Datum& data, Type asked, Out& out) {
  if (data.type == Type::integer) {
    const uint64_t bits = static_cast<uint64_t>(data.number);
    data.number < 0 ? put_cbor_head(out, kCborNegative, ~bits) : put_cbor_head(out, kCborUnsigned, bits);
  } else if (data.type == Type::boolean) {
    data.number != 0 ? out.put("F5", 2) : out.put("F4", 2);
  } else if (data.len == 0) {
    out.put("F6", 2);  // null, where HAProxy says undefined
  } else if (data.type == Type::bytes && asked == Type::text) {
    put_cbor_head(out, kCborText, 2 * data.len);
    char digits[2];
    for (size_t i = 0; i < data.len; ++i) {
      Out pair = {digits, digits + 2, 0};
      put_hex(pair, data.text + i, 1, true);
      put_hex(out, digits, 2);
    }
  } else if (data.type == Type::bytes) {
    put_cbor_head(out, kCborBytes, data.len);
    put_hex(out, data.text, data.len);
  } else {
    put_cbor_text(out, data.text, data.len);
  }
}

}  // namespace

size_t integer_text(char out[kIntegerText], int64_t number) {
  uint64_t n = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  char digits[kIntegerText];
  size_t at = sizeof digits;
  do digits[--at] = static_cast<char>('0' + n % 10);
  while ((n /= 10) != 0);
  if (number < 0) digits[--at] = '-';
  memcpy(out, digits + at, sizeof digits - at);
  return sizeof digits - at;
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

void put_json_text(Out& out, const char* text, size_t len) {
  const uint8_t* in = reinterpret_cast<const uint8_t*>(text);
  size_t done = 0, i = 0;
  while (i < len) {
    size_t bad;
    uint32_t code;
    const size_t size = utf8_sequence(in + i, len - i, bad, code);
    const bool quote = code == '"' || code == '\\';
    if (size != 0 && !quote && !needs_unicode_escape(code)) {
      i += size;
      continue;
    }
    out.put(text + done, i - done);
    if (size == 0) {
      out.put("\xef\xbf\xbd", 3);  // U+FFFD for each longest beginning of a sequence, as the Unicode standard advises
    } else if (quote) {
      out.put('\\');
      out.put(text[i]);
    } else {
      put_unicode_escape(out, code);
    }
    done = i += size != 0 ? size : bad;
  }
  out.put(text + done, len - done);
}

void put_cbor_head(Out& out, uint8_t major, uint64_t number) {
  uint8_t head[9];
  const uint8_t top = static_cast<uint8_t>(major << 5);
  if (number < 24) {
    head[0] = static_cast<uint8_t>(top | number);
    return put_hex(out, head, 1);
  }
  const unsigned log = number <= 0xff ? 0 : number <= 0xffff ? 1 : number <= 0xffffffff ? 2 : 3;
  head[0] = static_cast<uint8_t>(top | (24 + log));
  const unsigned size = 1u << log;
  for (unsigned i = 0; i < size; ++i) head[1 + i] = static_cast<uint8_t>(number >> (8 * (size - 1 - i)));
  put_hex(out, head, 1 + size);
}

void put_cbor_text(Out& out, const char* text, size_t len) {
  put_cbor_head(out, is_utf8(text, len) ? kCborText : kCborBytes, len);
  put_hex(out, text, len);
}

void need_text(Datum& data, char memory[kIntegerText]) {
  if (data.type == Type::bytes && !data.token) {
    data.len = strnlen(data.text, data.len);
    data.type = Type::text;
  } else if (data.text == nullptr) {
    data.text = memory;
    data.len = integer_text(memory, data.number);
  }
}

void write_datum(Datum data, const Value& value, Out& out) {
  const uint8_t flags = value.flags;
  Type asked = value.cast;
  char memory[kIntegerText > 16 ? kIntegerText : 16];
  if ((flags & kAlias) != 0 && (flags & kHexadecimal) != 0 && data.type == Type::integer) {
    data.text = memory;
    data.len = hexadecimal_text(memory, static_cast<uint64_t>(data.number), value.source == Source::millis ? 2 : 4);
    if ((flags & kEncode) != 0) data.type = asked = Type::text;  // no number of JSON is hexadecimal
  }
  const bool plain = (flags & kEncode) == 0, json = (flags & kJson) != 0;
  const bool bytes_in_json = json && data.type == Type::bytes && asked == Type::any;  // which has none
  if (plain || asked == Type::text || bytes_in_json) need_text(data, memory);
  if (plain) return write_plain(data, flags, out);
  if (!cast(data, asked)) data = {Type::text, false, false, "", 0, 0};
  json ? write_json(data, out) : write_cbor(data, asked, out);
}

}  // namespace loguuid::logformat
