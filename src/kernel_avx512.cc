// x86 with AVX-512, VBMI and VAES: four blocks in a register, and text of any shape in three permutations.
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#include <array>
#include <bit>

#include "base.h"
#include "kernel.h"
#include "kernel_target.h"
#include "platform.h"

// GCC 12 warns of the undefined registers that its own intrinsics start from.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

LOGUUID_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,vaes,aes")
#include "kernel_x86.h"

namespace loguuid {
namespace {

// ---- text ----
// A recipe makes 64 characters from a register of values. Eight neighbouring characters show at most five different bytes:
// the first permutation brings those into the character's quadword, a multishift turns each digit's nibble to the
// bottom of its byte, and a permutation of a 64-byte table looks it up. That one minds six bits of its index, so the two
// bits that the multishift drags along do no harm when the table holds the 16 digits four times. Characters that are
// not digits stay what `fixed` says.
struct alignas(64) Recipe {
  uint8_t gather[64];
  uint8_t shift[64];
  char fixed[64];
  uint64_t digits;
  uint64_t separators;
};

constexpr int kOutside = -1;

// `position(i)` says which character of a run (37 a UUID, its separator the last) is character i of the register.
template <class Position>
constexpr Recipe make_recipe(Position position, bool v4) {
  Recipe r{};
  for (size_t quad = 0; quad < 8; ++quad) {
    size_t used = 0;
    for (size_t i = 8 * quad; i < 8 * quad + 8; ++i) {
      const int at = position(static_cast<int>(i));
      if (at == kOutside) continue;
      const int c = at % 37;
      if (c == 8 || c == 13 || c == 18 || c == 23) {
        r.fixed[i] = '-';
      } else if (v4 && c == 14) {
        r.fixed[i] = '4';
      } else if (c == 36) {
        r.separators |= uint64_t{1} << i;
      } else {
        const int digit = c - (c > 8) - (c > 13) - (c > 18) - (c > 23);
        const uint8_t source = static_cast<uint8_t>(at / 37 * 16 + digit / 2);
        size_t slot = 0;
        while (slot < used && r.gather[8 * quad + slot] != source) ++slot;
        if (slot == used) r.gather[8 * quad + used++] = source;
        r.shift[i] = static_cast<uint8_t>(8 * slot + (digit % 2 == 0 ? 4 : 0));
        r.digits |= uint64_t{1} << i;
      }
    }
  }
  return r;
}

struct Writer {
  __m512i gather, shift, fixed;
  __mmask64 digits;
};

inline __m512i load512(const void* p) { return _mm512_loadu_si512(p); }

inline Writer writer_of(const Recipe& r) { return {load512(r.gather), load512(r.shift), load512(r.fixed), r.digits}; }

inline Writer writer_of(const Recipe& r, char separator) {
  Writer w = writer_of(r);
  w.fixed = _mm512_mask_set1_epi8(w.fixed, r.separators, separator);
  return w;
}

inline __m512i digit_table() { return _mm512_broadcast_i32x4(hex_digits()); }

inline __m512i write(const Writer& w, __m512i values, __m512i table) {
  const __m512i spread = _mm512_permutexvar_epi8(w.gather, values);
  return _mm512_mask_permutexvar_epi8(w.fixed, w.digits, _mm512_multishift_epi64_epi8(w.shift, spread), table);
}

// Four UUIDs of a run: characters 0 to 63, 64 to 127, and from 128 on the 20 that are left.
constexpr Recipe kRun[3] = {
    make_recipe([](int i) { return i; }, true),
    make_recipe([](int i) { return 64 + i; }, true),
    make_recipe([](int i) { return i < 20 ? 128 + i : kOutside; }, true),
};

// One UUID, 36 characters, as two halves of a register: characters 0 to 31 and 4 to 35.
constexpr int halves(int i) { return i < 32 ? i : i - 28; }
constexpr Recipe kOneV4 = make_recipe(halves, true);
constexpr Recipe kOne = make_recipe(halves, false);

inline void store_halves(char* out, __m512i v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(v));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 4), _mm512_extracti64x4_epi64(v, 1));
}

void text(char* out, size_t stride, const uint8_t* values, size_t count) {
  const Writer w = writer_of(kOne);
  const __m512i table = digit_table();
  for (size_t i = 0; i < count; ++i)
    store_halves(out + stride * i, write(w, _mm512_castsi128_si512(load128(values + 16 * i)), table));
}

// ---- blocks ----

struct Keys {
  __m512i k[11];
};

inline Keys keys_of(const Stream& stream) {
  Keys keys;
  keys.k[0] = _mm512_broadcast_i32x4(first_key(stream));
#pragma GCC unroll 10
  for (size_t round = 1; round < 11; ++round) keys.k[round] = _mm512_broadcast_i32x4(round_key(stream, round));
  return keys;
}

