// loguuid inspect: what identifiers say about themselves, one line each, so that grep and sort find them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "commands.h"
#include "errors.h"
#include "identifier.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr Option options[] = {
    {0, "json", nullptr, "one JSON object a line"},
};

constexpr char notes[] =
    "\nWithout arguments the identifiers come from standard input, with blanks or line ends between them.\n"
    "UUIDs are read in the 36-character form, as 32 hexadecimal digits, in {braces} or behind urn:uuid:.\n"
    "What is neither a UUID nor a ULID is reported on standard error, and the exit status is 1.\n"
    "\nExamples:\n"
    "  loguuid inspect 017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n"
    "  loguuid gen --ulid -n 3 | loguuid inspect --json\n";

bool all_bytes_are(const Bytes& bytes, unsigned char value) {
  return std::all_of(bytes.begin(), bytes.end(), [=](unsigned char byte) { return byte == value; });
}

void show_time_json(Output& out, const std::optional<Instant>& time) {
  if (time) out.print(",\"time\":\"{}\"", iso_time(*time));
}

void show_uuid(Output& out, std::string_view text, const Bytes& uuid, bool json) {
  const unsigned version = uuid_version(uuid);
  const auto time = uuid_time(uuid);
  const bool nil = all_bytes_are(uuid, 0);
  const bool max = all_bytes_are(uuid, 0xff);
  const bool rfc = is_rfc_variant(uuid);
  if (json) {
    out.print("{{\"id\":{},\"kind\":\"uuid\",\"variant\":\"{}\"", json_string(text), uuid_variant(uuid));
    if (nil || max) out.print(",\"special\":\"{}\"", nil ? "nil" : "max");
    if (rfc) out.print(",\"version\":{}", version);
    show_time_json(out, time);
    out.print("}}\n");
    return;
  }
  out.print("{}  UUID", text);
  if (nil || max) {
    out.print("  {}\n", nil ? "the nil UUID" : "the max UUID");
    return;
  }
  if (rfc) out.print("  version {}", version);
  const std::string_view meaning = rfc ? version_meaning(version) : "";
  if (!meaning.empty()) out.print(" ({})", meaning);
  out.print("  variant {}", uuid_variant(uuid));
  if (time) out.print("  time {}", iso_time(*time));
  out.print("\n");
}

void show_ulid(Output& out, std::string_view text, const Bytes& ulid, bool json) {
  const Instant time = ulid_time(ulid);
  if (json) {
    out.print("{{\"id\":{},\"kind\":\"ulid\"", json_string(text));
    show_time_json(out, time);
    out.print("}}\n");
  } else {
    out.print("{}  ULID  time {}\n", text, iso_time(time));
  }
}

// Returns whether `text` is an identifier; `place` says where it stood.
bool inspect(Output& out, std::string_view text, const std::string& place, bool json, Progress& progress) {
  if (const auto uuid = parse_uuid(text)) {
    show_uuid(out, text, *uuid, json);
  } else if (const auto ulid = parse_ulid(text)) {
    show_ulid(out, text, *ulid, json);
  } else {
    out.flush();
    progress.hide();
    complain(fmt::format("inspect: {}{} is neither a UUID nor a ULID", place, quoted(text)));
    return false;
  }
  return true;
}

int run(const Arguments& arguments) {
  const bool json = arguments.has("json");
  Output out;
  bool good = true;
  std::uint64_t done = 0;
  // Who types identifiers sees how far they are.
  Progress progress(isatty(STDIN_FILENO) == 1 ? Work::typed : Work::writes, "identifiers");
  for (const std::string_view word : arguments.words()) good &= inspect(out, word, "", json, progress);
  if (arguments.words().empty()) {
    if (isatty(STDIN_FILENO) == 1) complain("reading identifiers from the terminal, Ctrl-D ends");
    read_words(
        256,
        [&](std::string_view word, std::uint64_t line) {
          good &= inspect(out, word, fmt::format("line {}: ", line), json, progress);
          done++;
        },
        [&] {
          out.flush();
          progress.update(done);
        });
  }
  out.close();
  return good ? exit_ok : exit_failure;
}

}  // namespace

const Command inspect_command = {
    "inspect", "[--json] [UUID|ULID ...]", "Show version, variant and time of identifiers.", options, notes, run};

}  // namespace loguuid::tool
