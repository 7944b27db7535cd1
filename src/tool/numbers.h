// Values of options: numbers, ranges, seeds, separators. All refuse what they do not understand with a Usage error that
// names the option, the place and what would be right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loguuid::tool {

// A whole number in decimal, or in hexadecimal behind 0x, from `min` to `max`.
std::uint64_t parse_number(std::string_view what, std::string_view text, std::uint64_t min, std::uint64_t max);

struct Range {
  std::uint64_t first;
  std::uint64_t last;
};

// FIRST-LAST, or one number alone.
Range parse_range(std::string_view what, std::string_view text);

// Refuses `count` numbers from `first` on, given by these two options, that would go beyond 64 bits.
void check_span(std::string_view what_first, std::uint64_t first, std::string_view what_count, std::uint64_t count);

struct Seed {
  unsigned char bytes[48];
  std::size_t length;
};

// A 64-bit number, or 96 hexadecimal digits (key, then state), or @FILE with either in it.
Seed parse_seed(std::string_view what, std::string_view text);

// One character, or \n, \t, \r, \0, \\.
char parse_separator(std::string_view what, std::string_view text);

}  // namespace loguuid::tool
