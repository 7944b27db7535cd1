// AES-128 (FIPS 197) without tables: the bits of many bytes stand side by side in a register, so that one circuit of
// logical operations substitutes all of them. Nothing depends on a secret but the data in the registers.
//
// Two shapes, of 128-bit vectors with one 32-bit element for each column of the AES state:
//   wide    32 planes, one for each bit of each row; bit j of an element belongs to block j of 32. ShiftRows turns the
//           elements of a plane, MixColumns is plain XOR.
//   narrow  8 planes, one for each bit; byte r of an element is row r, bit j of a byte belongs to block j of 8. A group
//           costs less than half of a wide one. ShiftRows is never done (as in Adomnicai and Peyrin, "Fixslicing
//           AES-like ciphers", 2021): the rows stay where they are, and MixColumns and the keys look for them there.
// Vectors of the compiler: SSE2, NEON, AltiVec or vector facility where the target has them, words elsewhere.
#include "aes_bitsliced.h"

#include "base.h"

// Vectors never leave this file, so it does not matter how a machine without vector registers would pass them.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace loguuid {
namespace {

constexpr int kRounds = 10;
constexpr size_t kWide = 32;
constexpr size_t kNarrow = 8;

typedef uint32_t Columns __attribute__((vector_size(16)));
typedef int32_t SignedColumns __attribute__((vector_size(16)));

LOGUUID_INLINE uint32_t load_word(const uint8_t* p) {
  uint32_t x;
  memcpy(&x, p, sizeof x);
  return std::endian::native == std::endian::big ? __builtin_bswap32(x) : x;
}

LOGUUID_INLINE void store_word(uint8_t* p, uint32_t x) {
  if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap32(x);
  memcpy(p, &x, sizeof x);
}

// A block: its columns in order, row r of each in bits 8r to 8r + 7.
LOGUUID_INLINE Columns load_block(const uint8_t* p) {
  Columns v;
  if constexpr (std::endian::native == std::endian::little)
    memcpy(&v, p, sizeof v);
  else
    v = Columns{load_word(p), load_word(p + 4), load_word(p + 8), load_word(p + 12)};
  return v;
}

LOGUUID_INLINE void store_block(uint8_t* p, Columns v) {
  if constexpr (std::endian::native == std::endian::little)
    memcpy(p, &v, sizeof v);
  else
    for (int i = 0; i < 4; ++i) store_word(p + 4 * i, v[i]);
}

// Element c of the result is element c + N (modulo 4).
template <int N>
LOGUUID_INLINE Columns turn(Columns v) {
  if constexpr (N % 4 == 0) return v;
  return __builtin_shufflevector(v, v, N % 4, (N + 1) % 4, (N + 2) % 4, (N + 3) % 4);
}

// The S-box as the 113 gates of Boyar and Peralta ("A small depth-16 circuit for the AES S-box", 2012, and their table
// of 2009), with their names: u, y and t as the linear layer before and the inversion, z and s as the linear layer
// after. q[0] holds the lowest bits. The four NOTs are left out: the result is the S-box XOR 0x63, and the keys make up
// for that.
template <class T>
LOGUUID_INLINE void substitute(T* q) {
  const T u0 = q[7], u1 = q[6], u2 = q[5], u3 = q[4], u4 = q[3], u5 = q[2], u6 = q[1], u7 = q[0];

  const T y14 = u3 ^ u5, y13 = u0 ^ u6, y9 = u0 ^ u3, y8 = u0 ^ u5;
  const T t0 = u1 ^ u2;
  const T y1 = t0 ^ u7, y4 = y1 ^ u3, y12 = y13 ^ y14, y2 = y1 ^ u0, y5 = y1 ^ u6, y3 = y5 ^ y8;
  const T t1 = u4 ^ y12;
  const T y15 = t1 ^ u5, y20 = t1 ^ u1, y6 = y15 ^ u7, y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = u7 ^ y11;
  const T y17 = y10 ^ y11, y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = u0 ^ y16;

  const T t2 = y12 & y15, t3 = y3 & y6, t4 = t3 ^ t2, t5 = y4 & u7, t6 = t5 ^ t2;
  const T t7 = y13 & y16, t8 = y5 & y1, t9 = t8 ^ t7, t10 = y2 & y7, t11 = t10 ^ t7;
  const T t12 = y9 & y11, t13 = y14 & y17, t14 = t13 ^ t12, t15 = y8 & y10, t16 = t15 ^ t12;
  const T t17 = t4 ^ t14, t18 = t6 ^ t16, t19 = t9 ^ t14, t20 = t11 ^ t16;
  const T t21 = t17 ^ y20, t22 = t18 ^ y19, t23 = t19 ^ y21, t24 = t20 ^ y18;

  const T t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t28 = t25 & t27, t29 = t28 ^ t22;
  const T t30 = t23 ^ t24, t31 = t22 ^ t26, t32 = t31 & t30, t33 = t32 ^ t24, t34 = t23 ^ t33;
  const T t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36, t39 = t29 & t38, t40 = t25 ^ t39;
  const T t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

  const T z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & u7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7;
  const T z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
  const T z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

  const T t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12, t51 = z2 ^ z5;
  const T t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17, t56 = z12 ^ t48, t57 = t50 ^ t53;
  const T t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57, t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
  const T t64 = z4 ^ t59, t65 = t61 ^ t62, t66 = z1 ^ t63, t67 = t64 ^ t65;
  const T s3 = t53 ^ t66;

  q[7] = t59 ^ t63;
  q[6] = t64 ^ s3;
  q[5] = t55 ^ t67;
  q[4] = s3;
  q[3] = t51 ^ t66;
  q[2] = t47 ^ t65;
  q[1] = t56 ^ t62;
  q[0] = t48 ^ t60;
}

constexpr uint32_t kLeftOut = 0x63636363;

// One level of a transposition of bit matrices: the upper `Step` bits of each group of 2 * Step in v[i] change places
// with the lower ones in v[i + Step].
template <int Step, uint32_t Mask, int Count>
LOGUUID_INLINE void exchange(Columns* v) {
  LOGUUID_UNROLL
  for (int i = 0; i < Count; ++i) {
    if (i & Step) continue;
    const Columns t = ((v[i] >> Step) ^ v[i + Step]) & Mask;
    v[i + Step] ^= t;
    v[i] ^= t << Step;
  }
}

template <int Count>
LOGUUID_INLINE void transpose(Columns* v) {
  if constexpr (Count == 32) {
    exchange<16, 0x0000ffff, Count>(v);
    exchange<8, 0x00ff00ff, Count>(v);
  }
  exchange<4, 0x0f0f0f0f, Count>(v);
  exchange<2, 0x33333333, Count>(v);
  exchange<1, 0x55555555, Count>(v);
}

// ---- wide ----

struct WideKeys {
  Columns planes[kRounds + 1][32];
};

void wide_keys(WideKeys& keys, const uint8_t* round_keys) {
  for (int round = 0; round <= kRounds; ++round) {
    Columns k = load_block(round_keys + 16 * round);
    if (round > 0) k ^= kLeftOut;
    for (int bit = 31; bit >= 0; --bit, k += k) keys.planes[round][bit] = (Columns)((SignedColumns)k >> 31);
  }
}

template <int Row>
LOGUUID_INLINE void wide_row(Columns* out, const Columns* p) {
  Columns q[8];
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) q[b] = p[8 * Row + b];
  substitute(q);
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) out[8 * Row + b] = turn<Row>(q[b]);
}

