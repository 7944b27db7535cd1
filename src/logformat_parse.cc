// Reads a format's text: HAProxy's custom log format (its configuration manual, 8.2.6), as doc/formats.md tells it.
//
// The text is read twice. The first time finds what is wrong with it, and whether the line as a whole is JSON or CBOR,
// which a flag of the global item %o anywhere in it decides. The second time builds.
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "logformat_build.h"
#include "logformat_names.h"

namespace loguuid::logformat {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool joins_words(char c) { return c == '_' || c == '.' || c == '-'; }

// A piece of text as a message may show it.
struct Shown {
  char text[36];
  explicit Shown(Span span) {
    size_t n = 0;
    for (; n < span.len && n < sizeof text - 4; ++n)
      text[n] = span.at[n] >= ' ' && span.at[n] <= '~' ? span.at[n] : '?';
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
  Parser(Span text, const Fields& fields, bool merge, loguuid_format_error& error)
      : text_(text), fields_(fields), merge_(merge), error_(error) {
    char* end = hostname_ + sizeof hostname_ - 1;
    *end = '\0';
    if (gethostname(hostname_, sizeof hostname_ - 1) != 0) hostname_[0] = '\0';
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { free(members_.data); }

  bool check() { return read(nullptr); }
  bool build(Builder& builder) { return read(&builder); }
  loguuid_status status() const { return status_; }

 private:
  __attribute__((format(printf, 3, 4))) bool fail(size_t position, const char* message, ...);
  bool unknown(const char* what, Span name, size_t position, Kind kind);
  bool read(Builder* builder);
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
  bool read_sample(Item& item, const SampleName& sample, size_t position);
  bool read_uuid(Item& item);
  bool read_date(Item& item);
  bool read_bool(Item& item);
  bool read_arguments(Arguments& arguments, Span name, size_t position, unsigned least, unsigned most);
  bool read_argument(Arguments& arguments, size_t open);
  bool read_number(const Arguments& arguments, unsigned i, int64_t least, int64_t most, int64_t& number);
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

// ---- errors ----

bool Parser::fail(size_t position, const char* message, ...) {
  if (status_ == LOGUUID_OK) status_ = LOGUUID_ERR_SYNTAX;
  error_.position = position;
  va_list values;
  va_start(values, message);
  vsnprintf(error_.message, sizeof error_.message, message, values);
  va_end(values);
  return false;
}

bool Parser::unknown(const char* what, Span name, size_t position, Kind kind) {
  const Shown shown(name);
  const char *open = "", *close = "", *like = nullptr;
  if (kind == Kind::alias && find_sample(name) != nullptr) {
    open = "%[", close = "]", like = find_sample(name)->name;
  } else if (kind == Kind::sample && find_alias(name) != nullptr) {
    open = "%", like = find_alias(name)->name;
  } else {
    like = most_like(name, kind, fields_);
  }
  if (like != nullptr)
    return fail(position, "unknown %s \"%s\" at position %zu: did you mean \"%s%.32s%s\"?", what, shown.text, position,
                open, like, close);
  const char* expected = kind == Kind::flag        ? "Q, X, E, json or cbor"
                         : kind == Kind::type      ? "str, sint or bool"
                         : kind == Kind::converter ? "hex, base64, ub64enc, b32, upper, lower or bytes"
                                                   : "a built-in item or a field of the host";
  return fail(position, "unknown %s \"%s\" at position %zu: expected %s", what, shown.text, position, expected);
}

// ---- the text as a whole ----

bool Parser::read(Builder* builder) {
  builder_ = builder;
  at_ = num_items_ = 0;
  defaults_ = 0;
  line_begins_ = after_blank_ = true;
  while (!at_end()) {
    if (here() != '%')
      read_literal();
    else if (!read_item())
      return false;
  }
  if (builder != nullptr && encoding_ != 0) {
    const bool json = encoding_ == kJson;
    if (first_member_) builder->literal(json ? "{" : "BF");
    builder->literal(json ? "}" : "FF");
  }
  return check_members();
}

// Text up to the next item, with runs of blanks merged if that was asked for.
void Parser::read_literal() {
  const auto* next = static_cast<const char*>(memchr(text_.at + at_, '%', text_.len - at_));
  const size_t end = next != nullptr ? static_cast<size_t>(next - text_.at) : text_.len;
  const bool print = builder_ != nullptr && encoding_ == 0;
  size_t done = at_;
  for (; merge_ && at_ < end; ++at_) {
    const bool blank = text_.at[at_] == ' ';
    if (blank && after_blank_) {
      if (print) builder_->literal(text_.at + done, at_ - done);
      done = at_ + 1;
    }
    after_blank_ = blank;
  }
  at_ = end;
  if (print) builder_->literal(text_.at + done, end - done);
  line_begins_ = false;
}

bool Parser::read_item() {
  const size_t start = at_++;
  if (here() == '%') {
    if (builder_ != nullptr && encoding_ == 0) builder_->literal("%");
    ++at_;
    line_begins_ = after_blank_ = false;
    return true;
  }
  if (++num_items_ > kMaxItems) {
    status_ = LOGUUID_ERR_SPACE;
    return fail(start, "more than %zu items at position %zu", kMaxItems, start);
  }
  Item item = {};
  item.value.flags = defaults_;
  if (here() == '(' && !read_name(item)) return false;
  if (here() == '{' && !read_flags(item.value.flags)) return false;
  if (here() == '[') return read_expression(item);
  if (is_letter(here()) || here() == '_') return read_alias(item);
  if (at_ == start + 1)
    return fail(start, "expected an item after the \"%%\" at position %zu; for a percent sign write \"%%%%\"", start);
  return fail(at_, "expected the name of an item or \"[\" at position %zu", at_);
}

// ---- %(name:type){flags} ----

bool Parser::read_name(Item& item) {
  const size_t open = at_++;
  item.name_position = at_;
  while (!at_end() && here() != ')' && here() != ':') ++at_;
  item.name = span(item.name_position);
  if (at_end()) return fail(open, "missing \")\" for the \"(\" at position %zu", open);
  if (item.name.len == 0) return fail(at_, "expected a name at position %zu", at_);
  if (item.name.len > kMaxName)
    return fail(item.name_position, "the name at position %zu is longer than %zu bytes", item.name_position, kMaxName);
  if (here() == ':') {
    const size_t start = ++at_;
    while (!at_end() && here() != ')') ++at_;
    if (at_end()) return fail(open, "missing \")\" for the \"(\" at position %zu", open);
    const TypeName* type = find_type(span(start));
    if (type == nullptr) return unknown("type", span(start), start, Kind::type);
    item.value.cast = type->type;
  }
  ++at_;
  return true;
}

bool Parser::read_flags(uint8_t& flags) {
  const size_t open = at_++;
  for (;;) {
    while (here() == ' ') ++at_;
    const char sign = here();
    if (at_end()) return fail(open, "missing \"}\" for the \"{\" at position %zu", open);
    if (sign != '+' && sign != '-')
      return fail(at_, "expected \"+\" or \"-\" and a flag at position %zu, as in {+Q}", at_);
    const size_t start = ++at_;
    while (!at_end() && here() != ',' && here() != '}' && here() != ' ') ++at_;
    if (!apply_flag(flags, sign, span(start), start)) return false;
    while (here() == ' ') ++at_;
    if (here() == '}') break;
    if (at_end()) return fail(open, "missing \"}\" for the \"{\" at position %zu", open);
    if (here() != ',') return fail(at_, "expected \",\" or \"}\" at position %zu", at_);
    ++at_;
  }
  ++at_;
  return true;
}

// An encoding that is set stays until it is taken away, as in HAProxy.
bool Parser::apply_flag(uint8_t& flags, char sign, Span name, size_t position) {
  const FlagName* known = find_flag(name);
  if (known == nullptr) return unknown("flag", name, position, Kind::flag);
  const uint8_t flag = known->flag;
  if (sign == '-')
    flags = static_cast<uint8_t>(flags & ~flag);
  else if ((flag & kEncode) == 0 || (flags & kEncode) == 0)
    flags = static_cast<uint8_t>(flags | flag);
  return true;
}

// ---- %name ----

// Letters and digits; also `_`, `.` and `-`, as far as a field of the host is called so.
Span Parser::alias_name() const {
  const char* start = text_.at + at_;
  const size_t rest = text_.len - at_, most = rest < fields_.longest() ? rest : fields_.longest();
  size_t len = 0;
  while (len < most && (is_word(start[len]) || joins_words(start[len]))) ++len;
  for (; len != 0; --len) {
    const bool whole_word = len == rest || !is_word(start[len]) || joins_words(start[len - 1]);
    if (whole_word && fields_.find({start, len}) != nullptr) return {start, len};
  }
  while (len < rest && is_word(start[len])) ++len;
  if (len == 0)  // for the message
    while (len < rest && (is_word(start[len]) || start[len] == '_')) ++len;
  return {start, len};
}

bool Parser::read_alias(Item& item) {
  const size_t start = at_;
  const Span name = alias_name();
  at_ += name.len;
  Value& value = item.value;
  if (name.is(kGlobalItem)) {
    set_global(value.flags);
    return true;
  }
  value.flags |= kAlias;
  if (const loguuid_field* field = fields_.find(name)) {
    value.source = Source::field;
    value.write = field->write;
    value.field_type = field->type == LOGUUID_INT    ? Type::integer
                       : field->type == LOGUUID_BOOL ? Type::boolean
                                                     : Type::text;
  } else if (const Alias* alias = find_alias(name)) {
    value.source = alias->source;
    item.is_constant = alias->source == Source::text;  // the host's name
    item.constant = {Type::text, false, false, hostname_, strlen(hostname_), 0};
  } else {
    return unknown("item", name, start, Kind::alias);
  }
  emit(item);
  return true;
}

// The line is encoded as a whole if every %o leaves the encoding set that one of them began with.
void Parser::set_global(uint8_t flags) {
  defaults_ = flags;
  if (builder_ == nullptr) {
    const uint8_t encoding = flags & kEncode;
    if (!encoding_known_) {
      encoding_ = encoding;
      encoding_known_ = encoding != 0;
    } else {
      encoding_ &= encoding;
    }
  }
  while (line_begins_ && here() == ' ') ++at_;
}

// ---- %[source,converter,...] ----

bool Parser::read_expression(Item& item) {
  const size_t open = at_++;
  if (builder_ != nullptr) item.value.first_converter = builder_->num_converters();
  if (!read_source(item) || !read_converters(item)) return false;
  if (at_end()) return fail(at_, "missing \"]\" at position %zu for the \"[\" at position %zu", at_, open);
  if (here() != ']')
    return fail(at_, "expected \",\" or \"]\" at position %zu, found \"%s\"", at_, Shown({text_.at + at_, 1}).text);
  ++at_;
  emit(item);
  return true;
}

bool Parser::read_source(Item& item) {
  const size_t start = at_;
  while (!at_end() && strchr(" ,()[]{}%\"'", here()) == nullptr) ++at_;
  const Span name = span(start);
  if (name.len == 0) return fail(at_, "expected the name of a field or an item at position %zu", at_);
  const loguuid_field* field = nullptr;
  if (here() == '(') {  // a field may be called name(argument), as HAProxy's samples are
    const size_t rest = text_.len - at_;
    const auto* close = static_cast<const char*>(memchr(text_.at + at_, ')', rest < kMaxName ? rest : kMaxName));
    if (close != nullptr) field = fields_.find({name.at, static_cast<size_t>(close + 1 - name.at)});
    if (field != nullptr) at_ = static_cast<size_t>(close + 1 - text_.at);
  } else {
    field = fields_.find(name);
  }
  if (field == nullptr) {
    const SampleName* sample = find_sample(name);
    return sample != nullptr ? read_sample(item, *sample, start) : unknown("item", name, start, Kind::sample);
  }
  item.value.source = Source::field;
  item.value.write = field->write;
  item.value.field_type = field->type == LOGUUID_INT    ? Type::integer
                          : field->type == LOGUUID_BOOL ? Type::boolean
                                                        : Type::text;
  return true;
}

bool Parser::read_sample(Item& item, const SampleName& sample, size_t position) {
  Arguments& given = arguments_;
  if (!read_arguments(given, {sample.name, strlen(sample.name)}, position, sample.least, sample.most)) return false;
  Value& value = item.value;
  int64_t& number = value.number;
  switch (sample.sample) {
    case Sample::str:
      item.is_constant = true;
      item.constant = {Type::text, false, false, given.each[0].text.at, given.each[0].text.len, 0};
      return true;
    case Sample::integer:
      value.source = Source::integer;
      item.is_constant = true;
      item.constant.type = Type::integer;
      if (!read_number(given, 0, INT64_MIN, INT64_MAX, item.constant.number)) return false;
      number = item.constant.number;
      return true;
    case Sample::boolean:
      return read_bool(item);
    case Sample::uuid:
      return read_uuid(item);
    case Sample::ulid:
      value.source = Source::ulid;
      return true;
    case Sample::rand:
      value.source = Source::number;
      return given.count == 0 || read_number(given, 0, 1, INT64_MAX, number);
    case Sample::token:
      value.source = Source::token;
      return read_number(given, 0, 1, int64_t{kMaxToken}, number);
    case Sample::traceparent:
      value.source = Source::traceparent;
      number = 1;  // sampled
      return given.count == 0 || read_number(given, 0, 0, 255, number);
    case Sample::ws_key:
      value.source = Source::ws_key;
      return true;
    case Sample::pid:
      value.source = Source::pid;
      return true;
    case Sample::hostname:
      item.is_constant = true;
      item.constant = {Type::text, false, false, hostname_, strlen(hostname_), 0};
      return true;
    case Sample::date:
      return read_date(item);
    case Sample::lane:
      value.source = Source::position;
      return true;
  }
  return true;
}

bool Parser::read_uuid(Item& item) {
  item.value.source = Source::uuid4;
  if (arguments_.count == 0) return true;
  const Span version = arguments_.each[0].text;
  if (version.is("7")) item.value.source = Source::uuid7;
  if (version.is("4") || version.is("7")) return true;
  const size_t position = arguments_.each[0].position;
  return fail(position, "unknown UUID version \"%s\" at position %zu: expected 4 or 7", Shown(version).text, position);
}

bool Parser::read_bool(Item& item) {
  const Span word = arguments_.each[0].text;
  const bool yes = word.is("true") || word.is("1");
  item.value.source = Source::boolean;
  item.value.number = yes;
  item.is_constant = true;
  item.constant = {Type::boolean, false, false, nullptr, 0, yes};
  if (yes || word.is("false") || word.is("0")) return true;
  const size_t position = arguments_.each[0].position;
  return fail(position, "expected true, false, 1 or 0 at position %zu, found \"%s\"", position, Shown(word).text);
}

bool Parser::read_date(Item& item) {
  item.value.source = Source::date;
  if (arguments_.count > 0 && !read_number(arguments_, 0, INT64_MIN, INT64_MAX, item.value.number)) return false;
  if (arguments_.count < 2) return true;
  const Span unit = arguments_.each[1].text;
  const size_t position = arguments_.each[1].position;
  if (unit.is("ms")) item.value.unit = Unit::millis;
  if (unit.is("us")) item.value.unit = Unit::micros;
  if (unit.is("s") || unit.is("ms") || unit.is("us")) return true;
  return fail(position, "unknown unit \"%s\" at position %zu: expected s, ms or us", Shown(unit).text, position);
}

// ---- (arguments) ----

bool Parser::read_arguments(Arguments& given, Span name, size_t position, unsigned least, unsigned most) {
  given.count = 0;
  given.used = 0;
  const size_t open = at_;
  if (here() == '(') {
    ++at_;
    if (here() == ')' && !at_end()) {
      ++at_;
    } else {
      for (bool more = true; more; ++at_) {
        if (given.count == most) {
          if (most == 0) return fail(at_, "\"%s\" takes no argument: expected \")\" at position %zu", name.at, at_);
          return fail(at_ - 1, "\"%s\" takes at most %u: expected \")\" at position %zu", name.at, most, at_ - 1);
        }
        if (!read_argument(given, open)) return false;
        more = here() == ',';
      }
    }
  }
  if (given.count >= least) return true;
  position = open < at_ ? open + 1 : position + name.len;
  return fail(position, "\"%s\" needs an argument in brackets: expected one at position %zu", name.at, position);
}

// One argument: quotes group, a backslash takes the special meaning from a quote, a blank or a backslash.
bool Parser::read_argument(Arguments& given, size_t open) {
  const size_t start = at_, from = given.used;
  char quote = '\0';
  size_t quoted_from = 0;
  for (;; ++at_) {
    if (at_end() && quote != '\0')
      return fail(quoted_from, "missing end of the quotes that begin at position %zu", quoted_from);
    if (at_end()) return fail(open, "missing \")\" for the \"(\" at position %zu", open);
    char c = here();
    if (quote == '\0' && (c == ',' || c == ')')) break;
    if ((c == '"' || c == '\'') && (quote == '\0' || quote == c)) {
      quoted_from = at_;
      quote = quote == '\0' ? c : '\0';
      continue;
    }
    if (c == '\\' && quote != '\'' && at_ + 1 < text_.len && strchr("\\\"' ", text_.at[at_ + 1]) != nullptr)
      c = text_.at[++at_];
    if (given.used == sizeof given.memory) {
      status_ = LOGUUID_ERR_SPACE;
      return fail(start, "the argument at position %zu is longer than %zu bytes", start, kMaxArgument);
    }
    given.memory[given.used++] = c;
  }
  given.each[given.count].position = start;
  given.each[given.count].text = {given.memory + from, given.used - from};
  ++given.count;
  return true;
}

bool Parser::read_number(const Arguments& given, unsigned i, int64_t least, int64_t most, int64_t& number) {
  const Span text = given.each[i].text;
  const size_t position = given.each[i].position;
  size_t begin = 0, end = text.len;
  while (begin < end && text.at[begin] == ' ') ++begin;
  while (begin < end && text.at[end - 1] == ' ') --end;
  const bool negative = begin < end && text.at[begin] == '-';
  begin += negative;
  bool good = begin < end;
  number = 0;
  for (; good && begin < end; ++begin) {
    const int64_t digit = text.at[begin] - '0';
    good =
        is_digit(text.at[begin]) && !__builtin_mul_overflow(number, int64_t{10}, &number) &&
        !(negative ? __builtin_sub_overflow(number, digit, &number) : __builtin_add_overflow(number, digit, &number));
  }
  if (good && number >= least && number <= most) return true;
  if (least == INT64_MIN)
    return fail(position, "expected a number of 64 bits at position %zu, found \"%s\"", position, Shown(text).text);
  return fail(position, "expected a number from %lld to %lld at position %zu, found \"%s\"",
              static_cast<long long>(least), static_cast<long long>(most), position, Shown(text).text);
}

// ---- converters ----

bool Parser::read_converters(Item& item) {
  while (here() == ',') {
    ++at_;
    if (item.value.num_converters == kMaxConverters)
      return fail(at_, "more than %zu converters at position %zu", kMaxConverters, at_);
    if (!read_converter(item)) return false;
    ++item.value.num_converters;
  }
  return true;
}

bool Parser::read_converter(Item&) {
  const size_t start = at_;
  while (!at_end() && (is_word(here()) || joins_words(here()))) ++at_;
  const Span name = span(start);
  if (name.len == 0) return fail(at_, "expected a converter at position %zu", at_);
  const ConverterName* known = find_converter(name);
  if (known == nullptr) return unknown("converter", name, start, Kind::converter);
  Arguments& given = converter_arguments_;
  if (!read_arguments(given, {known->name, name.len}, start, known->least, known->most)) return false;
  int64_t offset = 0, len = INT32_MAX;
  if (given.count > 0 && !read_number(given, 0, 0, INT32_MAX, offset)) return false;
  if (given.count > 1 && !read_number(given, 1, 0, INT32_MAX, len)) return false;
  if (builder_ != nullptr)
    builder_->converter({known->kind, static_cast<uint32_t>(offset), static_cast<uint32_t>(len)});
  return true;
}

// ---- building ----

void Parser::emit(Item& item) {
  line_begins_ = after_blank_ = false;
  if (builder_ == nullptr) return;
  if (encoding_ != 0) {
    if (item.name.len == 0) return;
    item.value.flags = static_cast<uint8_t>((item.value.flags & ~kEncode) | encoding_);
    emit_member(item);
  }
  emit_value(item);
}

// The comma before a member, and its name.
void Parser::emit_member(const Item& item) {
  char text[6 * kMaxName + 16];
  Out out = {text, text + sizeof text, 0};
  if (encoding_ == kJson) {
    first_member_ ? out.put("{\"", 2) : out.put(", \"", 3);
    put_json_text(out, item.name.at, item.name.len);
    out.put("\": ", 3);
  } else {
    if (first_member_) out.put("BF", 2);
    put_cbor_text(out, item.name.at, item.name.len);
  }
  first_member_ = false;
  builder_->literal(text, out.len);
  if (!members_.push({item.name, item.name_position})) status_ = LOGUUID_ERR_NOMEM;
}

void Parser::emit_value(const Item& item) {
  Value value = item.value;
  const bool converted = value.num_converters != 0;
  if (item.is_constant && !converted) return builder_->constant(item.constant, value);
  if (item.is_constant && item.constant.type == Type::text) {
    value.len = static_cast<uint32_t>(item.constant.len);
    value.at = builder_->pool_text(item.constant.text, item.constant.len);
  }
  if (value.source >= Source::date || value.source == Source::uuid7 || value.source == Source::ulid)
    builder_->needs_clock();
  if (value.source == Source::stamp_local || value.source == Source::stamp_local_ms) builder_->needs_zone();

  // A plain UUID is text at a known place; quotes around it are literals.
  const uint8_t encoding = value.flags & kEncode;
  const bool is_text =
      encoding == 0 || (encoding == kJson && value.cast != Type::integer && value.cast != Type::boolean);
  const bool is_uuid = value.source == Source::uuid4 || value.source == Source::uuid7;
  if (!is_uuid || converted || !is_text) return builder_->value(value);
  const char* quote = encoding == kJson || (value.flags & kQuote) != 0 ? "\"" : "";
  builder_->literal(quote);
  builder_->uuid(value.source == Source::uuid7 ? Step::v7 : Step::v4);
  builder_->literal(quote);
}

// A map of CBOR may not have two members of one name (RFC 8949, 5.6), and readers of JSON lose one of them.
bool Parser::check_members() {
  if (status_ != LOGUUID_OK) return false;
  if (members_.count < 2) return true;
  qsort(members_.data, members_.count, sizeof(Member), [](const void* a, const void* b) {
    const Member& x = *static_cast<const Member*>(a);
    const Member& y = *static_cast<const Member*>(b);
    if (x.name.len != y.name.len) return x.name.len < y.name.len ? -1 : 1;
    const int order = memcmp(x.name.at, y.name.at, x.name.len);
    return order != 0 ? order : x.position < y.position ? -1 : 1;
  });
  for (size_t i = 1; i < members_.count; ++i) {
    const Member &last = members_.data[i - 1], &next = members_.data[i];
    if (last.name.len != next.name.len || memcmp(last.name.at, next.name.at, last.name.len) != 0) continue;
    return fail(next.position, "the name \"%s\" at position %zu is that of another member", Shown(next.name).text,
                next.position);
  }
  return true;
}

loguuid_status compile(loguuid_format** out, const char* text, const loguuid_field* fields, size_t num_fields,
                       bool merge, loguuid_format_error& error) {
  const Span whole = {text, strnlen(text, kMaxText + 1)};
  if (whole.len > kMaxText) {
    error.position = kMaxText;
    snprintf(error.message, sizeof error.message, "the format is longer than %zu bytes", kMaxText);
    return LOGUUID_ERR_SPACE;
  }
  Fields known;
  loguuid_status status = known.set(fields, num_fields);
  if (status != LOGUUID_OK) {
    snprintf(error.message, sizeof error.message,
             "field %zu has no name, no function, an unknown type or a too long name", known.count());
    if (status != LOGUUID_ERR_ARG) snprintf(error.message, sizeof error.message, "%s", loguuid_strerror(status));
    return status;
  }
  Parser parser(whole, known, merge, error);
  Builder builder;
  status = parser.check() && parser.build(builder) ? builder.finish(out) : parser.status();
  if (status != LOGUUID_OK && error.message[0] == '\0')
    snprintf(error.message, sizeof error.message, "%s", loguuid_strerror(status));
  return status;
}

}  // namespace
}  // namespace loguuid::logformat

loguuid_status loguuid_format_compile(loguuid_format** out, const char* text, const loguuid_field* fields,
                                      size_t num_fields, unsigned flags, loguuid_format_error* error) {
  loguuid_format_error unread;
  loguuid_format_error& told = error != nullptr ? *error : unread;
  told.position = 0;
  told.message[0] = '\0';
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || text == nullptr || (fields == nullptr && num_fields != 0) ||
      (flags & ~LOGUUID_FORMAT_MERGE_SPACES) != 0) {
    snprintf(told.message, sizeof told.message, "%s", loguuid_strerror(LOGUUID_ERR_ARG));
    return LOGUUID_ERR_ARG;
  }
  return loguuid::logformat::compile(out, text, fields, num_fields, (flags & LOGUUID_FORMAT_MERGE_SPACES) != 0, told);
}
