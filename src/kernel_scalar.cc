// The kernel that every machine runs, and the meaning of the others. No instruction beyond the base of the
// architecture, no table, no branch or address that depends on what is drawn.
#include "aes_bitsliced.h"
#include "base.h"
#include "kernel.h"
#include "xoshiro.h"

namespace loguuid {
namespace {

constexpr uint64_t kEach = 0x0101010101010101;  // one in each byte

void states(Stream& stream, uint8_t* out, size_t count) {
  Words256 s = {stream.s[0], stream.s[1], stream.s[2], stream.s[3]};
  for (; count > 0; --count, out += 16) {
    store_le64(out, s[0] ^ stream.mix);
    store_le64(out + 8, s[1]);
    xoshiro::step(s);
  }
  memcpy(stream.s, s.data(), sizeof stream.s);
}

void blocks(Stream& stream, uint8_t* out, size_t count) {
  states(stream, out, count);
#ifndef LOGUUID_MUTANT_HIDE
  aes_encrypt(stream.round_keys, out, count);
#endif
}

void block(Stream& stream, uint8_t* out) {
  states(stream, out, 1);
#ifndef LOGUUID_MUTANT_HIDE
  aes_encrypt_one(stream.round_keys, out);
#endif
}

// Four bytes, the first in the lowest bits, to eight digits in the same order.
inline uint64_t digits_of(uint32_t bytes) {
  uint64_t x = bytes;
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  x = (x << 8 | x >> 4) & (15 * kEach);  // the upper half of a byte is written first
  const uint64_t letters = ((x + 6 * kEach) >> 4) & kEach;
  return x + '0' * kEach + letters * ('a' - '0' - 10);
}

inline void store32(char* p, uint64_t x) {
  if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap32(static_cast<uint32_t>(x));
  const uint32_t low = static_cast<uint32_t>(x);
  memcpy(p, &low, sizeof low);
}

inline void write_uuid(char* out, uint64_t lo, uint64_t hi) {
  const uint64_t second = digits_of(static_cast<uint32_t>(lo >> 32));
  const uint64_t third = digits_of(static_cast<uint32_t>(hi));
  store_le64(out, digits_of(static_cast<uint32_t>(lo)));
  out[8] = '-';
  store32(out + 9, second);
  out[13] = '-';
  store32(out + 14, second >> 32);
  out[18] = '-';
  store32(out + 19, third);
  out[23] = '-';
  store32(out + 24, third >> 32);
  store_le64(out + 28, digits_of(static_cast<uint32_t>(hi >> 32)));
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  for (; count > 0; --count, out += stride, values += 16) write_uuid(out, load_le64(values), load_le64(values + 8));
}

// The bits of set_v4_bits(), in the two halves.
inline void write_v4(char* out, const uint8_t* value) {
  const uint64_t lo = (load_le64(value) & ~(uint64_t{0xf0} << 48)) | uint64_t{0x40} << 48;
  const uint64_t hi = (load_le64(value + 8) & ~uint64_t{0xc0}) | 0x80;
  write_uuid(out, lo, hi);
}

// The blocks are made at the end of the space for the text, and each is read before its text is written. Text i ends
// before block i + 1 begins, 37 * (i + 1) <= 21 * count - 1 + 16 * (i + 1), for all but the last.
void v4_run(Stream& stream, char* out, char separator, size_t count) {
  uint8_t* values = reinterpret_cast<uint8_t*>(out) + 21 * count - 1;
  blocks(stream, values, count);
  for (; count > 1; --count, out += 37, values += 16) {
    write_v4(out, values);
    out[36] = separator;
  }
  write_v4(out, values);
}

void v4_one(Stream& stream, char* out) {
  uint8_t value[16];
  block(stream, value);
  write_v4(out, value);
}

size_t v4_take(Ahead& ahead, uint64_t number, const uint8_t* block, char* out) {
  write_v4(out, block);
  out[kUuidText] = '\0';
  return end_v4_take(ahead, number, out);
}

void hex(char* out, const uint8_t* in, size_t len) {
  for (; len >= 4; len -= 4, in += 4, out += 8) {
    uint32_t bytes;
    memcpy(&bytes, in, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap32(bytes);
    store_le64(out, digits_of(bytes));
  }
  for (; len > 0; --len, ++in, out += 2) {
    const uint64_t pair = digits_of(*in);
    out[0] = static_cast<char>(pair & 0xff);
    out[1] = static_cast<char>(pair >> 8 & 0xff);
  }
}

// Eight digits in either case to four bytes, the first in the lowest bits. Bytes that are no digits set bits in `bad`.
// The upper bit of each byte is kept free for the carries of the comparisons.
inline uint64_t value_of(uint64_t x, uint64_t& bad) {
  constexpr uint64_t kTop = 0x80 * kEach;
  bad |= x & kTop;
  x &= ~kTop;
  const auto at_least = [](uint64_t v, uint64_t limit) { return (v + (0x80 - limit) * kEach) & kTop; };
  const uint64_t lower = x | 0x20 * kEach;
  const uint64_t digit = at_least(x, '0') & ~at_least(x, '9' + 1);
  const uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'f' + 1);
  bad |= ~(digit | letter) & kTop;
  const uint64_t nibbles = (x & (15 * kEach)) + (letter >> 7) * 9;
  uint64_t bytes = (nibbles << 4 | nibbles >> 8) & 0x00ff00ff00ff00ff;
  bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffff;
  return (bytes | bytes >> 16) & 0xffffffff;
}

inline uint64_t load32(const char* p) {
  uint32_t x;
  memcpy(&x, p, sizeof x);
  return std::endian::native == std::endian::big ? __builtin_bswap32(x) : x;
}

bool parse(uint8_t* out, const char* in) {
  uint64_t bad = static_cast<uint64_t>((in[8] ^ '-') | (in[13] ^ '-') | (in[18] ^ '-') | (in[23] ^ '-'));
  uint64_t lo = value_of(load_le64(in), bad);
  lo |= value_of(load32(in + 9) | load32(in + 14) << 32, bad) << 32;
  uint64_t hi = value_of(load32(in + 19) | load32(in + 24) << 32, bad);
  hi |= value_of(load_le64(in + 28), bad) << 32;
  if (bad != 0) return false;
  store_le64(out, lo);
  store_le64(out + 8, hi);
  return true;
}

}  // namespace

const Kernel kernel_scalar = {"scalar", 0, aes_expand_key, blocks, text, v4_run, block, v4_one, hex, parse, v4_take};

}  // namespace loguuid
