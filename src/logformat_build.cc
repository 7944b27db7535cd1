#include "logformat_build.h"

#include "platform.h"

namespace loguuid::logformat {

Builder::~Builder() {
  free(ops_.data);
  free(planned_.data);
  free(values_.data);
  free(converters_.data);
  free(steps_.data);
  free(chunks_.data);
  free(pool_.data);
}

// ---- what the parser finds ----

char* Builder::pool(size_t len) {
  if (status_ != LOGUUID_OK) return nullptr;
  char* place = nullptr;
  if (len > kMaxPool - pool_.count)
    status_ = LOGUUID_ERR_SPACE;
  else if ((place = pool_.extend(len)) == nullptr)
    status_ = LOGUUID_ERR_NOMEM;
  return place;
}

void Builder::op(const Op& op) {
  if (status_ == LOGUUID_OK && !ops_.push(op)) status_ = LOGUUID_ERR_NOMEM;
}

uint32_t Builder::pool_text(const char* text, size_t len) {
  char* place = pool(len);
  if (place == nullptr) return 0;
  memcpy(place, text, len);
  return static_cast<uint32_t>(place - pool_.data);
}

void Builder::literal(const char* text, size_t len) {
  if (len == 0) return;
  const uint32_t at = pool_text(text, len);
  if (status_ != LOGUUID_OK) return;
  Op* last = ops_.count != 0 ? &ops_.data[ops_.count - 1] : nullptr;
  if (last != nullptr && last->kind == Op::literal && last->at + last->len == at)
    last->len += static_cast<uint32_t>(len);
  else
    op({Op::literal, 0, at, static_cast<uint32_t>(len), 0, 0, 0});
}

void Builder::constant(const Datum& data, const Value& value) {
  Out measure = {nullptr, nullptr, 0};
  write_datum(data, value, measure);
  char* text = static_cast<char*>(malloc(measure.len + 1));
  if (text == nullptr) {
    status_ = LOGUUID_ERR_NOMEM;
    return;
  }
  Out out = {text, text + measure.len, 0};
  write_datum(data, value, out);
  literal(text, measure.len);
  free(text);
}

void Builder::uuid(Step::Kind version) { op({Op::uuids, 0, 0, version, 1, kUuidText, 0}); }

void Builder::value(const Value& value) {
  op({Op::value, 0, static_cast<uint32_t>(values_.count), 0, 0, 0, 0});
  if (status_ == LOGUUID_OK && !values_.push(value)) status_ = LOGUUID_ERR_NOMEM;
}

void Builder::converter(const Converter& converter) {
  if (status_ == LOGUUID_OK && !converters_.push(converter)) status_ = LOGUUID_ERR_NOMEM;
}

// ---- draws ----

static bool draws(Source source) { return source >= Source::uuid4 && source <= Source::draws; }

// Version-4 UUIDs from `first` on with one and the same character between them.
bool Builder::is_run(size_t first, size_t& end) const {
  const Op* ops = ops_.data;
  char separator = 0;
  if (version_of(ops[first]) != Step::v4) return false;
  for (end = first + 1; end + 1 < ops_.count && ops[end + 1].kind == Op::uuids; end += 2) {
    if (ops[end].kind != Op::literal || ops[end].len != 1) return false;
    const char here = pool_.data[ops[end].at];
    if (end != first + 1 && here != separator) return false;
    separator = here;
    if (version_of(ops[end + 1]) != Step::v4) return false;
  }
  return true;
}

// If the line draws nothing but one run, the kernel that makes it needs no plan.
bool Builder::make_one_run() {
  const Op* ops = ops_.data;
  size_t first = 0, end;
  while (first < ops_.count && ops[first].kind != Op::uuids) ++first;
  if (first == ops_.count || !is_run(first, end)) return false;
  for (size_t i = 0; i < ops_.count; ++i)
    if ((i >= end && ops[i].kind == Op::uuids) || (ops[i].kind == Op::value && draws(values_.data[ops[i].at].source)))
      return false;
  if (planned_.extend(first + 1 + ops_.count - end) == nullptr) {
    status_ = LOGUUID_ERR_NOMEM;
    return true;
  }
  const char separator = end > first + 1 ? pool_.data[ops[first + 1].at] : '\0';
  if (first != 0) memcpy(planned_.data, ops, first * sizeof *ops);
  planned_.data[first] = {Op::run, separator, 0, 0, static_cast<uint32_t>((end - first + 1) / 2), 0, 0};
  if (end != ops_.count) memcpy(planned_.data + first + 1, ops + end, (ops_.count - end) * sizeof *ops);
  return true;
}

void Builder::new_chunk() {
  const uint32_t first = static_cast<uint32_t>(steps_.count);
  const Op run = {Op::chunk, 0, static_cast<uint32_t>(chunks_.count), 0, 0, 0, 0};
  if (!chunks_.push({first, first}) || !planned_.push(run)) status_ = LOGUUID_ERR_NOMEM;
  scratch_used_ = 0;
}

// Adds a step of so many bytes to the present chunk, or to a new one.
uint32_t Builder::reserve(Step::Kind kind, size_t bytes, uint64_t number) {
  if (status_ != LOGUUID_OK) return 0;
  if (bytes > kScratch - scratch_used_) new_chunk();
  const uint32_t at = static_cast<uint32_t>(scratch_used_);
  scratch_used_ += bytes;
  if (status_ != LOGUUID_OK) return 0;
  Chunk& chunk = chunks_.data[chunks_.count - 1];
  Step* last = chunk.end != chunk.first ? &steps_.data[chunk.end - 1] : nullptr;
  if (kind <= Step::v7 && last != nullptr && last->kind == kind) {
    last->number += number;
  } else if (steps_.push({kind, at, number})) {
    ++chunk.end;
  } else {
    status_ = LOGUUID_ERR_NOMEM;
  }
  return at;
}

void Builder::plan_value(Value& value) {
  const auto number = static_cast<uint64_t>(value.number);
  const size_t token_blocks = (static_cast<size_t>(value.number) + 15) / 16;
  switch (value.source) {
    case Source::uuid4:
      value.at = reserve_values(Step::v4, 1);
      break;
    case Source::id:
    case Source::ws_key:
      value.at = reserve_values(Step::blocks, 1);
      break;
    case Source::uuid7:
      value.at = reserve_values(Step::v7, 1);
      break;
    case Source::ulid:
      value.at = reserve(Step::ulid, 24, 0);
      break;
    case Source::number:
      value.at = reserve(number == 0 ? Step::word : Step::below, 8, number);
      break;
    case Source::token:
      value.at = reserve_values(Step::blocks, token_blocks);
      break;
    case Source::traceparent:
      value.at = reserve(Step::traceparent, 56, number);
      break;
    case Source::position:
    case Source::draws:
      value.at = reserve(Step::position, sizeof(Position), 0);
      break;
    default:
      break;
  }
}

// Puts UUIDs at one distance from each other, as many as the chunk has room for, into one operation. Returns the
// operation that follows them.
size_t Builder::plan_uuids(size_t first) {
  if (kScratch - scratch_used_ < 16) new_chunk();
  const Op* ops = ops_.data;
  const size_t most = (kScratch - scratch_used_) / 16;
  const auto gap_behind = [&](size_t i) -> size_t {  // SIZE_MAX: no further UUID
    if (i + 1 < ops_.count && ops[i + 1].kind == Op::uuids) return 0;
    const bool follows = i + 2 < ops_.count && ops[i + 1].kind == Op::literal && ops[i + 2].kind == Op::uuids;
    return follows ? ops[i + 1].len : SIZE_MAX;
  };
  const size_t gap = gap_behind(first);
  Op group = ops[first];
  size_t last = first;
  if (gap != SIZE_MAX) {
    group.stride = static_cast<uint32_t>(kUuidText + gap);
    if (gap != 0) group.at = ops[first + 1].at;
  }
  group.scratch = reserve_values(version_of(group), 1);
  const size_t next = gap != 0 ? 2 : 1;
  for (; group.count < most && gap != SIZE_MAX && gap_behind(last) == gap; ++group.count) {
    last += next;
    reserve_values(version_of(ops[last]), 1);
  }
  if (status_ == LOGUUID_OK && !planned_.push(group)) status_ = LOGUUID_ERR_NOMEM;
  return last + 1;
}

void Builder::plan_draws() {
  bool any = false;
  for (size_t i = 0; i < ops_.count && !any; ++i)
    any = ops_.data[i].kind == Op::uuids ||
          (ops_.data[i].kind == Op::value && draws(values_.data[ops_.data[i].at].source));
  if (any) new_chunk();
  for (size_t i = 0; i < ops_.count && status_ == LOGUUID_OK;) {
    const Op& op = ops_.data[i];
    if (op.kind == Op::uuids) {
      i = plan_uuids(i);
      continue;
    }
    if (op.kind == Op::value) plan_value(values_.data[op.at]);
    if (status_ == LOGUUID_OK && !planned_.push(op)) status_ = LOGUUID_ERR_NOMEM;
    ++i;
  }
}

// ---- the block ----

namespace {

struct Layout {
  size_t bytes = 0;

