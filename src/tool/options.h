// Command lines: one table describes a command, and both getopt_long and the help text come from it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loguuid::tool {

struct Option {
  char letter;        // 0: none
  const char* name;   // long name
  const char* value;  // what the help calls its value; nullptr: takes none
  const char* help;
};

class Arguments;

struct Command {
  const char* name;
  const char* synopsis;  // what follows "loguuid NAME"
  const char* summary;   // one line
  std::span<const Option> options;
  const char* notes;  // paragraphs behind the options
  int (*run)(const Arguments& arguments);
};

std::string help_text(const Command& command);

class Arguments {
 public:
  // argv[0] is the command's name. Throws Usage.
  Arguments(const Command& command, int argc, char** argv);

  bool help() const { return has("help"); }
  bool has(std::string_view name) const { return value(name).has_value(); }
  // The last one wins where an option is repeated; "" for an option without a value.
  std::optional<std::string_view> value(std::string_view name) const;
  std::vector<std::string_view> values(std::string_view name) const;
  std::uint64_t number(std::string_view name, std::uint64_t fallback, std::uint64_t min = 0,
                       std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const;

  const std::vector<std::string_view>& words() const { return words_; }
  void refuse_words() const;

  // At most one of the options may be there.
  void exclusive(std::span<const std::string_view> names) const;
  // `name` means nothing without `needed`.
  void needs(std::string_view name, std::string_view needed) const;

 private:
  struct Given {
    std::string_view name;
    std::string_view value;
  };
  [[noreturn]] void refuse(int code, int argc, char** argv) const;

  std::vector<Option> options_;
  std::vector<Given> given_;
  std::vector<std::string_view> words_;
};

}  // namespace loguuid::tool
