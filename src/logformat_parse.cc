// The text as a whole: literals, names, flags and items written as %name; and what is said of mistakes.
#include "logformat_parse.h"

#include <unistd.h>

#include <cstdarg>

namespace loguuid::logformat {

Parser::Parser(Span text, const Fields& fields, bool merge, loguuid_format_error& error)
    : text_(text), fields_(fields), merge_(merge), error_(error) {
  hostname_[sizeof hostname_ - 1] = '\0';
  if (gethostname(hostname_, sizeof hostname_ - 1) != 0) hostname_[0] = '\0';
}

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
  const Shown shown(name, kind == Kind::converter ? 12 : 32);  // leaves room for what was expected
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
    const size_t start = at_;
    if (here() != '%')
      read_literal();
    else if (!read_item())
      return false;
    if (!has_room(start)) return false;
  }
  if (builder != nullptr && encoding_ != 0) {
    const bool json = encoding_ == kJson;
    if (first_member_) builder->literal(json ? "{" : "BF");
    builder->literal(json ? "}" : "FF");
  }
  return has_room(at_) && check_members();
}

bool Parser::too_many(size_t position, size_t limit, const char* what) {
  status_ = LOGUUID_ERR_SPACE;
  return fail(position, "more than %zu %s at position %zu", limit, what, position);
}

bool Parser::too_long(size_t position, size_t limit, const char* what) {
  status_ = LOGUUID_ERR_SPACE;
  return fail(position, "the %s at position %zu is longer than %zu bytes", what, position, limit);
}

bool Parser::has_room(size_t position) {
  if (builder_ == nullptr || !builder_->is_full()) return true;
  return too_many(position, kMaxPool, "bytes of literal text, once compiled,");
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
  if (++num_items_ > kMaxItems) return too_many(start, kMaxItems, "items");
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
  if (item.name.len > kMaxName) return too_long(item.name_position, kMaxName, "name");
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
    use_field(value, *field);
  } else if (const Alias* alias = find_alias(name)) {
    value.source = alias->source;
    if (!alias->number) value.cast = Type::any;
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

}  // namespace loguuid::logformat
