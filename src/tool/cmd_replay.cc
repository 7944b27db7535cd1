// loguuid replay: what a lane made at a draw, given the seed.
#include <fmt/format.h>
#include <loguuid.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "commands.h"
#include "errors.h"
#include "generator.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"

namespace loguuid::tool {
namespace {

constexpr Option options[] = {
    {0, "seed", "SEED", "the seed: a number, 96 hexadecimal digits, or @FILE (required)"},
    {0, "thread", "LANE", "the lane's number: TID + 1; 0 is the booting thread (default 0)"},
    {0, "process", "N", "the process number (default 0)"},
    {0, "at", "DRAW", "the first draw to show, from 0 to 10^12 (default 0)"},
    {'n', "count", "COUNT", "how many draws (default 1)"},
    {0, "v7", nullptr, "as version 7, with --now; exact for the first draw of a millisecond"},
    {0, "now", "NS", "with --v7: the time, in nanoseconds since 1970"},
    {0, "json", nullptr, "one JSON object a line, with the position"},
    {0, "unlimited", nullptr, "go further than draw 10^12, however long it takes"},
};

constexpr char notes[] =
    "\nReproducible mode only: in live mode every lane has a key that nobody can compute again.\n"
    "Every draw before --at has to be passed; 10^12 of them take some six minutes.\n"
    "A seed on the command line shows in the list of processes; @FILE keeps it out of there.\n"
    "\nExamples:\n"
    "  loguuid replay --seed 42 --thread 1 --at 1000000000 -n 3\n"
    "  loguuid replay --seed @seed.txt --thread 5 --process 2 --json\n";

void go_to(loguuid_gen* gen, std::uint64_t draw) {
  Progress progress(Work::silent, "draws", draw);
  std::uint64_t done = 0;
  skip(gen, draw, [&](std::uint64_t step) {
    progress.update(done += step);
    return true;
  });
}

void show_plain(Output& out, std::uint64_t count, bool v7) {
  constexpr std::size_t width = 37;
  constexpr std::size_t in_block = Output::block_size / width;
  const auto block = std::make_unique_for_overwrite<char[]>(in_block * width);
  Progress progress(Work::writes, "UUIDs", count);
  for (std::uint64_t done = 0; done < count;) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(in_block, count - done));
    (v7 ? loguuid_v7_many : loguuid_v4_many)(block.get(), now * width, now, '\n');
    block[now * width - 1] = '\n';
    out.write(block.get(), now * width);
    done += now;
    progress.update(done);
  }
}

void show_json(Output& out, const loguuid_gen* gen, std::uint64_t count, bool v7) {
  Progress progress(Work::writes, "UUIDs", count);
  for (std::uint64_t done = 0; done < count; done++) {
    const loguuid_position at = loguuid_gen_position(gen);
    char uuid[37];
    (v7 ? loguuid_v7 : loguuid_v4)(uuid, sizeof uuid);
    out.print("{{\"thread\":{},\"process\":{},\"draw\":{},\"uuid\":\"{}\"}}\n", at.thread, at.process, at.draws, uuid);
    if (done % 1024 == 0) progress.update(done);
  }
}

void check_way(std::uint64_t at) {
  if (at <= most_draws) return;
  throw Usage(
      fmt::format("--at: {} draws are to be passed, more than the limit of {} (some six minutes): write a lower draw, "
                  "or add --unlimited to wait as long as it takes",
                  at, most_draws_text));
}

int run(const Arguments& arguments) {
  arguments.refuse_words();
  const auto seed_text = arguments.value("seed");
  if (!seed_text) throw Usage("--seed is missing: a replay starts from the seed");
  const bool v7 = arguments.has("v7");
  arguments.needs("v7", "now");
  arguments.needs("now", "v7");
  const Seed seed = parse_seed("--seed", *seed_text);
  const std::uint64_t lane = arguments.number("thread", 0);
  const std::uint64_t process = arguments.number("process", 0);
  const std::uint64_t at = arguments.number("at", 0);
  const std::uint64_t count = arguments.number("count", 1);
  check_span("--at", at, "--count", count);
  if (!arguments.has("unlimited")) check_way(at);
  const std::uint64_t now = arguments.number("now", 0);
  Reproducible gen(seed, lane, process);
  if (v7) loguuid_gen_set_clock(gen.get(), now);
  go_to(gen.get(), at);
  Output out;
  if (arguments.has("json")) {
    show_json(out, gen.get(), count, v7);
  } else {
    show_plain(out, count, v7);
  }
  out.close();
  return exit_ok;
}

}  // namespace

const Command replay_command = {
    "replay", "--seed SEED [OPTIONS]", "Write again what a lane made at a draw.", options, notes, run};

}  // namespace loguuid::tool
