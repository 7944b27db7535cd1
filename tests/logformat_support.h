// Formats for tests: compiled, rendered with fields whose values are strings, and freed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support.h"

namespace loguuid::testing {

// The fields of the tests: v, w (text), n (integer), b (boolean), long_name, req.hdr(host).
struct Values {
  std::string v, w, n, b;
};

inline size_t give(const std::string& value, char* out, size_t cap) {
  memcpy(out, value.data(), std::min(cap, value.size()));
  return value.size();
}
template <std::string Values::*Member>
size_t field(void* context, char* out, size_t cap) {
  return give(static_cast<Values*>(context)->*Member, out, cap);
}

inline const std::vector<loguuid_field>& fields() {
  static const std::vector<loguuid_field> all = {
      {"v", field<&Values::v>, LOGUUID_STR},         {"w", field<&Values::w>, LOGUUID_STR},
      {"n", field<&Values::n>, LOGUUID_INT},         {"b", field<&Values::b>, LOGUUID_BOOL},
      {"long_name", field<&Values::v>, LOGUUID_STR}, {"req.hdr(host)", field<&Values::w>, LOGUUID_STR},
  };
  return all;
}

class Format {
 public:
  explicit Format(const std::string& text, unsigned flags = 0) : Format(text, fields(), flags) {}
  Format(const std::string& text, const std::vector<loguuid_field>& with, unsigned flags = 0) : text_(text) {
    status = loguuid_format_compile(&format_, text.c_str(), with.data(), with.size(), flags, &error);
    if (status == LOGUUID_OK) {
      EXPECT_NE(nullptr, format_);
      EXPECT_STREQ("", error.message);
    } else {
      EXPECT_EQ(nullptr, format_);
      EXPECT_NE(0u, strlen(error.message)) << text.substr(0, 100);
    }
  }
  ~Format() { loguuid_format_free(format_); }
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;

  const loguuid_format* get() const { return format_; }
  loguuid_format* release() {
    loguuid_format* format = format_;
    format_ = nullptr;
    return format;
  }

  // The whole line.
  std::string line(void* context) const {
    EXPECT_EQ(LOGUUID_OK, status) << text_.substr(0, 100) << ": " << error.message;
    std::string out(256, '\0');
    size_t wanted = loguuid_format_render(format_, out.data(), 0, context);
    return rendered(wanted, context);
  }
  std::string line() const {
    Values none;
    return line(&none);
  }
  // A line whose length is known, or at least not more than `room`: rendered once.
  std::string rendered(size_t room, void* context) const {
    std::string out(room + 1, '\x5a');
    const size_t wanted = loguuid_format_render(format_, out.data(), out.size(), context);
    EXPECT_LE(wanted, room);
    EXPECT_EQ('\0', out[std::min(wanted, room)]);
    out.resize(std::min(wanted, room));
    return out;
  }

  loguuid_status status;
  loguuid_format_error error{};

 private:
  std::string text_;
  loguuid_format* format_ = nullptr;
};

// A generator whose lines do not depend on the time.
inline std::unique_ptr<loguuid_gen> pinned_gen(uint64_t now_ns = 1700000000123456789, uint64_t seed = 5) {
  auto gen = new_gen(seed);
  loguuid_gen_set_clock(gen.get(), now_ns);
  return gen;
}

inline std::string repeated(const std::string& item, const std::string& between, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += (i == 0 ? "" : between) + item;
  return all;
}

}  // namespace loguuid::testing
