// Items written as %[source,converter,...].
#include "logformat_parse.h"

namespace loguuid::logformat {

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
  while (!at_end() && strchr(kBehindName, here()) == nullptr) ++at_;
  const Span name = span(start);
  if (name.len == 0) return fail(at_, "expected the name of a field or an item at position %zu", at_);
  Span whole = name;  // a field may be called name(argument), as HAProxy's samples are
  if (here() == '(') {
    const size_t rest = text_.len - at_;
    const auto* close = static_cast<const char*>(memchr(text_.at + at_, ')', rest < kMaxName ? rest : kMaxName));
    if (close != nullptr) whole.len = static_cast<size_t>(close + 1 - name.at);
  }
  const loguuid_field* field = fields_.find(whole);
  if (field == nullptr) {
    const SampleName* sample = find_sample(name);
    if (sample != nullptr) return read_sample(item, *sample, start);
    if (fields_.find(name) != nullptr)
      return fail(at_, "the field \"%s\" takes no argument: expected \",\" or \"]\" at position %zu", Shown(name).text,
                  at_);
    const auto is_near = [&](Span span) { return most_like(span, Kind::sample, fields_) != nullptr; };
    return unknown("item", !is_near(name) && is_near(whole) ? whole : name, start, Kind::sample);
  }
  at_ = start + whole.len;
  use_field(item.value, *field);
  return true;
}

void Parser::use_field(Value& value, const loguuid_field& field) {
  constexpr Type kTypes[] = {Type::text, Type::integer, Type::boolean};  // as loguuid_type counts
  value.source = Source::field;
  value.write = field.write;
  value.field_type = kTypes[field.type];
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
      if (read_number(given, 0, 1, int64_t{kMaxToken}, number)) return true;
      if (number > int64_t{kMaxToken}) status_ = LOGUUID_ERR_SPACE;
      return false;
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
  const bool yes = word.is_like("true") || word.is("1");
  item.value.source = Source::boolean;
  item.value.number = yes;
  item.is_constant = true;
  item.constant = {Type::boolean, false, false, nullptr, 0, yes};
  if (yes || word.is_like("false") || word.is("0")) return true;
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
    if (here() == ')' && least == 0) {
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
  position += name.len;
  return fail(position, "\"%s\" needs an argument in brackets: expected one at position %zu", name.at, position);
}

// What a backslash and this character stand for in an argument, or 0.
static char escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return strchr("\\\"' ", c) != nullptr ? c : '\0';
  }
}

// One argument; quotes group.
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
    if (const char meant = c == '\\' && quote != '\'' && at_ + 1 < text_.len ? escaped(text_.at[at_ + 1]) : '\0') {
      c = meant;
      ++at_;
    }
    if (given.used == sizeof given.memory) return too_long(start, kMaxArgument, "argument");
    given.memory[given.used++] = c;
  }
  given.each[given.count].position = start;
  given.each[given.count].text = {given.memory + from, given.used - from};
  ++given.count;
  return true;
}

bool Parser::read_number(const Arguments& given, unsigned index, int64_t least, int64_t most, int64_t& number) {
  const Span text = given.each[index].text;
  const size_t position = given.each[index].position;
  const bool negative = text.len != 0 && text.at[0] == '-';
  size_t i = text.len != 0 && (negative || text.at[0] == '+');
  bool good = i < text.len, fits = true;
  number = 0;
  for (; good && i < text.len; ++i) {
    const int64_t digit = text.at[i] - '0';
    good = is_digit(text.at[i]);
    fits =
        fits && !__builtin_mul_overflow(number, int64_t{10}, &number) &&
        !(negative ? __builtin_sub_overflow(number, digit, &number) : __builtin_add_overflow(number, digit, &number));
  }
  if (good && fits && number >= least && number <= most) return true;
  if (!fits) number = negative ? INT64_MIN : INT64_MAX;
  if (!good) number = 0;
  if (least == INT64_MIN)
    return fail(position, "expected a number of 64 bits at position %zu, found \"%s\"", position, Shown(text).text);
  return fail(position, "expected a number from %lld to %lld at position %zu, found \"%s\"",
              static_cast<long long>(least), static_cast<long long>(most), position, Shown(text).text);
}

// ---- converters ----

bool Parser::read_converters(Item& item) {
  while (here() == ',') {
    ++at_;
    if (item.value.num_converters == kMaxConverters) return too_many(at_, kMaxConverters, "converters");
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

}  // namespace loguuid::logformat
