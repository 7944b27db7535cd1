// loguuid gen: identifiers as fast as the library makes them. A block is filled in place and written as a whole;
// nothing is done for a single identifier but its making.
#include <fmt/format.h>
#include <loguuid.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "errors.h"
#include "generator.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr std::uint64_t max_token = 1024 * 1024;

constexpr Option options[] = {
    {'n', "count", "N", "how many (default 1)"},
    {0, "v4", nullptr, "random UUIDs, version 4 (the default)"},
    {0, "v7", nullptr, "UUIDs that sort by time, version 7"},
    {0, "ulid", nullptr, "ULIDs"},
    {0, "token", "BYTES", "tokens of that many random bytes"},
    {0, "encoding", "NAME", "how to write tokens: hex (default), base64, base64url, base32"},
    {0, "traceparent", nullptr, "traceparent headers (W3C Trace Context)"},
    {0, "flags", "BITS", "the flags of a traceparent, 0 to 0xff (default 1: sampled)"},
    {0, "websocket-key", nullptr, "values of Sec-WebSocket-Key"},
    {0, "separator", "CHAR", "what stands between two (default \\n); also \\t, \\0"},
    {0, "json", nullptr, "one JSON object a line"},
};

constexpr char notes[] =
    "\nOne identifier a line. With another separator a line end follows the last one; with \\0 each ends with a NUL\n"
    "byte, as xargs -0 reads them. Base32 is Crockford's.\n"
    "--json writes {\"uuid\":\"...\",\"version\":4}, or the member ulid, token, traceparent or websocket_key.\n"
    "\nExamples:\n"
    "  loguuid gen\n"
    "  loguuid gen -n 5 --v7\n"
    "  loguuid gen --token 16 --encoding base64url\n"
    "  loguuid gen -n 3 --ulid --json | jq -r .ulid\n";

// One kind of identifier: `width` bytes each, the separator included.
struct Kind {
  std::size_t width;
  std::function<void(char* out, std::size_t count)> fill;  // `count` of them, the separator behind each
};

// For what the library makes one at a time: `one(out, cap)` returns the length, or 0.
template <class One>
Kind one_by_one(std::size_t width, char separator, One one) {
  return {width, [=](char* out, std::size_t count) {
            for (std::size_t i = 0; i < count; i++, out += width) {
              if (one(out, width) == 0) throw Failure("the random part of a ULID overflowed within one millisecond");
              out[width - 1] = separator;
            }
          }};
}

template <class Many>
Kind in_batches(char separator, Many many) {
  constexpr std::size_t width = 37;
  return {width, [=](char* out, std::size_t count) {
            many(out, width * count, count, separator);
            out[width * count - 1] = separator;
          }};
}

loguuid_encoding encoding_from(const Arguments& arguments) {
  static constexpr std::pair<std::string_view, loguuid_encoding> names[] = {
      {"hex", LOGUUID_HEX}, {"base64", LOGUUID_BASE64}, {"base64url", LOGUUID_BASE64URL}, {"base32", LOGUUID_BASE32}};
  const std::string_view wanted = arguments.value("encoding").value_or("hex");
  for (const auto& [name, encoding] : names) {
    if (name == wanted) return encoding;
  }
  throw Usage(fmt::format("--encoding: unknown encoding {}: write hex, base64, base64url or base32", quoted(wanted)));
}

Kind kind_from(const Arguments& arguments, char separator) {
  if (arguments.has("v7")) return in_batches(separator, loguuid_v7_many);
  if (arguments.has("ulid")) return one_by_one(27, separator, loguuid_ulid);
  if (arguments.has("websocket-key")) return one_by_one(25, separator, loguuid_websocket_key);
  if (arguments.has("traceparent")) {
    const auto flags = static_cast<unsigned>(arguments.number("flags", 1, 0, 255));
    return one_by_one(56, separator, [=](char* out, std::size_t cap) { return loguuid_traceparent(out, cap, flags); });
  }
  if (arguments.has("token")) {
    const auto bytes = static_cast<std::size_t>(arguments.number("token", 16, 1, max_token));
    const loguuid_encoding encoding = encoding_from(arguments);
    return one_by_one(loguuid_token_size(bytes, encoding), separator,
                      [=](char* out, std::size_t cap) { return loguuid_token(out, cap, bytes, encoding); });
  }
  return in_batches(separator, loguuid_v4_many);
}

// What stands around each identifier in JSON.
struct Frame {
  std::string before;
  std::string behind;
};

Frame frame_from(const Arguments& arguments) {
  if (arguments.has("v7")) return {R"({"uuid":")", "\",\"version\":7}\n"};
  if (arguments.has("ulid")) return {R"({"ulid":")", "\"}\n"};
  if (arguments.has("websocket-key")) return {R"({"websocket_key":")", "\"}\n"};
  if (arguments.has("traceparent")) return {R"({"traceparent":")", "\"}\n"};
  if (arguments.has("token")) return {R"({"token":")", "\"}\n"};
  return {R"({"uuid":")", "\",\"version\":4}\n"};
}

// No identifier holds a byte that JSON would escape, so each is copied between the parts of its frame.
Kind in_frames(const Frame& frame, const Kind& bare) {
  const std::size_t length = bare.width - 1;
  const std::size_t batch = std::max<std::size_t>(16 * 1024 / bare.width, 1);  // stays in the first cache
  const auto scratch = std::make_shared<std::vector<char>>(batch * bare.width);
  const auto put = [](char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); };
  return {frame.before.size() + length + frame.behind.size(), [=](char* out, std::size_t count) {
            while (count > 0) {
              const std::size_t now = std::min(count, batch);
              bare.fill(scratch->data(), now);
              for (std::size_t i = 0; i < now; i++) {
                out = put(out, frame.before);
                out = put(out, {&(*scratch)[i * bare.width], length});
                out = put(out, frame.behind);
              }
              count -= now;
            }
          }};
}

// One reading of the clock serves a block: it takes longer than making a ULID.
std::uint64_t block_time;
std::uint64_t block_clock() { return block_time; }
std::uint64_t system_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

void generate(const Kind& kind, std::uint64_t count, bool end_line) {
  const std::size_t in_block = std::max<std::size_t>(Output::block_size / kind.width, 1);
  const auto block = std::make_unique_for_overwrite<char[]>(in_block * kind.width);
  Output out;
  Progress progress(Work::writes, "identifiers", count);
  for (std::uint64_t done = 0; done < count;) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(in_block, count - done));
    block_time = system_time();
    kind.fill(block.get(), now);
    done += now;
    if (done == count && end_line) block[now * kind.width - 1] = '\n';
    out.write(block.get(), now * kind.width);
    progress.update(done);
  }
  out.close();
}

int run(const Arguments& arguments) {
  arguments.refuse_words();
  arguments.exclusive(std::array<std::string_view, 6>{"v4", "v7", "ulid", "token", "traceparent", "websocket-key"});
  arguments.needs("encoding", "token");
  arguments.needs("flags", "traceparent");
  const std::uint64_t count = arguments.number("count", 1);
  arguments.exclusive(std::array<std::string_view, 2>{"json", "separator"});
  const char separator = parse_separator("--separator", arguments.value("separator").value_or("\\n"));
  Kind kind = kind_from(arguments, separator);
  if (arguments.has("json")) kind = in_frames(frame_from(arguments), kind);
  boot_live(block_clock);
  generate(kind, count, separator != '\0');
  return exit_ok;
}

}  // namespace

const Command gen_command = {"gen", "[OPTIONS]", "Write new identifiers, one a line.", options, notes, run};

}  // namespace loguuid::tool
