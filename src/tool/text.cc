#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

namespace loguuid::tool {
namespace {

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

// The line and paragraph separators.
bool is_separator(char32_t code) { return code == 0x2028 || code == 0x2029; }

// How many of the eight bytes at `text`, from the first on, are ASCII that stands for itself in JSON. Log lines are
// mostly that.
std::size_t plain_in_json(const char* text) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  std::uint64_t x = 0;
  for (unsigned i = 0; i < 8; i++) x |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  // Exact up to the first byte that is below; a borrow may mark bytes behind it.
  const auto below = [](std::uint64_t word, std::uint64_t n) { return (word - ones * n) & ~word; };
  const std::uint64_t bad = x | below(x, 32) | (x + ones) | below(x ^ ones * '"', 1) | below(x ^ ones * '\\', 1);
  return static_cast<std::size_t>(std::countr_zero(bad & tops)) / 8;
}

void append_json_escape(std::string& out, std::optional<char32_t> code) {
  if (!code) {
    out += "\xef\xbf\xbd";
  } else if (*code == '"' || *code == '\\') {
    out += '\\';
    out += static_cast<char>(*code);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(*code));
  }
}

// Optimal string alignment: insertions, deletions, changes and swaps of neighbours cost one each.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); i++) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); j++) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); i++) {
    for (std::size_t j = 1; j <= b.size(); j++) {
      const std::size_t change = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  if (lead < 0xc2 || lead > 0xf4) return {1, std::nullopt};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  char32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; i++) {
    // The second byte also keeps out overlong forms, surrogates, and what lies behind U+10FFFF.
    const unsigned char least = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (i == text.size() || byte(i) < least || byte(i) > most) return {i, std::nullopt};
    code = code << 6 | (byte(i) & 0x3f);
  }
  return {length, code};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out = "\"";
  while (!text.empty()) {
    if (out.size() > longest) return out + "...\"";
    const auto [length, code] = first_character(text);
    if (code && !is_control(*code)) {
      out.append(text.substr(0, length));
    } else {
      for (const char c : text.substr(0, length)) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size();) {
    while (text.size() - i >= 8) {
      const std::size_t plain = plain_in_json(text.data() + i);
      i += plain;
      if (plain < 8) break;
    }
    if (i == text.size()) break;
    const auto [length, code] = first_character(text.substr(i));
    const bool escaped = !code || *code == '"' || *code == '\\' || is_control(*code) || is_separator(*code);
    if (escaped) {
      out.append(text, done, i - done);
      done = i + length;
      append_json_escape(out, code);
    }
    i += length;
  }
  out.append(text, done);
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string with_caret(std::string_view text, std::size_t position) {
  constexpr std::size_t context = 60;
  position = std::min(position, text.size());
  std::string shown = "  ";
  std::string blanks = "  ";
  std::size_t begin = position > context ? position - context : 0;
  while (begin > 0 && begin < position && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) begin++;
  if (begin > 0) shown += "...", blanks += "   ";
  const std::size_t end = std::min(text.size(), position + context);
  for (std::size_t i = begin; i < end;) {
    const auto [length, code] = first_character(text.substr(i));
    // One column for each character, so that the caret stands where it should.
    const bool plain = code && !is_control(*code);
    const std::size_t step = code ? length : 1;
    if (plain) shown.append(text.substr(i, step));
    if (!plain) shown += code ? ' ' : '?';
    if (i + step <= position) blanks += ' ';
    i += step;
  }
  if (end < text.size()) shown += "...";
  return shown + "\n" + blanks + "^";
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  // Dashes are no letters: two options are not alike because both have them.
  const auto letters = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('-'), text.size()));
  };
  const std::string_view typed = letters(word);
  if (typed.empty() || typed.size() > 64) return "";
  std::size_t most = std::min(std::max<std::size_t>(typed.size() / 3, 1), typed.size() - 1);
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const std::string_view name = letters(candidate);
    const std::size_t distance = name.starts_with(typed) ? 0 : edit_distance(typed, name);
    if (distance > most || (distance == most && !nearest.empty())) continue;
    most = distance;
    nearest = candidate;
  }
  return nearest.empty() ? "" : fmt::format(": did you mean {}?", nearest);
}

}  // namespace loguuid::tool
