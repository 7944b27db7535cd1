// The command `loguuid`: finds the command asked for, and turns every way to end into a message and an exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <loguuid.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "errors.h"
#include "output.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr std::array commands = {&gen_command,    &format_command, &inspect_command,
                                 &replay_command, &locate_command, &info_command};

std::string overview() {
  std::string out =
      "Usage: loguuid COMMAND [OPTIONS]\n"
      "Identifiers for proxies and servers: UUIDs, tokens, log lines.\n\nCommands:\n";
  for (const Command* command : commands) {
    fmt::format_to(std::back_inserter(out), "  {:<10}{}\n", command->name, command->summary);
  }
  return out +
         "  help      print what a command does: loguuid help COMMAND\n"
         "\nOptions:\n"
         "  -h, --help                 print this help\n"
         "  -V, --version              print the version\n"
         "\nExit status: 0 done, 1 the work failed, 2 the command line is wrong.\n";
}

const Command& find_command(std::string_view name) {
  std::vector<std::string_view> names{"help"};
  for (const Command* command : commands) {
    if (name == command->name) return *command;
    names.emplace_back(command->name);
  }
  throw Usage(fmt::format("unknown command {}{}", quoted(name), did_you_mean(name, names)));
}

int print_text(const std::string& text) {
  Output out;
  out.print("{}", text);
  out.close();
  return exit_ok;
}

int help(int argc, char** argv) {
  if (argc > 3) throw Usage(fmt::format("help takes one command: what is {}?", quoted(argv[3])));
  const std::string_view topic = argc < 3 ? "help" : argv[2];
  if (topic == "help" || topic == "--help" || topic == "-h") return print_text(overview());
  return print_text(help_text(find_command(topic)));
}

int dispatch(int argc, char** argv, std::string& place) {
  if (argc < 2) throw Usage("no command: try gen, or see the list");
  const std::string_view name = argv[1];
  if (name == "help") return help(argc, argv);
  if (name.starts_with('-')) {
    static constexpr std::string_view known[] = {"--help", "--version"};
    const bool asks_help = name == "--help" || name == "-h";
    const bool asks_version = name == "--version" || name == "-V";
    if (!asks_help && !asks_version) {
      throw Usage(fmt::format("unknown option {}{}", quoted(name), did_you_mean(name, known)));
    }
    if (argc > 2) throw Usage(fmt::format("{} stands alone: what is {}?", name, quoted(argv[2])));
    return print_text(asks_help ? overview() : fmt::format("loguuid {}\n", loguuid_version()));
  }
  const Command& command = find_command(name);
  place = fmt::format("{}: ", name);
  const Arguments arguments(command, argc - 1, argv + 1);
  return arguments.help() ? print_text(help_text(command)) : command.run(arguments);
}

// A file opened later must not become somebody's standard output because the caller closed it. Input and output get the
// wrong direction, so that their use fails as it would have failed.
void fill_standard_descriptors() {
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) (void)open("/dev/null", O_WRONLY);
  if (fcntl(STDOUT_FILENO, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) (void)open("/dev/null", O_WRONLY);
}

// SIGPIPE is ignored while the work goes on, so that a progress line is taken away before the end. Then the command
// ends as its caller expects of one that writes to a closed pipe: silently, by the signal; or with a message, where the
// caller ignores the signal.
int end_by_closed_pipe(const ClosedPipe& error, bool caller_ignores) {
  if (caller_ignores) {
    complain(error.what());
  } else {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  return exit_failure;
}

int run(int argc, char** argv) {
  const bool sigpipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  std::string place;
  try {
    return dispatch(argc, argv, place);
  } catch (const Usage& error) {
    const std::string topic = place.empty() ? "" : " " + place.substr(0, place.size() - 2);
    complain(fmt::format("{}{}\nTry 'loguuid help{}'.", place, error.what(), topic));
    return exit_usage;
  } catch (const ClosedPipe& error) {
    return end_by_closed_pipe(error, sigpipe_ignored);
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return exit_failure;
}

}  // namespace
}  // namespace loguuid::tool

int main(int argc, char** argv) {
  loguuid::tool::fill_standard_descriptors();
  try {
    return loguuid::tool::run(argc, argv);
  } catch (...) {
    return loguuid::tool::exit_failure;  // not even memory for the message
  }
}
