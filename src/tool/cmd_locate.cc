// loguuid locate: which lane and draw made a version 4 UUID, by making them all again. The search compares raw blocks,
// with the six bits that a UUID overwrites left out, and shares pieces of lanes among the cores.
#include <fmt/format.h>
#include <loguuid.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "commands.h"
#include "errors.h"
#include "generator.h"
#include "identifier.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr Option options[] = {
    {0, "seed", "SEED", "the seed: a number, 96 hexadecimal digits, or @FILE (required)"},
    {0, "threads", "FIRST-LAST", "the lanes to search, TID + 1 (default 0-63)"},
    {0, "process", "FIRST-LAST", "the process numbers to search (default 0)"},
    {0, "within", "DRAWS", "how many draws of each lane to search (default 1000000)"},
    {0, "from", "DRAW", "the first draw to search (default 0)"},
    {0, "json", nullptr, "the answer as a JSON object"},
};

constexpr char notes[] =
    "\nReproducible mode only. The exit status is 1 when no searched draw made the UUID.\n"
    "\nExample:\n"
    "  loguuid locate --seed 42 --threads 0-63 --within 1000000 8cf3c5ff-0a3b-4b4e-8b9b-0d7d1f6a3c55\n";

struct Block {
  std::uint64_t low;
  std::uint64_t high;
};

struct Search {
  Seed seed;
  Range threads;
  Range processes;
  std::uint64_t from;
  std::uint64_t within;
  Block wanted;  // as the bytes lie in memory
  Block mask;

  std::uint64_t lanes;   // of all processes
  std::uint64_t pieces;  // of each lane
  std::uint64_t total;   // draws

  std::atomic<std::uint64_t> next_piece = 0;
  std::atomic<std::uint64_t> searched = 0;
  std::atomic<bool> stop = false;
  std::mutex lock;
  std::optional<loguuid_position> found;
  std::exception_ptr error;
};

Block block_from(const Bytes& bytes) {
  Block block;
  std::memcpy(&block, bytes.data(), sizeof block);
  return block;
}

// The index of the block that made the UUID, or `count`.
std::size_t find_block(const Search& search, const Block* blocks, std::size_t count) {
  for (std::size_t i = 0; i < count; i++) {
    const std::uint64_t differs = ((blocks[i].low ^ search.wanted.low) & search.mask.low) |
                                  ((blocks[i].high ^ search.wanted.high) & search.mask.high);
    if (differs == 0) return i;
  }
  return count;
}

void report(Search& search, const loguuid_position& position) {
  const std::lock_guard guard(search.lock);
  search.found = position;
  search.stop = true;
}

void search_piece(Search& search, std::uint64_t number, Progress* progress) {
  const std::uint64_t lane = number / search.pieces;
  const std::uint64_t piece = number % search.pieces;
  const std::uint64_t size = search.within / search.pieces + (search.within % search.pieces != 0 ? 1 : 0);
  const std::uint64_t begin = std::min(piece * size, search.within);
  const std::uint64_t end = std::min(begin + size, search.within);
  const std::uint64_t width = search.threads.last - search.threads.first + 1;
  const std::uint64_t thread = search.threads.first + lane % width;
  const std::uint64_t process = search.processes.first + lane / width;
  Reproducible gen(search.seed, thread, process);
  loguuid_gen_skip(gen.get(), search.from + begin);
  std::array<Block, 1024> blocks;  // stays in the first cache
  for (std::uint64_t at = begin; at < end && !search.stop.load(std::memory_order_relaxed);) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(blocks.size(), end - at));
    loguuid_random_bytes(blocks.data(), count * sizeof(Block));
    const std::size_t hit = find_block(search, blocks.data(), count);
    if (hit < count) return report(search, {thread, process, search.from + at + hit});
    at += count;
    search.searched.fetch_add(count, std::memory_order_relaxed);
    if (progress != nullptr && at % (64 * blocks.size()) == 0) progress->update(search.searched);
  }
}

// `progress`: for the one thread that shows it.
void search_pieces(Search& search, Progress* progress) {
  try {
    while (!search.stop.load(std::memory_order_relaxed)) {
      const std::uint64_t number = search.next_piece.fetch_add(1, std::memory_order_relaxed);
      if (number / search.pieces >= search.lanes) return;
      search_piece(search, number, progress);
    }
  } catch (...) {
    const std::lock_guard guard(search.lock);
    search.error = std::current_exception();
    search.stop = true;
  }
}

