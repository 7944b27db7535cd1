#include "logformat_names.h"

#include <cstdlib>

namespace loguuid::logformat {
namespace {

constexpr Alias kAliases[] = {
    {"pid", Source::pid, true},      {"H", Source::text, false},         {"t", Source::stamp_local_ms, false},
    {"T", Source::stamp_utc, false}, {"Tl", Source::stamp_local, false}, {"Ts", Source::seconds, true},
    {"ms", Source::millis, true},    {"rt", Source::draws, true},        {"ID", Source::id, false},
};

constexpr SampleName kSamples[] = {
    {"str", Sample::str, 1, 1},           {"int", Sample::integer, 1, 1},
    {"bool", Sample::boolean, 1, 1},      {"uuid", Sample::uuid, 0, 1},
    {"ulid", Sample::ulid, 0, 0},         {"rand", Sample::rand, 0, 1},
    {"token", Sample::token, 1, 1},       {"traceparent", Sample::traceparent, 0, 1},
    {"ws_key", Sample::ws_key, 0, 0},     {"pid", Sample::pid, 0, 0},
    {"hostname", Sample::hostname, 0, 0}, {"date", Sample::date, 0, 2},
    {"lane", Sample::lane, 0, 0},
};

constexpr ConverterName kConverters[] = {
    {"hex", Conversion::hex, 0, 0},     {"base64", Conversion::base64, 0, 0}, {"ub64enc", Conversion::base64url, 0, 0},
    {"b32", Conversion::base32, 0, 0},  {"upper", Conversion::upper, 0, 0},   {"lower", Conversion::lower, 0, 0},
    {"bytes", Conversion::bytes, 1, 2},
};

constexpr FlagName kFlags[] = {{"Q", kQuote}, {"X", kHexadecimal}, {"E", kEscape}, {"json", kJson}, {"cbor", kCbor}};

constexpr TypeName kTypes[] = {{"str", Type::text}, {"sint", Type::integer}, {"bool", Type::boolean}};

template <class Name, size_t N>
const Name* find_in(const Name (&names)[N], Span wanted) {
  for (const Name& name : names)
    if (wanted.is(name.name)) return &name;
  return nullptr;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// How many letters to insert, drop, change or swap with their neighbour (Damerau, 1964); a difference of case is half a
// letter. In half letters. Names over kMost letters are not compared.
constexpr size_t kMost = 32;
unsigned distance(Span a, Span b) {
  unsigned rows[3][kMost + 1];
  unsigned *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b.len; ++j) last[j] = static_cast<unsigned>(2 * j);
  for (size_t i = 1; i <= a.len; ++i) {
    row[0] = static_cast<unsigned>(2 * i);
    for (size_t j = 1; j <= b.len; ++j) {
      const char x = a.at[i - 1], y = b.at[j - 1];
      unsigned best = last[j - 1] + (x == y ? 0 : lower(x) == lower(y) ? 1 : 2);
      if (last[j] + 2 < best) best = last[j] + 2;
      if (row[j - 1] + 2 < best) best = row[j - 1] + 2;
      if (i > 1 && j > 1 && x == b.at[j - 2] && a.at[i - 2] == y && before[j - 2] + 2 < best) best = before[j - 2] + 2;
      row[j] = best;
    }
    unsigned* spare = before;
    before = last;
    last = row;
    row = spare;
  }
  return last[b.len];
}

bool differs_in_case(Span a, Span b) {
  if (a.len != b.len) return false;
  for (size_t i = 0; i < a.len; ++i)
    if (lower(a.at[i]) != lower(b.at[i])) return false;
  return true;
}

// Keeps the nearest name: at most a third of the letters may differ, but one always may.
struct Nearest {
  Span wanted;
  const char* name = nullptr;
  unsigned best;