LOGUUID_INLINE void wide_substitute_and_shift(Columns* p) {
  wide_row<0>(p, p);
  wide_row<1>(p, p);
  wide_row<2>(p, p);
  wide_row<3>(p, p);
}

// With t[r] = a[r] ^ a[r + 1], row r of MixColumns is 2 t[r] ^ a[r + 1] ^ t[r + 2]; doubling moves the planes up by one
// and adds the highest to planes 0, 1, 3 and 4.
LOGUUID_INLINE void wide_mix_and_add(Columns* p, const Columns* key) {
  Columns top[4], below[4] = {};
  LOGUUID_UNROLL
  for (int r = 0; r < 4; ++r) top[r] = p[8 * r + 7] ^ p[8 * ((r + 1) % 4) + 7];
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) {
    const Columns a[4] = {p[b], p[8 + b], p[16 + b], p[24 + b]};
    const Columns t[4] = {a[0] ^ a[1], a[1] ^ a[2], a[2] ^ a[3], a[3] ^ a[0]};
    LOGUUID_UNROLL
    for (int r = 0; r < 4; ++r) {
      Columns x = below[r] ^ a[(r + 1) % 4] ^ t[(r + 2) % 4] ^ key[8 * r + b];
      if (b == 0 || b == 1 || b == 3 || b == 4) x ^= top[r];
      p[8 * r + b] = x;
      below[r] = t[r];
    }
  }
}

