#include "input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "errors.h"
#include "text.h"

namespace loguuid::tool {
namespace {

std::size_t read_some(int fd, char* out, std::size_t cap, const std::string& name) {
  for (;;) {
    const ssize_t got = read(fd, out, cap);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {  // standard input that somebody made non-blocking
      pollfd wait{fd, POLLIN, 0};
      poll(&wait, 1, -1);
      continue;
    }
    if (errno != EINTR) throw Failure(fmt::format("{}: {}", name, std::strerror(errno)));
  }
}

}  // namespace

std::string file_name(std::string_view path) { return path == "-" ? "standard input" : quoted(path); }

std::string read_file(const std::string& path, std::size_t most) {
  const bool standard = path == "-";
  const std::string name = file_name(path);
  const int fd = standard ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Failure(fmt::format("{}: {}", name, std::strerror(errno)));
  const auto close_it = [standard](const int* open_fd) {
    if (!standard) close(*open_fd);
  };
  const std::unique_ptr<const int, decltype(close_it)> closer(&fd, close_it);
  std::string content;
  char block[4096];
  while (const std::size_t got = read_some(fd, block, sizeof block, name)) {
    content.append(block, got);
    if (content.size() > most + std::strlen("\r\n")) throw Failure(fmt::format("{}: longer than {} bytes", name, most));
  }
  return content;
}

void read_words(std::size_t most, const std::function<void(std::string_view, std::uint64_t)>& word,
                const std::function<void()>& idle) {
  constexpr std::size_t block_size = 64 * 1024;
  const auto block = std::make_unique_for_overwrite<char[]>(block_size);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // some editors begin files with one
  std::string current;
  std::uint64_t line = 1;
  bool first = true;
  const auto end_word = [&] {
    std::string_view text = current;
    if (first && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    first = first && current.empty();
    if (!text.empty()) word(text, line);
    current.clear();
  };
  while (const std::size_t got = read_some(STDIN_FILENO, block.get(), block_size, "standard input")) {
    for (std::size_t i = 0; i < got; i++) {
      const char c = block[i];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        end_word();
        line += c == '\n';
      } else if (current.size() < most) {
        current += c;
      }
    }
    idle();
  }
  end_word();
}

}  // namespace loguuid::tool
