// Reading: a small file as a whole, and standard input word by word in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace loguuid::tool {

// As messages call it: the path in quotes, or standard input for "-".
std::string file_name(std::string_view path);

// The whole file ("-": standard input). Throws Failure, also for more than `most` bytes and a line end.
std::string read_file(const std::string& path, std::size_t most);

// Calls `word` for each word between blanks of standard input, with its line's number from 1, and `idle` whenever the
// next read may wait. A word is cut after `most` bytes, so that input without blanks takes no memory.
void read_words(std::size_t most, const std::function<void(std::string_view, std::uint64_t)>& word,
                const std::function<void()>& idle);

}  // namespace loguuid::tool
