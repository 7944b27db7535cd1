// Reads a format's text: HAProxy's custom log format (its configuration manual, 8.2.6), as doc/formats.md tells it.
//
// The text is read twice. The first time finds what is wrong with it, and whether the line as a whole is JSON or CBOR,
// which a flag of the global item %o anywhere in it decides. The second time builds.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "logformat_build.h"
#include "logformat_names.h"

namespace loguuid::logformat {

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word(char c) { return is_letter(c) || is_digit(c); }
inline bool joins_words(char c) { return c == '_' || c == '.' || c == '-'; }

// A piece of text as a message may show it.
struct Shown {
  char text[36];
  explicit Shown(Span span, size_t most = sizeof text - 4) {
    size_t n = 0;
    for (; n < span.len && n < most; ++n) text[n] = span.at[n] >= ' ' && span.at[n] <= '~' ? span.at[n] : '?';
    if (n < span.len) n += static_cast<size_t>(snprintf(text + n, 4, "..."));
    text[n] = '\0';
  }
};

struct Arguments {
  static constexpr size_t kMost = 2;
  struct {
    size_t position;
    Span text;
  } each[kMost];
  unsigned count;
  size_t used;
  char memory[kMaxArgument];
};

// What stands between a % and the end of an item.
struct Item {
  Span name;  // of %(name)
  size_t name_position;
  Value value;
  bool is_constant;
  Datum constant;
};

class Parser {
 public:
  Parser(Span text, const Fields& fields, bool merge, loguuid_format_error& error);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { free(members_.data); }

  bool check() { return read(nullptr); }
  bool build(Builder& builder) { return read(&builder); }
  loguuid_status status() const { return status_; }

 private:
  __attribute__((format(printf, 3, 4))) bool fail(size_t position, const char* message, ...);
  bool too_many(size_t position, size_t limit, const char* what);
  bool too_long(size_t position, size_t limit, const char* what);
  bool unknown(const char* what, Span name, size_t position, Kind kind);
  bool read(Builder* builder);
  bool has_room(size_t position);
  void read_literal();
  bool read_item();
  bool read_name(Item& item);
  bool read_flags(uint8_t& flags);
  bool apply_flag(uint8_t& flags, char sign, Span name, size_t position);
  bool read_alias(Item& item);
  Span alias_name() const;
  void set_global(uint8_t flags);
  bool read_expression(Item& item);
  bool read_source(Item& item);
  static void use_field(Value& value, const loguuid_field& field);
  bool read_sample(Item& item, const SampleName& sample, size_t position);
  bool read_uuid(Item& item);
  bool read_date(Item& item);
  bool read_bool(Item& item);
  bool read_arguments(Arguments& arguments, Span name, size_t position, unsigned least, unsigned most);
  bool read_argument(Arguments& arguments, size_t open);
  bool read_number(const Arguments& arguments, unsigned index, int64_t least, int64_t most, int64_t& number);
  bool read_converters(Item& item);
  bool read_converter(Item& item);
  void emit(Item& item);
  void emit_member(const Item& item);
  void emit_value(const Item& item);
  bool check_members();

  bool at_end() const { return at_ == text_.len; }
  char here() const { return at_end() ? '\0' : text_.at[at_]; }
  Span span(size_t from) const { return {text_.at + from, at_ - from}; }

  Span text_;
  const Fields& fields_;
  bool merge_;
  loguuid_format_error& error_;
  loguuid_status status_ = LOGUUID_OK;
  Builder* builder_ = nullptr;
  size_t at_ = 0;
  size_t num_items_ = 0;
  uint8_t defaults_ = 0;  // flags that %o has set
  uint8_t encoding_ = 0;  // of the whole line
  bool encoding_known_ = false;
  bool first_member_ = true;
  bool line_begins_ = true;  // nothing was printed yet
  bool after_blank_ = true;  // blanks here would be merged away
  struct Member {
    Span name;
    size_t position;
  };
  Row<Member> members_;
  Arguments arguments_;
  Arguments converter_arguments_;
  char hostname_[256];
};

}  // namespace loguuid::logformat
