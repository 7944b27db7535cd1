#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

namespace loguuid::tool {
namespace {

bool person_watches(Work work) {
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::strcmp(term, "dumb") == 0;
  const bool in_the_way = work == Work::writes && isatty(STDOUT_FILENO) == 1;
  return isatty(STDERR_FILENO) == 1 && work != Work::typed && !in_the_way && !dumb;
}

std::string short_number(double value) {
  static constexpr const char* units[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) value /= 1000, unit++;
  return unit == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}{}", value, units[unit]);
}

std::string short_time(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 1e8) return fmt::format("{:.1f} h", seconds / 3600);
  return "years";
}

std::size_t columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 10) return 80;
  return size.ws_col;
}

// How long the line is that a signal would leave behind.
volatile std::sig_atomic_t standing = 0;

extern "C" void end_by_signal(int number) {
  char erase[256];
  const auto length = std::min<std::size_t>(static_cast<std::size_t>(standing), sizeof erase - 2);
  std::memset(erase, ' ', sizeof erase);
  erase[0] = erase[length + 1] = '\r';
  if (length > 0 && write(STDERR_FILENO, erase, length + 2) < 0) standing = 0;
  std::signal(number, SIG_DFL);
  raise(number);
}

// Those that the caller ignores stay ignored.
void catch_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now;
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(number, end_by_signal);
  }
}

}  // namespace

Progress::Progress(Work work, std::string noun, std::uint64_t total)
    : noun_(std::move(noun)),
      total_(total),
      active_(person_watches(work)),
      start_(Clock::now()),
      next_(start_ + std::chrono::seconds(1)) {}

Progress::~Progress() { hide(); }

void Progress::hide() {
  if (shown_ > 0) show("");
}

void Progress::update(std::uint64_t done) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_ || (total_ != 0 && done >= total_)) return;
  next_ = now + std::chrono::milliseconds(200);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  if (total_ == 0) {
    return show(fmt::format("{} {}  {}/s", short_number(static_cast<double>(done)), noun_, short_number(rate)));
  }
  const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : 1e9;
  show(fmt::format("{:3.0f}%  {} of {} {}  {}/s  {} left",
                   100.0 * static_cast<double>(done) / static_cast<double>(total_),
                   short_number(static_cast<double>(done)), short_number(static_cast<double>(total_)), noun_,
                   short_number(rate), short_time(left)));
}

void Progress::show(const std::string& text) {
  if (shown_ == 0) catch_signals();
  const std::string cut = text.substr(0, columns() - 1);
  std::string line = "\r" + cut;
  if (shown_ > cut.size()) line.append(shown_ - cut.size(), ' ');
  if (cut.empty()) line += "\r";
  const std::size_t before = std::exchange(shown_, cut.size());
  standing = static_cast<int>(std::max(before, shown_));
  // Progress that cannot be shown is no reason to fail.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) active_ = false;
  standing = static_cast<int>(shown_);
}

}  // namespace loguuid::tool
