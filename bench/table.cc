#include "table.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

bool colours() {
  static const bool wanted = [] {
    const char* no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) != 0 && (no == nullptr || *no == '\0');
  }();
  return wanted;
}

// Three significant figures.
std::string three(double number) {
  const double size = std::fabs(number);
  return fmt::format("{:.{}f}", number, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

struct Unit {
  double size;
  const char* name;
};

template <size_t N>
std::string scaled(double number, const Unit (&units)[N]) {
  if (!std::isfinite(number)) return "-";
  const Unit* unit = &units[0];
  for (const Unit& candidate : units)
    if (number >= candidate.size * 0.9995) unit = &candidate;
  return fmt::format("{}{}", three(number / unit->size), unit->name);
}

}  // namespace

Table::Table(std::vector<std::string> columns) : columns_(std::move(columns)) {
  for (std::string& name : columns_) {
    left_.push_back(!name.empty() && name[0] == '<');
    if (left_.back()) name.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells, bool emphasised) { rows_.push_back({std::move(cells), emphasised}); }

void Table::print() const {
  std::vector<size_t> width;
  for (size_t i = 0; i < columns_.size(); ++i) {
    width.push_back(columns_[i].size());
    for (const Row& row : rows_) width[i] = std::max(width[i], row.cells[i].size());
  }
  const auto print_cells = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) line += "  ";
      line += left_[i] ? fmt::format("{:<{}}", cells[i], width[i]) : fmt::format("{:>{}}", cells[i], width[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}", line);
  };
  fmt::print("{}", bold());
  print_cells(columns_);
  fmt::print("{}\n", plain());
  for (const Row& row : rows_) {
    fmt::print("{}", row.emphasised ? bold() : "");
    print_cells(row.cells);
    fmt::print("{}\n", row.emphasised ? plain() : "");
  }
}

std::string human_ns(double ns) {
  return scaled(ns, {Unit{1, " ns"}, Unit{1e3, " us"}, Unit{1e6, " ms"}, Unit{1e9, " s"}});
}
std::string human_count(double number) {
  if (number < 1000) return fmt::format("{:.0f}", number);
  return scaled(number, {Unit{1, ""}, Unit{1e3, " k"}, Unit{1e6, " M"}, Unit{1e9, " G"}});
}
std::string human_bytes(double bytes) {
  return scaled(bytes, {Unit{1, " B"}, Unit{1024, " KiB"}, Unit{1048576, " MiB"}, Unit{1073741824, " GiB"}});
}
std::string human_times(double ratio) { return std::isfinite(ratio) ? three(ratio) + "x" : "-"; }

std::string_view bold() { return colours() ? "\033[1m" : ""; }
std::string_view plain() { return colours() ? "\033[0m" : ""; }

void progress(const std::string& text) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) fmt::print(stderr, "\r\033[K{}", text);
}

void warn(const std::string& text) {
  progress("");
  fmt::print(stderr, "loguuid-bench: {}\n", text);
}

}  // namespace bench
