#include "output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "errors.h"

namespace loguuid::tool {
namespace {

[[noreturn]] void fail(int error) {
  const std::string message = fmt::format("standard output: {}", std::strerror(error));
  if (error == EPIPE) throw ClosedPipe(message);
  throw Failure(message);
}

void write_whole(const char* data, std::size_t length) {
  while (length > 0) {
    const ssize_t done = ::write(STDOUT_FILENO, data, length);
    if (done >= 0) {
      data += done;
      length -= static_cast<std::size_t>(done);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Somebody who shares the other end made it non-blocking.
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) fail(errno);
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

}  // namespace

void Output::write(const char* data, std::size_t length) {
  flush();
  write_whole(data, length);
}

void Output::flush() {
  write_whole(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void Output::close() {
  flush();
  // EINTR: the descriptor is closed already on Linux, and nobody knows elsewhere; a second close could hit another's.
  if (::close(STDOUT_FILENO) != 0 && errno != EINTR) fail(errno);
}

}  // namespace loguuid::tool