  explicit Nearest(Span name_wanted) : wanted(name_wanted) {
    best = static_cast<unsigned>(2 * (wanted.len < 6 ? 1 : wanted.len / 3)) + 1;
  }
  void consider(const char* candidate) {
    const size_t len = strlen(candidate);
    if (wanted.len > kMost || len > kMost) return;
    const unsigned here = differs_in_case(wanted, {candidate, len}) ? 1 : distance(wanted, {candidate, len});
    if (here >= best || here >= 2 * len) return;  // nothing in common
    best = here;
    name = candidate;
  }
  template <class Name, size_t N>
  void consider_all(const Name (&names)[N]) {
    for (const Name& each : names) consider(each.name);
  }
};

uint64_t hash_of(Span name) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < name.len; ++i) hash = (hash ^ static_cast<uint8_t>(name.at[i])) * 0x100000001b3;
  return hash ^ hash >> 32;
}

}  // namespace

const Alias* find_alias(Span name) { return find_in(kAliases, name); }
const SampleName* find_sample(Span name) { return find_in(kSamples, name); }
const ConverterName* find_converter(Span name) { return find_in(kConverters, name); }
const FlagName* find_flag(Span name) { return find_in(kFlags, name); }
const TypeName* find_type(Span name) { return find_in(kTypes, name); }

Fields::~Fields() { free(table_); }

// name or name(argument)
static bool can_be_written(const char* name) {
  const size_t len = strcspn(name, kBehindName);
  if (len == 0) return false;
  if (name[len] == '\0') return true;
  return name[len] == '(' && strchr(name, ')') == name + strlen(name) - 1;
}

static const char* problem_of(const loguuid_field& field) {
  if (field.name == nullptr || *field.name == '\0') return "no name";
  if (!can_be_written(field.name))
    return "a name that no format can hold: use letters, digits, _ . - or name(argument)";
  if (field.write == nullptr) return "no function";
  if (static_cast<unsigned>(field.type) > LOGUUID_BOOL) return "an unknown type";
  return nullptr;
}

loguuid_status Fields::set(const loguuid_field* fields, size_t count) {
  if (count > kMaxFields) return LOGUUID_ERR_SPACE;
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  table_ = static_cast<uint32_t*>(calloc(size, sizeof *table_));
  if (table_ == nullptr) return LOGUUID_ERR_NOMEM;
  mask_ = size - 1;
  fields_ = fields;
  for (size_t i = 0; i < count; ++i) {
    problem_ = problem_of(fields[i]);
    if (problem_ != nullptr) return LOGUUID_ERR_ARG;
    const Span name = {fields[i].name, strnlen(fields[i].name, kMaxName + 1)};
    if (name.len > kMaxName) {
      static_assert(kMaxName == 255);
      problem_ = "a name longer than 255 bytes";
      return LOGUUID_ERR_SPACE;
    }
    if (name.len > longest_) longest_ = name.len;
    size_t at = static_cast<size_t>(hash_of(name)) & mask_;
    while (table_[at] != 0 && !name.is(fields[table_[at] - 1].name)) at = (at + 1) & mask_;
    if (table_[at] == 0) table_[at] = static_cast<uint32_t>(i + 1);
    count_ = i + 1;
  }
  return LOGUUID_OK;
}

const loguuid_field* Fields::find(Span name) const {
  if (name.len == 0 || name.len > longest_) return nullptr;
  for (size_t at = static_cast<size_t>(hash_of(name)) & mask_; table_[at] != 0; at = (at + 1) & mask_) {
    const loguuid_field& field = fields_[table_[at] - 1];
    if (name.is(field.name)) return &field;
  }
  return nullptr;
}

const char* most_like(Span name, Kind kind, const Fields& fields) {
  Nearest nearest(name);
  switch (kind) {
    case Kind::alias:
    case Kind::sample:
      kind == Kind::alias ? nearest.consider_all(kAliases) : nearest.consider_all(kSamples);
      for (size_t i = 0; i < fields.count(); ++i) nearest.consider(fields.name(i));
      break;
    case Kind::converter:
      nearest.consider_all(kConverters);
      break;
    case Kind::flag:
      nearest.consider_all(kFlags);
      break;
    case Kind::type:
      nearest.consider_all(kTypes);
      break;
  }
  return nearest.name;
}

}  // namespace loguuid::logformat