  template <class T>
  size_t place(size_t count) {
    bytes = (bytes + alignof(T) - 1) / alignof(T) * alignof(T);
    const size_t at = bytes;
    bytes += count * sizeof(T);
    return at;
  }
};

template <class T>
const T* copied(char* block, size_t at, const Row<T>& row) {
  if (row.count != 0) memcpy(block + at, row.data, row.count * sizeof(T));
  return reinterpret_cast<const T*>(block + at);
}

}  // namespace

loguuid_format* Builder::assemble() const {
  Layout layout;
  layout.place<loguuid_format>(1);
  const size_t zone = layout.place<Zone>(needs_zone_ ? 1 : 0);
  const size_t values = layout.place<Value>(values_.count), steps = layout.place<Step>(steps_.count);
  const size_t ops = layout.place<Op>(planned_.count), converters = layout.place<Converter>(converters_.count);
  const size_t chunks = layout.place<Chunk>(chunks_.count), pool = layout.place<char>(pool_.count);
  char* block = static_cast<char*>(malloc(layout.bytes));
  if (block == nullptr) return nullptr;
  auto* format = reinterpret_cast<loguuid_format*>(block);
  *format = {};
  format->needs_clock = needs_clock_;
  format->num_ops = static_cast<uint32_t>(planned_.count);
  format->is_uuid = planned_.count == 1 && planned_.data[0].kind == Op::run && planned_.data[0].count == 1;
  format->ops = copied(block, ops, planned_);
  format->values = copied(block, values, values_);
  format->converters = copied(block, converters, converters_);
  format->steps = copied(block, steps, steps_);
  format->chunks = copied(block, chunks, chunks_);
  format->pool = copied(block, pool, pool_);
  if (needs_zone_) {
    auto* filled = reinterpret_cast<Zone*>(block + zone);
    zone_fill(*filled, static_cast<int64_t>(system_clock_ns() / 1000000000));
    format->zone = filled;
  }
  return format;
}

loguuid_status Builder::finish(loguuid_format** out) {
  if (status_ == LOGUUID_OK && !make_one_run()) plan_draws();
  if (status_ != LOGUUID_OK) return status_;
  *out = assemble();
  return *out != nullptr ? LOGUUID_OK : LOGUUID_ERR_NOMEM;
}

}  // namespace loguuid::logformat
