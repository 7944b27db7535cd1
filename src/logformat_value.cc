// Where values come from, and the converters between a source and its text.
#include "base.h"
#include "kernel.h"
#include "logformat.h"
#include "platform.h"
#include "process.h"
#include "token.h"

namespace loguuid::logformat {
namespace {

constexpr uint64_t kNsPerSecond = 1000000000;

// Asking for the process id is a system call, so a thread remembers it for as long as the fork word stays the same.
// Written in an order that a signal handler may interrupt.
struct RememberedPid {
  uint64_t word;
  uint64_t pid;
};
thread_local RememberedPid remembered_pid;

uint64_t own_pid() {
  volatile RememberedPid& last = remembered_pid;
  uint64_t word = load_fork_word();
  if (word != 0 && last.word == word) {
    const uint64_t pid = last.pid;
    if (last.word == word) return pid;
  }
  if (word == 0) {  // not booted, a fresh child, or a system where a fork can't be seen
    draw([](Lane&) {});
    word = load_fork_word();
  }
  const uint64_t pid = process_id();
  last.word = 0;
  last.pid = pid;
  last.word = word;
  return pid;
}

int64_t seconds_of(const Line& line) { return static_cast<int64_t>(line.now_ns / kNsPerSecond); }
int64_t millis_of(const Line& line) { return static_cast<int64_t>(line.now_ns / 1000000 % 1000); }

int64_t date_of(const Line& line, const Value& value) {
  uint64_t per_unit = kNsPerSecond;
  if (value.unit == Unit::millis) per_unit = 1000000;
  if (value.unit == Unit::micros) per_unit = 1000;
  int64_t sum;
  const int64_t now = static_cast<int64_t>(line.now_ns / per_unit);
  return __builtin_add_overflow(now, value.number, &sum) ? INT64_MAX : sum;  // `now` is not negative
}

// The longest is a Position: three numbers of 20 digits and two dots.
constexpr size_t kMemory = 64;

Datum text_datum(const char* text, size_t len) { return {Type::text, false, false, text, len, 0}; }
Datum number_datum(int64_t number) { return {Type::integer, false, false, nullptr, 0, number}; }

Datum stamp(const Line& line, Source source, char memory[kMemory]) {
  const int64_t seconds = seconds_of(line);
  const int64_t offset = source == Source::stamp_utc ? 0 : zone_offset(*line.format.zone, seconds);
  char* end = date_text(memory, civil_from_seconds(seconds + offset));
  if (source == Source::stamp_local_ms) {
    const int64_t ms = millis_of(line);
    *end++ = '.';
    for (int64_t unit = 100; unit != 0; unit /= 10) *end++ = static_cast<char>('0' + ms / unit % 10);
  } else {
    end = offset_text(end, offset);
  }
  Datum data = text_datum(memory, static_cast<size_t>(end - memory));
  data.bare = true;
  return data;
}

size_t unsigned_text(char* out, uint64_t n) {
  if (n <= INT64_MAX) return integer_text(out, static_cast<int64_t>(n));
  const size_t len = integer_text(out, static_cast<int64_t>(n / 10));
  out[len] = static_cast<char>('0' + n % 10);
  return len + 1;
}

Datum position_text(const uint8_t* drawn, char memory[kMemory]) {
  Position at;
  memcpy(&at, drawn, sizeof at);
  size_t len = unsigned_text(memory, at.thread);
  memory[len++] = '.';
  len += unsigned_text(memory + len, at.process);
  memory[len++] = '.';
  len += unsigned_text(memory + len, at.draws);
  return text_datum(memory, len);
}

Datum millis_datum(const Line& line, char memory[kMemory]) {
  Datum data = number_datum(millis_of(line));
  memory[0] = static_cast<char>('0' + data.number / 100);
  memory[1] = static_cast<char>('0' + data.number / 10 % 10);
  memory[2] = static_cast<char>('0' + data.number % 10);
  data.text = memory;
  data.len = 3;
  return data;
}

// Everything but fields. Short texts are made in `memory`.
Datum built_in(const Line& line, const Value& value, char memory[kMemory]) {
  // Only where the value was drawn: of others `at` is a place in the pool.
  const auto drawn = [&] { return line.scratch + value.at; };
  switch (value.source) {
    case Source::text:
      return text_datum(line.format.pool + value.at, value.len);
    case Source::integer:
      return number_datum(value.number);
    case Source::boolean:
      return {Type::boolean, false, false, nullptr, 0, value.number};
    case Source::uuid4:
    case Source::uuid7:
      kernel().text(memory, kUuidText, drawn(), 1);
      return text_datum(memory, kUuidText);
    case Source::ulid:
      if (drawn()[kUlidFailed] != 0) break;
      ulid_text(memory, drawn());
      return text_datum(memory, kUlidText);
    case Source::id:
      kernel().hex(memory, drawn(), 16);
      return text_datum(memory, 32);
    case Source::number:
      return number_datum(static_cast<int64_t>(load_le64(drawn())));
    case Source::token:
      return {Type::bytes, true, false, reinterpret_cast<const char*>(drawn()), static_cast<size_t>(value.number), 0};
    case Source::traceparent:
      return text_datum(reinterpret_cast<const char*>(drawn()), kTraceparentText);
    case Source::ws_key:
      return text_datum(memory, encode(memory, drawn(), 16, LOGUUID_BASE64));
    case Source::position:
      return position_text(drawn(), memory);
    case Source::draws: {
      Position at;
      memcpy(&at, drawn(), sizeof at);
      return number_datum(static_cast<int64_t>(at.draws));
    }
    case Source::pid:
      return number_datum(static_cast<int64_t>(own_pid()));
    case Source::date:
      return number_datum(date_of(line, value));
    case Source::seconds:
      return number_datum(seconds_of(line));
    case Source::millis:
      return millis_datum(line, memory);
    case Source::stamp_local_ms:
    case Source::stamp_utc:
    case Source::stamp_local:
      return stamp(line, value.source, memory);
    case Source::field:
      break;
  }
  return text_datum("", 0);
}

// ---- fields ----

// A whole decimal number of 64 bits, with nothing else around it.
bool whole_integer(const char* text, size_t len, int64_t& number) {
  size_t i = len != 0 && text[0] == '-';
  const bool negative = i != 0;
  if (i == len) return false;
  number = 0;
  for (; i < len; ++i) {
    const int64_t digit = text[i] - '0';
    if (digit < 0 || digit > 9) return false;
    if (__builtin_mul_overflow(number, int64_t{10}, &number)) return false;
    if (negative ? __builtin_sub_overflow(number, digit, &number) : __builtin_add_overflow(number, digit, &number))
      return false;
  }
  return true;
}

bool is(const Datum& data, const char* word) {
  return data.len == strlen(word) && memcmp(data.text, word, data.len) == 0;
}

// What the host's text is, if it is what the host said; anything else stays a text, so that nothing is lost.
void read_type(Datum& data, Type said) {
  int64_t number;
  if (said == Type::boolean && (is(data, "true") || is(data, "false"))) {
    data.type = Type::boolean;
    data.number = data.len == 4;
  } else if (said != Type::text && whole_integer(data.text, data.len, number)) {
    data.type = said;
    data.number = said == Type::boolean ? number != 0 : number;
  }
}

// A function that claims more than it was given room for has filled that room, or else its value is unknown: a mark at
// the end of the room tells. It is made of an address, so that nobody outside can write a value that looks like it.
Datum field_datum(const Line& line, const Value& value, char* memory) {
  constexpr size_t kCap = kMaxFieldValue + 1;  // snprintf's way: the last byte is the NUL
  const uint64_t mark = 0x9d3f5c71e2a8b64b * (reinterpret_cast<uintptr_t>(memory) | 1);
  char* const last = memory + kCap - sizeof mark;
  store_le64(last, mark);
  size_t len = value.write(line.context, memory, kCap);
  if (len > kMaxFieldValue) len = load_le64(last) == mark ? 0 : kMaxFieldValue;
  Datum data = text_datum(memory, len);
  read_type(data, value.field_type);
  return data;
}

// ---- converters ----

void change_case(char* text, size_t len, char first, char last) {
  for (size_t i = 0; i < len; ++i)
    if (text[i] >= first && text[i] <= last) text[i] = static_cast<char>(text[i] ^ 0x20);
}

void to_text(Datum& data, char* memory) {
  if (data.type == Type::bytes && data.token) {
    convert(data, {Conversion::hex, 0, 0}, memory);
    change_case(memory, data.len, 'A', 'Z');
  } else {
    need_text(data, memory);
  }
  data.type = Type::text;
}

void to_bytes(Datum& data, char* memory) {
  if (data.type != Type::integer && data.type != Type::boolean) return;
  store_be64(memory, static_cast<uint64_t>(data.number));
  data = {Type::bytes, false, false, memory, 8, 0};
}

// From the last group to the first, so that a text that grows never overwrites what is still to be read. A group is
// whole characters in every encoding: a multiple of 3 and of 5.
void encode_in_place(Datum& data, char* memory, loguuid_encoding encoding) {
  constexpr size_t kGroup = 240;
  uint8_t group[kGroup];
  while (encoded_len(data.len, encoding) > kMaxValue) --data.len;
  const size_t len = data.len, total = encoded_len(len, encoding);
  size_t end = len;
  while (end != 0) {
    const size_t begin = (end - 1) / kGroup * kGroup;
    memcpy(group, memory + begin, end - begin);
    encode(memory + encoded_len(begin, encoding), group, end - begin, encoding);
    end = begin;
  }
  data.len = total;
}

}  // namespace

void convert(Datum& data, const Converter& converter, char* memory) {
  switch (converter.kind) {
    case Conversion::upper:
    case Conversion::lower:
      to_text(data, memory);
      converter.kind == Conversion::upper ? change_case(memory, data.len, 'a', 'z')
                                          : change_case(memory, data.len, 'A', 'Z');
      return;
    case Conversion::bytes: {
      to_bytes(data, memory);
      const size_t offset = converter.offset < data.len ? converter.offset : data.len;
      const size_t rest = data.len - offset;
      data.len = converter.len < rest ? converter.len : rest;
      memmove(memory, memory + offset, data.len);
      return;
    }
    default:
      break;
  }
  to_bytes(data, memory);
  switch (converter.kind) {
    case Conversion::hex:
      encode_in_place(data, memory, LOGUUID_HEX);
      break;
    case Conversion::base64:
      encode_in_place(data, memory, LOGUUID_BASE64);
      break;
    case Conversion::base64url:
      encode_in_place(data, memory, LOGUUID_BASE64URL);
      break;
    default:
      encode_in_place(data, memory, LOGUUID_BASE32);
      break;
  }
  if (converter.kind == Conversion::hex) change_case(memory, data.len, 'a', 'z');
  data = {Type::text, false, false, memory, data.len, 0};
}

namespace {

// Apart, because of its frame.
LOGUUID_NOINLINE void write_long_value(Line& line, const Value& value, Out& out) {
  char memory[kMaxValue];
  Datum data;
  if (value.source == Source::field) {
    data = field_datum(line, value, memory);
  } else {
    char small[kMemory];
    data = built_in(line, value, small);
    if (data.text != nullptr) memcpy(memory, data.text, data.len);
    if (data.text != nullptr) data.text = memory;
  }
  const Converter* converters = line.format.converters + value.first_converter;
  for (unsigned i = 0; i < value.num_converters; ++i) convert(data, converters[i], memory);
  write_datum(data, value, out);
}

}  // namespace

void write_value(Line& line, const Value& value, Out& out) {
  if (value.source == Source::field || value.num_converters != 0) return write_long_value(line, value, out);
  char memory[kMemory];
  write_datum(built_in(line, value, memory), value, out);
}

}  // namespace loguuid::logformat
