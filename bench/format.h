// A compiled log-format of the bench, and the host fields it may name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "loguuid.h"

namespace bench {

// What a proxy would supply: addresses, names, sizes and timers under HAProxy's names, with values of usual length.
const std::vector<loguuid_field>& host_fields();

class Format {
 public:
  Format() = default;
  explicit Format(loguuid_format* format) : format_(format, loguuid_format_free) {}
  explicit operator bool() const { return format_ != nullptr; }
  loguuid_format* get() const { return format_.get(); }
  loguuid_format* release() { return format_.release(); }

  std::string line() const;      // one line
  size_t line_capacity() const;  // room for any line, with slack for values that vary

 private:
  std::unique_ptr<loguuid_format, void (*)(loguuid_format*)> format_{nullptr, loguuid_format_free};
};

// An empty Format and a message when it does not compile.
Format compile(const std::string& text, std::string& message);

// How many items of a format are UUIDs.
size_t count_uuids(const std::string& text);

// The one line of a file, without its end. False and a message when there is not exactly one.
bool read_format_file(const std::string& path, std::string& text, std::string& message);

}  // namespace bench