void wide_encrypt(const WideKeys& keys, uint8_t* blocks, size_t count) {
  Columns p[32] = {};
  for (size_t i = 0; i < count; ++i) p[i] = load_block(blocks + 16 * i);
  transpose<32>(p);
  LOGUUID_UNROLL
  for (int i = 0; i < 32; ++i) p[i] ^= keys.planes[0][i];
  for (int round = 1; round < kRounds; ++round) {
    wide_substitute_and_shift(p);
    wide_mix_and_add(p, keys.planes[round]);
  }
  wide_substitute_and_shift(p);
  LOGUUID_UNROLL
  for (int i = 0; i < 32; ++i) p[i] ^= keys.planes[kRounds][i];
  transpose<32>(p);
  for (size_t i = 0; i < count; ++i) store_block(blocks + 16 * i, p[i]);
}

// ---- narrow ----

// After `Shifts` rounds row r stands Shifts * r columns to the right of its place. Both directions:
template <int Shifts>
LOGUUID_INLINE Columns displace(Columns v) {
  if constexpr (Shifts % 4 == 0) return v;
  if constexpr (Shifts % 4 == 2) return (v & 0x00ff00ff) | (turn<2>(v) & 0xff00ff00);
  return (v & 0x000000ff) | (turn<4 - Shifts % 4>(v) & 0x0000ff00) | (turn<2>(v) & 0x00ff0000) |
         (turn<Shifts % 4>(v) & 0xff000000);
}

// The key in the places of its rows, one plane for each bit. A lone block is in the lowest bit of each byte; what the
// others hold does not matter.
template <int Shifts, bool Lone>
LOGUUID_INLINE void narrow_add(Columns* q, Columns key) {
  key = displace<Shifts>(key);
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) {
    if constexpr (Lone) {
      q[b] ^= key >> b;
    } else {
      const Columns ones = (key >> b) & 0x01010101;
      q[b] ^= (ones << 8) - ones;
    }
  }
}

// The next row of the same column of the state: down by one byte, and by the columns that it lags behind.
template <int Shifts, int Rows>
LOGUUID_INLINE Columns below_by(Columns v) {
  v = turn<Shifts * Rows>(v);
  return (v >> (8 * Rows)) | (v << (32 - 8 * Rows));
}

template <int Shifts>
LOGUUID_INLINE void narrow_mix(Columns* q) {
  Columns next[8], t[8];
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) {
    next[b] = below_by<Shifts, 1>(q[b]);
    t[b] = q[b] ^ next[b];
  }
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) {
    Columns x = next[b] ^ below_by<Shifts, 2>(t[b]);
    if (b > 0) x ^= t[b - 1];
    if (b == 0 || b == 1 || b == 3 || b == 4) x ^= t[7];
    q[b] = x;
  }
}

