// Bytes to hexadecimal, base64 (RFC 4648) and Crockford's base32. Digits are computed, not looked up: the bytes may be
// secrets, and a table's cache lines would show them.
#include "base.h"
#include "kernel.h"
#include "token.h"

namespace loguuid {
namespace {

// Eight digits are worked on at once, a byte of a word each; the first digit is the lowest byte.
constexpr uint64_t kOnes = 0x0101010101010101;

// One in each byte where the digit is at least `a`, else zero; digits and `a` are under 128.
constexpr uint64_t at_least(uint64_t digits, uint64_t a) { return (digits + kOnes * (0x80 - a)) >> 7 & kOnes; }

// The 8 * kBits lowest bits of `x`, highest first, as eight bytes of kBits each.
template <int kBits>
constexpr uint64_t spread(uint64_t x) {
  constexpr uint64_t kHalf = (uint64_t{1} << 4 * kBits) - 1;
  constexpr uint64_t kQuarter = ((uint64_t{1} << 2 * kBits) - 1) * 0x0000000100000001;
  constexpr uint64_t kDigit = ((uint64_t{1} << kBits) - 1) * 0x0001000100010001;
  x = (x >> 4 * kBits & kHalf) | (x & kHalf) << 32;
  x = (x >> 2 * kBits & kQuarter) | (x & kQuarter) << 16;
  return (x >> kBits & kDigit) | (x & kDigit) << 8;
}

// A-Z a-z 0-9 + / or - _: each range begins somewhere else, and corrects where the one before it has led.
template <bool kUrl>
struct Base64 {
  static constexpr size_t kBytes = 6;
  static uint64_t text(uint64_t bits) {
    constexpr uint64_t k62 = kUrl ? '9' + 1 - '-' : '9' + 1 - '+', k63 = kUrl ? '_' - '-' - 1 : '/' - '+' - 1;
    const uint64_t digits = spread<6>(bits);
    uint64_t c = digits + kOnes * 'A';
    c += at_least(digits, 26) * ('a' - 'Z' - 1);
    c -= at_least(digits, 52) * ('z' + 1 - '0');
    c -= at_least(digits, 62) * k62;
    return c + at_least(digits, 63) * k63;
  }
};

// 0-9 A-Z without I L O U.
struct Base32 {
  static constexpr size_t kBytes = 5;
  static uint64_t text(uint64_t bits) {
    const uint64_t digits = spread<5>(bits);
    return digits + kOnes * '0' + at_least(digits, 10) * ('A' - '9' - 1) + at_least(digits, 18) + at_least(digits, 20) +
           at_least(digits, 22) + at_least(digits, 27);
  }
};

// The first `len` bytes of `in`, eight at most, from the highest byte of a word on. Where eight can be read they are:
// bytes stored one by one would have to be waited for.
uint64_t front_of(const uint8_t* in, size_t len) {
  if (len >= 8) return load_be64(in);
  uint64_t word = 0;
  for (size_t i = 0; i < len; ++i) word |= uint64_t{in[i]} << (56 - 8 * i);
  return word;
}

// `len` characters of `in`, which holds the bits that they need; the last one is filled up with zeros.
template <class Alphabet>
void write_digits(char* out, size_t len, const uint8_t* in, size_t in_len) {
  constexpr size_t kBytes = Alphabet::kBytes;
  for (; len >= 8; out += 8, len -= 8, in += kBytes, in_len -= kBytes)
    store_le64(out, Alphabet::text(front_of(in, in_len) >> (64 - 8 * kBytes)));
  char text[8];
  store_le64(text, Alphabet::text(front_of(in, in_len) >> (64 - 8 * kBytes)));
  memcpy(out, text, len);
}

}  // namespace

size_t encoded_len(size_t len, loguuid_encoding encoding) {
  switch (encoding) {
    case LOGUUID_HEX:
      return 2 * len;
    case LOGUUID_BASE64:
      return (len / 3 + (len % 3 != 0)) * 4;
    case LOGUUID_BASE64URL:
      return len / 3 * 4 + (len % 3 != 0 ? len % 3 + 1 : 0);
    case LOGUUID_BASE32:
      return len / 5 * 8 + (len % 5 * 8 + 4) / 5;
  }
  return 0;
}

size_t encode(char* out, const uint8_t* in, size_t len, loguuid_encoding encoding) {
  const size_t digits64 = encoded_len(len, LOGUUID_BASE64URL);
  switch (encoding) {
    case LOGUUID_HEX:
      kernel().hex(out, in, len);
      return 2 * len;
    case LOGUUID_BASE64URL:
      write_digits<Base64<true>>(out, digits64, in, len);
      break;
    case LOGUUID_BASE32:
      write_digits<Base32>(out, encoded_len(len, encoding), in, len);
      break;
    case LOGUUID_BASE64:
      write_digits<Base64<false>>(out, digits64, in, len);
      for (size_t i = digits64; i % 4 != 0; ++i) out[i] = '=';
      break;
  }
  return encoded_len(len, encoding);
}

// 128 bits in 26 characters: the first one carries three bits, as the ULID specification says.
void ulid_text(char out[kUlidText], const uint8_t value[16]) {
  const uint64_t hi = load_be64(value), lo = load_be64(value + 8);
  char text[8];
  store_le64(text, Base32::text(hi >> 56));  // the first two digits: bits 127 to 120
  memcpy(out, text + 6, 2);
  store_le64(out + 2, Base32::text(hi >> 16));
  store_le64(out + 10, Base32::text(hi << 24 | lo >> 40));
  store_le64(out + 18, Base32::text(lo));
}

}  // namespace loguuid
