#include "numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "errors.h"
#include "input.h"
#include "text.h"

namespace loguuid::tool {
namespace {

std::optional<unsigned> digit(char c, unsigned base) {
  unsigned value = 99;
  if (c >= '0' && c <= '9') value = static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') value = static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') value = static_cast<unsigned>(c - 'A') + 10;
  if (value >= base) return std::nullopt;
  return value;
}

bool all_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return digit(c, 16).has_value(); });
}

Seed seed_of(std::string_view what, std::string_view text) {
  Seed seed{};
  if (text.size() == 2 * sizeof seed.bytes && all_hex(text)) {
    for (std::size_t i = 0; i < sizeof seed.bytes; i++) {
      seed.bytes[i] = static_cast<unsigned char>(*digit(text[2 * i], 16) * 16 + *digit(text[2 * i + 1], 16));
    }
    seed.length = sizeof seed.bytes;
    const auto* state = seed.bytes + 16;
    if (std::all_of(state, state + 32, [](unsigned char byte) { return byte == 0; })) {
      throw Usage(fmt::format("{}: the state (the last 64 digits) is all zero: the sequence has no such state", what));
    }
    return seed;
  }
  if (text.size() > 20 && all_hex(text)) {
    throw Usage(
        fmt::format("{}: {} hexadecimal digits: a seed has 96 of them, or is a number below 2^64", what, text.size()));
  }
  const std::uint64_t number = parse_number(what, text, 0, std::numeric_limits<std::uint64_t>::max());
  std::memcpy(seed.bytes, &number, sizeof number);
  seed.length = sizeof number;
  return seed;
}

}  // namespace

std::uint64_t parse_number(std::string_view what, std::string_view text, std::uint64_t min, std::uint64_t max) {
  const auto wanted = [&] { return fmt::format("write a whole number from {} to {}", min, max); };
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const unsigned base = hex ? 16 : 10;
  const std::size_t start = hex ? 2 : 0;
  if (text.size() == start) throw Usage(fmt::format("{}: no digits in {}: {}", what, quoted(text), wanted()));
  std::uint64_t value = 0;
  bool overflow = false;
  for (std::size_t i = start; i < text.size(); i++) {
    const auto next = digit(text[i], base);
    if (!next) {
      throw Usage(
          fmt::format("{}: {} has {} at position {}: {}", what, quoted(text), quoted(text.substr(i)), i, wanted()));
    }
    overflow |= value > (std::numeric_limits<std::uint64_t>::max() - *next) / base;
    value = value * base + *next;
  }
  if (overflow || value < min || value > max) {
    throw Usage(fmt::format("{}: {} is out of range: {}", what, quoted(text), wanted()));
  }
  return value;
}

Range parse_range(std::string_view what, std::string_view text) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const std::uint64_t only = parse_number(what, text, 0, most);
    return {only, only};
  }
  if (dash == 0 || dash + 1 == text.size()) {
    throw Usage(fmt::format("{}: {} lacks a number {} its dash: write FIRST-LAST, as in 0-63", what, quoted(text),
                            dash == 0 ? "before" : "behind"));
  }
  if (const std::size_t second = text.find('-', dash + 1); second != std::string_view::npos) {
    throw Usage(fmt::format("{}: {} has a second dash at position {}: write FIRST-LAST, as in 0-63", what, quoted(text),
                            second));
  }
  const Range range{parse_number(what, text.substr(0, dash), 0, most),
                    parse_number(what, text.substr(dash + 1), 0, most)};
  if (range.first > range.last) {
    throw Usage(fmt::format("{}: {} runs backwards: write the lower number first", what, quoted(text)));
  }
  return range;
}

void check_span(std::string_view what_first, std::uint64_t first, std::string_view what_count, std::uint64_t count) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (count == 0 || count - 1 <= most - first) return;
  throw Usage(fmt::format("{} {} with {} {} goes beyond {}, the last number there is: make one of them smaller",
                          what_first, first, what_count, count, most));
}

Seed parse_seed(std::string_view what, std::string_view text) {
  if (!text.starts_with('@')) return seed_of(what, text);
  const std::string file(text.substr(1));
  std::string content = read_file(file, 4096);
  while (!content.empty() && std::strchr(" \t\r\n", content.back()) != nullptr) content.pop_back();
  try {
    return seed_of(what, content);
  } catch (const Usage&) {  // whose message may show a part of the secret
    throw Usage(
        fmt::format("{}: the {} characters of {} are no seed: write a whole number below 2^64, or 96 hexadecimal "
                    "digits of which the last 64 are not all zero",
                    what, content.size(), file_name(file)));
  }
}

char parse_separator(std::string_view what, std::string_view text) {
  if (text.size() == 1) return text[0];
  if (text == "\\n") return '\n';
  if (text == "\\t") return '\t';
  if (text == "\\r") return '\r';
  if (text == "\\0") return '\0';
  if (text == "\\\\") return '\\';
  throw Usage(fmt::format("{}: {} is not one character: write a single one, or \\n, \\t, \\r, \\0 or \\\\", what,
                          quoted(text)));
}

}  // namespace loguuid::tool
