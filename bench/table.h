// Aligned tables on a terminal or in a file, figures with units, and a line of progress.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class Table {
 public:
  // A column whose name begins with '<' is aligned to the left.
  explicit Table(std::vector<std::string> columns);
  void row(std::vector<std::string> cells, bool emphasised = false);
  void print() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool emphasised;
  };
  std::vector<std::string> columns_;
  std::vector<bool> left_;
  std::vector<Row> rows_;
};

std::string human_ns(double ns);         // "231 ns", "27.4 us"
std::string human_count(double number);  // "512", "13.5 k", "1.24 M"
std::string human_bytes(double bytes);   // "3.5 MiB"
std::string human_times(double ratio);   // "117x", "0.53x"; "-" for NaN

// Escape sequences, empty where standard output is no terminal or NO_COLOR is set.
std::string_view bold();
std::string_view plain();

// On standard error, only when that is a terminal; an empty text wipes it.
void progress(const std::string& text);

// A line on standard error.
void warn(const std::string& text);

}  // namespace bench
