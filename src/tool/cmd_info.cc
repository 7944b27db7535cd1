// loguuid info: what the library found on this machine, and what it made of the environment.
#include <fmt/format.h>
#include <loguuid.h>

#include <string>
#include <string_view>

#include "commands.h"
#include "errors.h"
#include "generator.h"
#include "output.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr Option options[] = {
    {0, "json", nullptr, "as a JSON object"},
};

constexpr char notes[] =
    "\nLOGUUID_KERNEL=NAME in the environment chooses a lower kernel; a name that is unknown, or not for this CPU, is\n"
    "ignored, and this command says so.\n";

std::string_view or_unknown(const char* text) { return text ? text : "unknown"; }

std::string json_list(std::string_view words) {
  std::string out = "[";
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) out += (out.size() > 1 ? "," : "") + json_string(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out + "]";
}

void show_json(Output& out, const loguuid_info& info) {
  out.print("{{\"version\":{},\"kernel\":{},\"kernels\":{},", json_string(loguuid_version()),
            json_string(or_unknown(info.kernel)), json_list(info.kernels ? info.kernels : ""));
  out.print("\"kernel_request\":{},\"kernel_request_honoured\":{},",
            info.kernel_request ? json_string(info.kernel_request) : "null",
            info.kernel_request ? (info.kernel_request_honoured ? "true" : "false") : "null");
  out.print("\"fork_detection\":{},\"snapshot_detection\":{},\"clock\":{},",
            json_string(or_unknown(info.fork_detection)), json_string(or_unknown(info.snapshot_detection)),
            json_string(or_unknown(info.clock)));
  out.print("\"mode\":{},\"hash\":{},\"thread_state_bytes\":{}}}\n", json_string(or_unknown(info.mode)),
            json_string(or_unknown(info.hash)), info.thread_state_bytes);
}

void show_plain(Output& out, const loguuid_info& info) {
  const auto row = [&](std::string_view name, std::string_view value) { out.print("{:<20}{}\n", name, value); };
  row("version", loguuid_version());
  row("kernel", or_unknown(info.kernel));
  row("kernels of this CPU", or_unknown(info.kernels));
  if (info.kernel_request) {
    row("LOGUUID_KERNEL", fmt::format("{}: {}", quoted(info.kernel_request),
                                      info.kernel_request_honoured ? "honoured" : "ignored, no kernel of this CPU"));
  } else {
    row("LOGUUID_KERNEL", "not set");
  }
  row("fork detection", or_unknown(info.fork_detection));
  row("snapshot detection", or_unknown(info.snapshot_detection));
  row("clock", or_unknown(info.clock));
  row("mode", or_unknown(info.mode));
  row("hash", or_unknown(info.hash));
  row("thread state", fmt::format("{} bytes", info.thread_state_bytes));
}

int run(const Arguments& arguments) {
  arguments.refuse_words();
  boot_live();
  loguuid_info info{};
  info.size = sizeof info;
  const loguuid_status status = loguuid_describe(&info);
  if (status != LOGUUID_OK) throw Failure(fmt::format("info: {}", loguuid_strerror(status)));
  Output out;
  if (arguments.has("json")) {
    show_json(out, info);
  } else {
    show_plain(out, info);
  }
  out.close();
  return exit_ok;
}

}  // namespace

const Command info_command = {"info", "[--json]", "Show what the library found on this machine.", options, notes, run};

}  // namespace loguuid::tool