template <int Shifts, bool Lone>
LOGUUID_INLINE void narrow_mix_and_add(Columns* q, Columns key) {
  narrow_mix<Shifts>(q);
  narrow_add<Shifts, Lone>(q, key);
}

template <bool Lone>
LOGUUID_INLINE void narrow_rounds(Columns* q, const uint8_t* round_keys) {
  narrow_add<0, Lone>(q, load_block(round_keys));
  for (int round = 1; round < kRounds; ++round) {
    substitute(q);
    const Columns key = load_block(round_keys + 16 * round) ^ kLeftOut;
    switch (round % 4) {
      case 0:
        narrow_mix_and_add<0, Lone>(q, key);
        break;
      case 1:
        narrow_mix_and_add<1, Lone>(q, key);
        break;
      case 2:
        narrow_mix_and_add<2, Lone>(q, key);
        break;
      default:
        narrow_mix_and_add<3, Lone>(q, key);
        break;
    }
  }
  substitute(q);
  narrow_add<kRounds, Lone>(q, load_block(round_keys + 16 * kRounds) ^ kLeftOut);
}

void narrow_encrypt(const uint8_t* round_keys, uint8_t* blocks, size_t count) {
  Columns q[8] = {};
  for (size_t i = 0; i < count; ++i) q[i] = load_block(blocks + 16 * i);
  transpose<8>(q);
  narrow_rounds<false>(q, round_keys);
  transpose<8>(q);
  static_assert(kRounds % 4 == 2, "two and two more make none");
  for (size_t i = 0; i < count; ++i) store_block(blocks + 16 * i, displace<kRounds>(q[i]));
}

// The S-box on the four bytes of a word.
uint32_t substitute_word(uint32_t word) {
  uint32_t q[8];
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) q[b] = word >> b;
  substitute(q);
  word = kLeftOut;
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) word ^= (q[b] & 0x01010101) << b;
  return word;
}

}  // namespace

void aes_expand_key(uint8_t round_keys[176], const uint8_t key[16]) {
  uint32_t w[4] = {load_word(key), load_word(key + 4), load_word(key + 8), load_word(key + 12)};
  memcpy(round_keys, key, 16);
  uint32_t constant = 1;
  for (int round = 1; round <= kRounds; ++round) {
    w[0] ^= substitute_word(std::rotr(w[3], 8)) ^ constant;
    for (int i = 1; i < 4; ++i) w[i] ^= w[i - 1];
    for (int i = 0; i < 4; ++i) store_word(round_keys + 16 * round + 4 * i, w[i]);
    constant = constant == 0x80 ? 0x1b : constant << 1;
  }
}

void aes_encrypt(const uint8_t round_keys[176], uint8_t* blocks, size_t count) {
  // More than two narrow groups cost more than a wide one.
  if (count > 2 * kNarrow) {
    WideKeys keys;
    wide_keys(keys, round_keys);
    while (count > 2 * kNarrow) {
      const size_t group = count < kWide ? count : kWide;
      wide_encrypt(keys, blocks, group);
      blocks += 16 * group;
      count -= group;
    }
    wipe(&keys, sizeof keys);
  }
  while (count > 0) {
    const size_t group = count < kNarrow ? count : kNarrow;
    narrow_encrypt(round_keys, blocks, group);
    blocks += 16 * group;
    count -= group;
  }
}

void aes_encrypt_one(const uint8_t round_keys[176], uint8_t block[16]) {
  const Columns v = load_block(block);
  Columns q[8], out = {};
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) q[b] = v >> b;
  narrow_rounds<true>(q, round_keys);
  LOGUUID_UNROLL
  for (int b = 0; b < 8; ++b) out |= (q[b] & 0x01010101) << b;
  store_block(block, displace<kRounds>(out));
}

}  // namespace loguuid
