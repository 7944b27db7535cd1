// Text that came from outside, made fit to be shown: in a message, in JSON, under a caret; and the nearest known word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace loguuid::tool {

// Bytes of the valid UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text);

// `text` in quotes, safe on a terminal: control bytes and broken UTF-8 as \xNN, cut after some 80 characters.
std::string quoted(std::string_view text);

// `text` as a JSON string with its quotes; broken UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

// Two lines: the text around byte `position`, and a caret under it.
std::string with_caret(std::string_view text, std::size_t position);

// ": did you mean NEAREST?", or "" if no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace loguuid::tool