template <size_t kRegisters>
struct Registers {
  __m512i v[kRegisters];
};

template <size_t kRegisters>
inline void encrypt(const Keys& keys, const uint64_t* inputs, __m512i (&x)[kRegisters]) {
#pragma GCC unroll 8
  for (size_t i = 0; i < kRegisters; ++i) x[i] = _mm512_xor_si512(load512(inputs + 8 * i), keys.k[0]);
#pragma GCC unroll 9
  for (size_t round = 1; round < 10; ++round) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kRegisters; ++i) x[i] = _mm512_aesenc_epi128(x[i], keys.k[round]);
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < kRegisters; ++i) x[i] = _mm512_aesenclast_epi128(x[i], keys.k[10]);
}

#ifndef QUADS
#define QUADS 5
#endif
constexpr size_t kQuads = QUADS;
constexpr size_t kBatch = 4 * kQuads;

void blocks(Stream& stream, uint8_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) store128(out + 16 * i, next_block(stream));
}

struct RunWriter {
  Writer w[3];
  __m512i table;
};

inline __m512i variant(__m512i x) {
  const __m512i keep = _mm512_broadcast_i32x4(_mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 0x3f, -1, -1, -1, -1, -1, -1, -1));
  const __m512i set = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, -128, 0, 0, 0, 0, 0, 0, 0));
  return _mm512_ternarylogic_epi64(x, keep, set, 0xea);
}

inline void write_quad(const RunWriter& rw, char* out, __m512i x) {
  x = variant(x);
  _mm512_storeu_si512(out, write(rw.w[0], x, rw.table));
  _mm512_storeu_si512(out + 64, write(rw.w[1], x, rw.table));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 128), _mm512_castsi512_si256(write(rw.w[2], x, rw.table)));
}

inline __mmask64 low_mask(size_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

inline void write_last(const RunWriter& rw, char* out, __m512i x, size_t n) {
  x = variant(x);
  const size_t len = 37 * n - 1;
  _mm512_mask_storeu_epi8(out, low_mask(len), write(rw.w[0], x, rw.table));
  if (len <= 64) return;
  _mm512_mask_storeu_epi8(out + 64, low_mask(len - 64), write(rw.w[1], x, rw.table));
  if (len <= 128) return;
  _mm512_mask_storeu_epi8(out + 128, low_mask(len - 128), write(rw.w[2], x, rw.table));
}

void v4_run(Stream& stream, char* out, char separator, size_t count) {
  const Keys keys = keys_of(stream);
  const RunWriter rw = {{writer_of(kRun[0], separator), writer_of(kRun[1], separator), writer_of(kRun[2], separator)}, digit_table()};
  alignas(64) uint64_t buffers[2][2 * kBatch];
  uint64_t* now = buffers[0];
  uint64_t* next = buffers[1];
  Sequence q = sequence_of(stream);
  if (count > kBatch) {
    put_inputs(now, q, kBatch);
    for (; count > 2 * kBatch; count -= kBatch) {
#pragma GCC unroll 32
      for (size_t i = 0; i < kBatch; ++i) put_inputs(next + 2 * i, q, 1);
      __m512i x[kQuads];
      encrypt(keys, now, x);
#pragma GCC unroll 8
      for (size_t i = 0; i < kQuads; ++i) write_quad(rw, out + 148 * i, x[i]);
      out += 37 * kBatch;
      uint64_t* const t = now;
      now = next;
      next = t;
    }
    count -= kBatch;
    put_inputs(next, q, count);
    __m512i x[kQuads];
    encrypt(keys, now, x);
#pragma GCC unroll 8
    for (size_t i = 0; i < kQuads; ++i) write_quad(rw, out + 148 * i, x[i]);
    out += 37 * kBatch;
    now = next;
  } else {
    put_inputs(now, q, count);
  }
  for (; count > 4; count -= 4) {
    __m512i x[1];
    encrypt(keys, now, x);
    write_quad(rw, out, x[0]);
    now += 8;
    out += 148;
  }
  __m512i x[1];
  encrypt(keys, now, x);
  write_last(rw, out, x[0], count);
  sequence_save(stream, q);
}

void v4_one(Stream& stream, char out[kUuidText]) {
  store_halves(out, write(writer_of(kOneV4), _mm512_castsi128_si512(with_v4_bits(next_block(stream))), digit_table()));
}

}  // namespace

const Kernel kernel_avx512 = {"avx512", kCpuSsse3 | kCpuAes | kCpuAvx2 | kCpuAvx512 | kCpuVbmi | kCpuVaes, expand_key, blocks,
                              text, v4_run, block, v4_one, hex, parse};

}  // namespace loguuid
LOGUUID_TARGET_END
#endif
