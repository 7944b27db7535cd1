// From items to what the builder takes, and loguuid_format_compile().
#include "logformat_parse.h"

namespace loguuid::logformat {

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

// A map of CBOR may not have two members of one name (RFC 8949, 5.6), and readers of JSON lose one of them. What JSON
// shows of a name that is not UTF-8 may be the same as of another.
bool Parser::check_members() {
  if (status_ != LOGUUID_OK) return false;
  for (size_t i = 0; i < members_.count && encoding_ == kJson; ++i) {
    const Member& member = members_.data[i];
    if (!is_utf8(member.name.at, member.name.len))
      return fail(member.position, "the name at position %zu is not UTF-8, which JSON wants", member.position);
  }
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

static loguuid_status compile(loguuid_format** out, const char* text, const loguuid_field* fields, size_t num_fields,
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
    if (num_fields > kMaxFields)
      snprintf(error.message, sizeof error.message, "more than %zu fields", kMaxFields);
    else if (known.problem() != nullptr)
      snprintf(error.message, sizeof error.message, "field %zu has %s", known.count(), known.problem());
    else
      snprintf(error.message, sizeof error.message, "%s", loguuid_strerror(status));
    return status;
  }
  Parser parser(whole, known, merge, error);
  Builder builder;
  status = parser.check() && parser.build(builder) ? builder.finish(out) : parser.status();
  if (status != LOGUUID_OK && error.message[0] == '\0')
    snprintf(error.message, sizeof error.message, "%s", loguuid_strerror(status));
  return status;
}

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
