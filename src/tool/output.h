// Standard output in whole blocks. Every error ends the work: a full disk, a closed pipe, a failing close.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

namespace loguuid::tool {

class Output {
 public:
  // Writes all of it, after what was printed before. Throws Failure, for a closed pipe ClosedPipe.
  void write(const char* data, std::size_t length);

  // Small text: collected, and written when a block is full.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= block_size) flush();
  }

  void flush();

  // The last thing a command does: some systems report a full disk only when the file is closed.
  void close();

  static constexpr std::size_t block_size = 128 * 1024;

 private:
  fmt::memory_buffer buffer_;
};

}  // namespace loguuid::tool
