#include "designs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "clock.h"
#include "format.h"
#include "loguuid.h"
#include "rivals.h"

namespace bench {
namespace {

constexpr size_t kStride = 37;  // a UUID and the blank behind it

// UUIDs of a source, printed with printf one after the other.
template <class Source>
size_t print_line(char* out, size_t cap, size_t uuids, Source source) {
  size_t len = 0;
  for (size_t i = 0; i < uuids; ++i) {
    if (i != 0) out[len++] = ' ';
    len += print_uuid(out + len, cap - len, source());
  }
  return len;
}

class UuidLine : public Design {
 public:
  explicit UuidLine(size_t uuids) : uuids_(uuids) {}
  size_t capacity() const override { return kStride * uuids_; }

 protected:
  const size_t uuids_;
};

class Dwcas : public UuidLine {
  using UuidLine::UuidLine;
  const char* name() const override { return "dwcas"; }
  size_t line(unsigned, char* out, size_t cap) override { return print_line(out, cap, uuids_, dwcas_pair); }
};

class Mutex : public UuidLine {
  using UuidLine::UuidLine;
  const char* name() const override { return "mutex"; }
  size_t line(unsigned, char* out, size_t cap) override { return print_line(out, cap, uuids_, mutex_pair); }
};

class Haproxy : public UuidLine {
  using UuidLine::UuidLine;
  const char* name() const override { return "haproxy"; }
  void enter(unsigned thread) override { haproxy_start(thread); }
  size_t line(unsigned, char* out, size_t cap) override {
    haproxy_set_clock(wall_ns());
    return print_line(out, cap, uuids_, haproxy_pair);
  }
};

class Getrandom : public UuidLine {
  using UuidLine::UuidLine;
  const char* name() const override { return "getrandom"; }
  size_t line(unsigned, char* out, size_t cap) override { return print_line(out, cap, uuids_, getrandom_pair); }
};

class LoguuidCall : public UuidLine {
  using UuidLine::UuidLine;
  const char* name() const override { return "loguuid-call"; }
  size_t line(unsigned, char* out, size_t cap) override {
    size_t len = 0;
    for (size_t i = 0; i < uuids_; ++i) {
      if (i != 0) out[len++] = ' ';
      len += loguuid_v4(out + len, cap - len);
    }
    return len;
  }
};

class Loguuid : public Design {
 public:
  explicit Loguuid(Format format) : format_(std::move(format)), capacity_(format_.line_capacity()) {}
  const char* name() const override { return "loguuid"; }
  size_t capacity() const override { return capacity_; }
  size_t line(unsigned, char* out, size_t cap) override {
    return loguuid_format_render(format_.get(), out, cap, nullptr);
  }

 private:
  const Format format_;
  const size_t capacity_;
};

class Memcpy : public Design {
 public:
  explicit Memcpy(std::string line) : line_(std::move(line)) {}
  const char* name() const override { return "memcpy"; }
  size_t capacity() const override { return line_.size() + 1; }
  size_t line(unsigned, char* out, size_t) override {
    memcpy(out, line_.c_str(), line_.size() + 1);
    return line_.size();
  }

 private:
  const std::string line_;
};

std::unique_ptr<Design> make_from_format(const std::string& name, const LineShape& shape, std::string& message) {
  Format format = compile(shape.format.empty() ? uuid_format(shape.uuids) : shape.format, message);
  if (!format) return nullptr;
  if (name == "loguuid") return std::make_unique<Loguuid>(std::move(format));
  return std::make_unique<Memcpy>(format.line());
}

}  // namespace

const std::vector<std::string>& design_names() {
  static const std::vector<std::string> names = {"dwcas",        "mutex",   "haproxy", "getrandom",
                                                 "loguuid-call", "loguuid", "memcpy"};
  return names;
}

std::string uuid_format(size_t uuids) {
  std::string text;
  for (size_t i = 0; i < uuids; ++i) text += i == 0 ? "%[uuid]" : " %[uuid]";
  return text;
}

std::unique_ptr<Design> make_design(const std::string& name, const LineShape& shape, std::string& message) {
  if (name == "dwcas") {
    if (dwcas_available()) return std::make_unique<Dwcas>(shape.uuids);
    message = "this machine has no 128-bit compare-and-swap";
    return nullptr;
  }
  if (name == "mutex") return std::make_unique<Mutex>(shape.uuids);
  if (name == "haproxy") return std::make_unique<Haproxy>(shape.uuids);
  if (name == "getrandom") return std::make_unique<Getrandom>(shape.uuids);
  if (name == "loguuid-call") return std::make_unique<LoguuidCall>(shape.uuids);
  return make_from_format(name, shape, message);
}

}  // namespace bench
