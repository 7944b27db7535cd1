// A compiled log format: what the compiler (logformat_build.cc) leaves for the renderer (logformat.cc).
//
// The text becomes one block of memory that never changes: a row of operations and what they refer to. An operation is
// a piece of literal text, a stretch of UUIDs, or one value. Quotes, braces, names and brackets around values
// are literal text by then, so a JSON line of UUIDs is literals and stretches only.
//
// Draws are made up front. A line's draws form a program of its own, cut into chunks of kScratch bytes: steps that fill
// the scratch in order of appearance. Rendering runs a chunk in one claim of the lane and then only makes text, so that
// a host's field function, which may draw itself, never finds the lane claimed. A line whose only draws are one run of
// UUIDs with one character between them needs no scratch: the fused kernel writes into the caller's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "civil_time.h"
#include "loguuid.h"

namespace loguuid::logformat {

constexpr size_t kMaxText = size_t{16} << 20;     // bytes of a format's text
constexpr size_t kMaxPool = size_t{64} << 20;     // bytes of its literal text once compiled
constexpr size_t kMaxItems = 1000000;             // items, text between them not counted
constexpr size_t kMaxFields = 1000000;            // fields of the host
constexpr size_t kMaxName = 255;                  // bytes of a name
constexpr size_t kMaxConverters = 16;             // of one expression
constexpr size_t kMaxArgument = 8192;             // bytes of an argument
constexpr size_t kMaxToken = 1024;                // bytes of a token
constexpr size_t kMaxFieldValue = 8192;           // bytes of a field's value; the rest is cut off
constexpr size_t kMaxValue = 2 * kMaxFieldValue;  // bytes of a value between converters; the rest is cut off
constexpr size_t kScratch = 1024;                 // bytes of drawn values at a time

enum class Source : uint8_t {
  text,     // a constant
  integer,  // a constant
  boolean,  // a constant
  field,    // the host's
  uuid4,    // 16 bytes of scratch, as for uuid7 and ulid
  uuid7,
  ulid,
  id,           // 16 bytes in hexadecimal
  number,       // 8 bytes, a number
  token,        // `number` bytes
  traceparent,  // its text
  ws_key,       // 16 bytes in base64
  position,     // a Position, thread.process.draws
  draws,        // a Position, only its draws
  pid,
  date,     // Unix time in a Unit, plus `number`
  seconds,  // Unix time, as %Ts
  millis,   // three digits, as %ms
  stamp_local_ms,
  stamp_utc,
  stamp_local,
};

enum class Unit : uint8_t { seconds, millis, micros };

enum class Type : uint8_t { any, text, integer, boolean, bytes };

// Flags of an item.
constexpr uint8_t kQuote = 1;
constexpr uint8_t kHexadecimal = 2;
constexpr uint8_t kEscape = 4;
constexpr uint8_t kJson = 8;
constexpr uint8_t kCbor = 16;
constexpr uint8_t kEncode = kJson | kCbor;
constexpr uint8_t kAlias = 32;  // written as %name: numbers and dates are not quoted, numbers can be hexadecimal

enum class Conversion : uint8_t { hex, base64, base64url, base32, upper, lower, bytes };

struct Converter {
  Conversion kind;
  uint32_t offset, len;  // of bytes()
};

struct Value {
  Source source;
  uint8_t flags;
  Type cast;        // any: as it comes
  Type field_type;  // what the host calls it
  Unit unit;
  uint8_t num_converters;
  uint32_t first_converter;
  uint32_t at, len;  // a constant text in the pool; `at` alone: in the scratch
  int64_t number;
  size_t (*write)(void* context, char* out, size_t cap);
};

struct Op {
  enum Kind : uint8_t {
    literal,  // `len` bytes at `at` of the pool
    run,      // `count` UUIDs with `separator` between them, the only draws of the line
    uuids,  // `count` UUIDs of any version from `scratch`, a UUID each `stride` bytes; between them the text at `at` of
            // the pool
    value,  // values[at]
    chunk,  // runs chunks[at]
  } kind;
  char separator;
  uint32_t at, len;
  uint32_t count, stride, scratch;
};

struct Step {
  enum Kind : uint8_t { blocks, v4, v7, word, below, ulid, traceparent, position } kind;
  uint32_t at;      // in the scratch
  uint64_t number;  // of values; the bound; the flags
};

constexpr size_t kUlidFailed = 16;  // behind a ULID's 16 bytes: 1 when its random bits would overflow

struct Chunk {
  uint32_t first, end;  // steps
};

struct Position {
  uint64_t thread, process, draws;
};

}  // namespace loguuid::logformat

// The block's head; the rows follow it.
struct loguuid_format {
  loguuid_format* next_retired;  // for the live formats
  uint32_t num_ops;
  bool needs_clock;
  bool is_uuid;  // the line is one version-4 UUID and nothing else
  const loguuid::logformat::Op* ops;
  const loguuid::logformat::Value* values;
  const loguuid::logformat::Converter* converters;
  const loguuid::logformat::Step* steps;
  const loguuid::logformat::Chunk* chunks;
  uint32_t num_chunks;
  const char* pool;
  const loguuid::Zone* zone;  // NULL: no local date in the line
};

namespace loguuid::logformat {

// ---- values: logformat_value.cc ----

// What a value needs to become text: the clock of the line, its scratch, the host's context.
struct Line {
  Line(const loguuid_format& of, void* with) : format(of), context(with), now_ns(0) {}

  const loguuid_format& format;
  void* context;
  uint64_t now_ns;
  alignas(8) uint8_t scratch[kScratch];  // not cleared: clearing would cost as much as a short line
};

// The caller's buffer. `end` leaves room for the NUL; what does not fit is only counted.
struct Out {
  char* at;
  char* end;
  size_t len;

  size_t room() const { return static_cast<size_t>(end - at); }
  void put(const char* text, size_t size) {
    len += size;
    const size_t fits = size < room() ? size : room();
    if (fits != 0) memcpy(at, text, fits);
    at += fits;
  }
  void put(char c) {
    ++len;
    if (at != end) *at++ = c;
  }
};

// A value before it is written. A number keeps the text that it came as, if any.
struct Datum {
  Type type;
  bool token;  // bytes are a token's, which show in hexadecimal; else a number's
  bool bare;   // a date: not quoted when written as %name
  const char* text;
  size_t len;
  int64_t number;
};

void write_value(Line& line, const Value& value, Out& out);

// Converts in place: `data.text` is `memory`.
void convert(Datum& data, const Converter& converter, char memory[kMaxValue]);

// ---- encodings: logformat_encode.cc ----

void write_datum(Datum data, const Value& value, Out& out);
constexpr size_t kIntegerText = 20;  // digits of 64 bits and a sign
// Gives a number or boolean that came without a text its digits, and makes a number's bytes text as far as the first
// NUL, as HAProxy does. A token's bytes stay.
void need_text(Datum& data, char memory[kIntegerText]);
size_t integer_text(char out[kIntegerText], int64_t number);
bool is_utf8(const char* text, size_t len);
void put_json_text(Out& out, const char* text, size_t len);  // without the quotes
void put_cbor_head(Out& out, uint8_t major, uint64_t number);
void put_cbor_text(Out& out, const char* text, size_t len);  // a byte string if it is no UTF-8

}  // namespace loguuid::logformat
