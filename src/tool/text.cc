#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace loguuid::tool {
namespace {

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

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

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; i++) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies behind U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out = "\"";
  while (!text.empty()) {
    if (out.size() > longest) return out + "...\"";
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // The C1 controls U+0080 to U+009F are two bytes, the first of them 0xc2.
    const bool c1 = length == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (length == 0 || is_control(first) || c1) {
      out += fmt::format("\\x{:02x}", first);
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return out + "\"";
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\ufffd";
    } else if (is_control(first)) {
      out += fmt::format("\\u{:04x}", first);
    } else {
      if (first == '"' || first == '\\') out += '\\';
      out.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + "\"";
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
    const std::size_t length = utf8_length(text.substr(i));
    // One column for each character, so that the caret stands where it should.
    const bool plain = length > 0 && !is_control(static_cast<unsigned char>(text[i]));
    const std::size_t step = std::max<std::size_t>(length, 1);
    if (plain) shown.append(text.substr(i, step));
    if (!plain) shown += length > 0 ? ' ' : '?';
    if (i + step <= position) blanks += ' ';
    i += step;
  }
  if (end < text.size()) shown += "...";
  return shown + "\n" + blanks + "^";
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > 64) return "";
  std::string_view nearest;
  std::size_t best = word.size() <= 3 ? 2 : 1 + word.size() / 3;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = candidate.starts_with(word) ? 1 : edit_distance(word, candidate);
    if (distance < best || (distance == best && nearest.empty() && distance < word.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : fmt::format(": did you mean {}?", nearest);
}

}  // namespace loguuid::tool