void run_search(Search& search) {
  constexpr std::uint64_t worth_a_thread = 1'000'000;
  Progress progress(Work::silent, "draws", search.total);
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(cores, search.total / worth_a_thread)) {
      helpers.emplace_back(search_pieces, std::ref(search), nullptr);
    }
  } catch (const std::system_error&) {
    // Fewer threads search as well, only longer.
  }
  search_pieces(search, &progress);
  for (std::thread& helper : helpers) helper.join();
  if (search.error) std::rethrow_exception(search.error);
}

void size_search(Search& search) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t most_lanes = std::uint64_t{1} << 48;
  const std::uint64_t threads = search.threads.last - search.threads.first;  // one less, so that it cannot overflow
  const std::uint64_t processes = search.processes.last - search.processes.first;
  if (threads >= most_lanes || processes >= most_lanes / (threads + 1)) {
    throw Usage("--threads and --process: more than 2^48 lanes to search");
  }
  search.lanes = (threads + 1) * (processes + 1);
  // Few lanes are cut, so that every core has work; the way to a piece's start costs a small part of the search.
  search.pieces = search.lanes >= 16 ? 1 : 16;
  search.total = search.within > most / search.lanes ? most : search.lanes * search.within;
}

Bytes uuid_from(const Arguments& arguments) {
  const auto& words = arguments.words();
  if (words.empty()) throw Usage("no UUID: which one is wanted?");
  if (words.size() > 1) throw Usage(fmt::format("one UUID at a time: what is {}?", quoted(words[1])));
  const auto uuid = parse_uuid(words[0]);
  if (!uuid) throw Usage(fmt::format("{} is not a UUID", quoted(words[0])));
  if (!is_rfc_variant(*uuid) || uuid_version(*uuid) != 4) {
    throw Usage(fmt::format("{} is not a version 4 UUID: only those can be located", quoted(words[0])));
  }
  return *uuid;
}

std::string lane_name(std::uint64_t thread) {
  if (thread == 0) return "the booting thread";
  if (thread > std::numeric_limits<std::uint32_t>::max() + std::uint64_t{1}) return "a thread without TID";
  return fmt::format("TID {}", thread - 1);
}

void show(Output& out, const std::optional<loguuid_position>& found, std::string_view uuid, bool json) {
  if (json) {
    out.print("{{\"uuid\":{},\"found\":{}", json_string(uuid), found.has_value());
    if (found) out.print(",\"thread\":{},\"process\":{},\"draw\":{}", found->thread, found->process, found->draws);
    out.print("}}\n");
  } else if (found) {
    out.print("thread {} ({}), process {}, draw {}\n", found->thread, lane_name(found->thread), found->process,
              found->draws);
  }
}

int run(const Arguments& arguments) {
  const auto seed_text = arguments.value("seed");
  if (!seed_text) throw Usage("--seed is missing: the search starts from the seed");
  const Bytes uuid = uuid_from(arguments);
  Bytes mask;
  mask.fill(0xff);
  mask[6] = 0x0f;
  mask[8] = 0x3f;
  Search search{};
  search.seed = parse_seed("--seed", *seed_text);
  search.threads = parse_range("--threads", arguments.value("threads").value_or("0-63"));
  search.processes = parse_range("--process", arguments.value("process").value_or("0"));
  search.from = arguments.number("from", 0);
  search.within = arguments.number("within", 1'000'000, 1, std::numeric_limits<std::uint64_t>::max() - search.from);
  search.wanted = block_from(uuid);
  search.mask = block_from(mask);
  size_search(search);
  run_search(search);
  Output out;
  show(out, search.found, arguments.words()[0], arguments.has("json"));
  out.close();
  if (search.found) return exit_ok;
  if (arguments.has("json")) return exit_failure;
  throw Failure(fmt::format("locate: not made by the {} draws searched", search.total));
}

}  // namespace

const Command locate_command = {
    "locate", "--seed SEED [OPTIONS] UUID", "Name the lane and draw that made a UUID.", options, notes, run};

}  // namespace loguuid::tool
