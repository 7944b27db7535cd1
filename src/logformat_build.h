// Gathers what the parser found and makes the compiled block of it.
#pragma once

#include <cstdlib>

#include "kernel.h"
#include "logformat.h"

namespace loguuid::logformat {

// A row that grows. Freed by its owner; a failure to grow is remembered by the builder.
template <class T>
struct Row {
  T* data = nullptr;
  size_t count = 0;
  size_t room = 0;

  // Room for `more` elements, or for none, behind the last. NULL: no memory.
  T* extend(size_t more) {
    if (data == nullptr || more > room - count) {
      size_t want = room + room / 2 + 64;
      if (want < count + more) want = count + more;
      T* grown = static_cast<T*>(realloc(data, want * sizeof(T)));
      if (grown == nullptr) return nullptr;
      data = grown;
      room = want;
    }
    T* first = data + count;
    count += more;
    return first;
  }
  bool push(const T& item) {
    T* place = extend(1);
    if (place != nullptr) *place = item;
    return place != nullptr;
  }
};

class Builder {
 public:
  Builder() = default;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder();

  void literal(const char* text, size_t len);
  void literal(const char* text) { literal(text, strlen(text)); }
  // A value that is the same in every line, as the literal text that it makes.
  void constant(const Datum& data, const Value& value);
  // A UUID (Step::v4 or Step::v7) with nothing around it.
  void uuid(Step::Kind version);
  void value(const Value& value);
  uint32_t pool_text(const char* text, size_t len);  // for a constant with converters
  void converter(const Converter& converter);
  uint32_t num_converters() const { return static_cast<uint32_t>(converters_.count); }
  void needs_clock() { needs_clock_ = true; }
  void needs_zone() { needs_zone_ = true; }

  // The literal text would grow over its limit.
  bool is_full() const { return status_ == LOGUUID_ERR_SPACE; }
  // LOGUUID_ERR_NOMEM, or LOGUUID_ERR_SPACE when it is full.
  loguuid_status finish(loguuid_format** out);

 private:
  char* pool(size_t len);
  void op(const Op& op);
  static Step::Kind version_of(const Op& op) { return static_cast<Step::Kind>(op.len); }
  bool make_one_run();
  bool is_run(size_t first, size_t& end) const;
  void plan_draws();
  size_t plan_uuids(size_t first);
  void plan_value(Value& value);
  uint32_t reserve(Step::Kind kind, size_t bytes, uint64_t number);
  uint32_t reserve_values(Step::Kind kind, size_t count) { return reserve(kind, 16 * count, count); }
  void new_chunk();
  loguuid_format* assemble() const;

  Row<Op> ops_;      // as parsed: literals, single UUIDs, values
  Row<Op> planned_;  // as rendered
  Row<Value> values_;
  Row<Converter> converters_;
  Row<Step> steps_;
  Row<Chunk> chunks_;
  Row<char> pool_;
  size_t scratch_used_ = 0;
  bool needs_clock_ = false, needs_zone_ = false;
  loguuid_status status_ = LOGUUID_OK;
};

}  // namespace loguuid::logformat
