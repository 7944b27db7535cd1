// Text that came from outside, made fit to be shown: in a message, in JSON, under a caret; and the nearest known word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loguuid::tool {

// A character of UTF-8 (RFC 3629), or the longest beginning of one where the bytes go wrong; at least a byte of it.
struct Character {
  std::size_t length;
  std::optional<char32_t> code;
};

// The first one of `text`, which is not empty.
Character first_character(std::string_view text);

// `text` in quotes, safe on a terminal: control bytes and broken UTF-8 as \xNN, cut after some 80 characters.
std::string quoted(std::string_view text);

// `text` as a JSON string with its quotes, by the rules of JSON in log formats: controls as \u00NN, so also U+0085,
// U+2028 and U+2029, at which some readers end lines, and U+FFFD for each broken piece of UTF-8.
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);

// Two lines: the text around byte `position`, and a caret under it.
std::string with_caret(std::string_view text, std::size_t position);

// ": did you mean NEAREST?", or "" if no candidate is near: one that `word` begins, or that differs in a third of the
// letters at most, but one always may.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace loguuid::tool
