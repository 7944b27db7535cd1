// Bytes to hexadecimal, base64 (RFC 4648) and Crockford's base32. Digits are computed, not looked up: the bytes may be
// secrets, and a table's cache lines would show them.
#include "base.h"
#include "kernel.h"
#include "token.h"

namespace loguuid {
namespace {

// All-ones when a <= x, else zero; both under 2^31.
constexpr uint32_t at_least(uint32_t x, uint32_t a) { return static_cast<uint32_t>(static_cast<int32_t>(a - 1 - x) >> 31); }

// A-Z a-z 0-9 and two more; each term corrects the offset from where its range begins.
char base64_digit(uint32_t six, char char62, char char63) {
  uint32_t c = 'A' + six;
  c += at_least(six, 26) & ('a' - 'A' - 26);
  c += at_least(six, 52) & static_cast<uint32_t>('0' - 'a' - 26);
  c += at_least(six, 62) & static_cast<uint32_t>(char62 - '0' - 10);
  c += at_least(six, 63) & static_cast<uint32_t>(char63 - char62 - 1);
  return static_cast<char>(c);
}

// 0-9 A-Z without I L O U.
char base32_digit(uint32_t five) {
  uint32_t c = '0' + five;
  c += at_least(five, 10) & ('A' - '0' - 10);
  c += at_least(five, 18) & 1;  // I
  c += at_least(five, 20) & 1;  // L
  c += at_least(five, 22) & 1;  // O
  c += at_least(five, 27) & 1;  // U
  return static_cast<char>(c);
}

size_t base64(char* out, const uint8_t* in, size_t len, char char62, char char63, bool pad) {
  char* const first = out;
  for (; len >= 3; in += 3, len -= 3) {
    const uint32_t bits = uint32_t{in[0]} << 16 | uint32_t{in[1]} << 8 | in[2];
    for (int shift = 18; shift >= 0; shift -= 6) *out++ = base64_digit(bits >> shift & 63, char62, char63);
  }
  if (len != 0) {
    const uint32_t bits = uint32_t{in[0]} << 16 | (len == 2 ? uint32_t{in[1]} << 8 : 0);
    *out++ = base64_digit(bits >> 18, char62, char63);
    *out++ = base64_digit(bits >> 12 & 63, char62, char63);
    if (len == 2) *out++ = base64_digit(bits >> 6 & 63, char62, char63);
    if (pad)
      for (size_t i = len; i < 3; ++i) *out++ = '=';
  }
  return static_cast<size_t>(out - first);
}

// Five bits a character from the first bit on, the last one filled with zeros.
size_t base32(char* out, const uint8_t* in, size_t len) {
  char* const first = out;
  uint32_t bits = 0;
  int have = 0;
  for (; len != 0; ++in, --len) {
    bits = (bits << 8 | *in) & 0xfff;
    for (have += 8; have >= 5; have -= 5) *out++ = base32_digit(bits >> (have - 5) & 31);
  }
  if (have != 0) *out++ = base32_digit(bits << (5 - have) & 31);
  return static_cast<size_t>(out - first);
}

}  // namespace

size_t encoded_len(size_t len, loguuid_encoding encoding) {
  switch (encoding) {
    case LOGUUID_HEX: return 2 * len;
    case LOGUUID_BASE64: return (len / 3 + (len % 3 != 0)) * 4;
    case LOGUUID_BASE64URL: return len / 3 * 4 + (len % 3 != 0 ? len % 3 + 1 : 0);
    case LOGUUID_BASE32: return len / 5 * 8 + (len % 5 * 8 + 4) / 5;
  }
  return 0;
}

size_t encode(char* out, const uint8_t* in, size_t len, loguuid_encoding encoding) {
  switch (encoding) {
    case LOGUUID_HEX: kernel().hex(out, in, len); return 2 * len;
    case LOGUUID_BASE64: return base64(out, in, len, '+', '/', true);
    case LOGUUID_BASE64URL: return base64(out, in, len, '-', '_', false);
    case LOGUUID_BASE32: return base32(out, in, len);
  }
  return 0;
}

// 128 bits in 26 characters: the first one carries three bits, as the ULID specification says.
void ulid_text(char out[kUlidText], const uint8_t value[16]) {
  uint64_t hi = load_be64(value), lo = load_be64(value + 8);
  for (size_t i = kUlidText; i-- > 0;) {
    out[i] = base32_digit(lo & 31);
    lo = lo >> 5 | hi << 59;
    hi >>= 5;
  }
}

}  // namespace loguuid
