#include "options.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <iterator>

#include "errors.h"
#include "numbers.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr Option help_option = {'h', "help", nullptr, "print this help"};
constexpr int first_long = 256;  // above every letter

void append_option(std::string& out, const Option& option) {
  std::string left = option.letter ? fmt::format("  -{}, ", option.letter) : std::string("      ");
  left += fmt::format("--{}{}{}", option.name, option.value ? " " : "", option.value ? option.value : "");
  fmt::format_to(std::back_inserter(out), "{:<28} {}\n", left, option.help);
}

}  // namespace

std::string help_text(const Command& command) {
  std::string out =
      fmt::format("Usage: loguuid {} {}\n{}\n\nOptions:\n", command.name, command.synopsis, command.summary);
  for (const Option& option : command.options) append_option(out, option);
  append_option(out, help_option);
  return out + command.notes;
}

Arguments::Arguments(const Command& command, int argc, char** argv)
    : options_(command.options.begin(), command.options.end()) {
  options_.push_back(help_option);
  std::string letters = ":";
  std::vector<option> table;
  for (std::size_t i = 0; i < options_.size(); i++) {
    const Option& known = options_[i];
    if (known.letter) letters += known.letter;
    if (known.letter && known.value) letters += ':';
    table.push_back(
        {known.name, known.value ? required_argument : no_argument, nullptr, first_long + static_cast<int>(i)});
  }
  table.push_back({});
  opterr = 0;
  optind = 0;
  int code;
  while ((code = getopt_long(argc, argv, letters.c_str(), table.data(), nullptr)) != -1) {
    if (code == '?' || code == ':') refuse(code, argc, argv);
    const auto found = std::find_if(options_.begin(), options_.end(), [&](const Option& known) {
      return code >= first_long ? &known - options_.data() == code - first_long : known.letter == code;
    });
    given_.push_back({found->name, optarg ? std::string_view(optarg) : std::string_view()});
  }
  words_.assign(argv + optind, argv + argc);
}

void Arguments::refuse(int code, int argc, char** argv) const {
  const auto known = std::find_if(options_.begin(), options_.end(), [&](const Option& candidate) {
    return optopt >= first_long ? &candidate - options_.data() == optopt - first_long
                                : candidate.letter != 0 && candidate.letter == optopt;
  });
  if (code == ':') {
    const std::string name =
        optopt >= first_long ? fmt::format("--{}", known->name) : fmt::format("-{}", known->letter);
    throw Usage(fmt::format("{} needs a value: {} {}", name, name, known->value));
  }
  if (optopt >= first_long) throw Usage(fmt::format("--{} takes no value", known->name));
  if (optopt != 0) {
    throw Usage(fmt::format("unknown option {}", quoted(std::string{'-', static_cast<char>(optopt)})));
  }
  std::string_view word = argv[std::clamp(optind - 1, 0, argc - 1)];
  word = word.substr(0, word.find('='));
  std::vector<std::string> names;
  std::string alike;
  for (const Option& candidate : options_) {
    names.push_back(fmt::format("--{}", candidate.name));
    if (names.back().starts_with(word)) alike += (alike.empty() ? "" : ", ") + names.back();
  }
  if (!alike.empty()) throw Usage(fmt::format("option {} is ambiguous: {}", quoted(word), alike));
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw Usage(fmt::format("unknown option {}{}", quoted(word), did_you_mean(word, views)));
}

std::optional<std::string_view> Arguments::value(std::string_view name) const {
  const auto last = std::find_if(given_.rbegin(), given_.rend(), [&](const Given& it) { return it.name == name; });
  if (last == given_.rend()) return std::nullopt;
  return last->value;
}

std::vector<std::string_view> Arguments::values(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const Given& given : given_) {
    if (given.name == name) out.push_back(given.value);
  }
  return out;
}

std::uint64_t Arguments::number(std::string_view name, std::uint64_t fallback, std::uint64_t min,
                                std::uint64_t max) const {
  const auto text = value(name);
  return text ? parse_number(fmt::format("--{}", name), *text, min, max) : fallback;
}

void Arguments::refuse_words() const {
  if (!words_.empty()) throw Usage(fmt::format("options only: what is {}?", quoted(words_[0])));
}

void Arguments::exclusive(std::span<const std::string_view> names) const {
  std::string_view first;
  for (const std::string_view name : names) {
    if (!has(name)) continue;
    if (!first.empty()) throw Usage(fmt::format("--{} and --{} exclude each other: give one of them", first, name));
    first = name;
  }
}

void Arguments::needs(std::string_view name, std::string_view needed) const {
  if (has(name) && !has(needed)) throw Usage(fmt::format("--{} needs --{} beside it", name, needed));
}

}  // namespace loguuid::tool
