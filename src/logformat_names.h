// The names a format may use, and what to say when one is wrong.
#pragma once

#include <strings.h>

#include "logformat.h"

namespace loguuid::logformat {

// A piece of the format's text.
struct Span {
  const char* at;
  size_t len;

  bool is(const char* word) const { return strlen(word) == len && memcmp(at, word, len) == 0; }
  bool is_like(const char* word) const { return strlen(word) == len && strncasecmp(at, word, len) == 0; }
};

// What ends a name in %[name].
constexpr char kBehindName[] = " ,()[]{}%\"'";

// An item written as %name.
struct Alias {
  const char* name;
  Source source;
  bool number;  // a type may change how it shows; what is text stays text, as in HAProxy
};
const Alias* find_alias(Span name);
constexpr char kGlobalItem[] = "o";

// An item written as %[name] or %[name(arguments)]. `read` is the parser's business.
enum class Sample : uint8_t {
  str,
  integer,
  boolean,
  uuid,
  ulid,
  rand,
  token,
  traceparent,
  ws_key,
  pid,
  hostname,
  date,
  lane
};
struct SampleName {
  const char* name;
  Sample sample;
  uint8_t least, most;  // arguments
};
const SampleName* find_sample(Span name);

struct ConverterName {
  const char* name;
  Conversion kind;
  uint8_t least, most;
};
const ConverterName* find_converter(Span name);

struct FlagName {
  const char* name;
  uint8_t flag;
};
const FlagName* find_flag(Span name);

struct TypeName {
  const char* name;
  Type type;
};
const TypeName* find_type(Span name);

// The host's fields by name; the first of a name counts.
class Fields {
 public:
  Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  ~Fields();

  // LOGUUID_ERR_ARG for a field with no name, one that cannot be written, no function or an unknown type;
  // LOGUUID_ERR_SPACE for a name longer than kMaxName or too many fields. Then count() is the field's index, and
  // problem() says what is wrong with it, if it is one.
  loguuid_status set(const loguuid_field* fields, size_t count);
  const loguuid_field* find(Span name) const;
  size_t longest() const { return longest_; }
  size_t count() const { return count_; }
  const char* problem() const { return problem_; }
  const char* name(size_t i) const { return fields_[i].name; }

 private:
  const loguuid_field* fields_ = nullptr;
  size_t count_ = 0;
  size_t longest_ = 0;
  uint32_t* table_ = nullptr;  // index + 1 by hash, 0: empty
  size_t mask_ = 0;
  const char* problem_ = nullptr;
};

// The known name most like `name`, or NULL if none is near. What is looked for says which names count.
enum class Kind : uint8_t { alias, sample, converter, flag, type };
const char* most_like(Span name, Kind kind, const Fields& fields);

}  // namespace loguuid::logformat
