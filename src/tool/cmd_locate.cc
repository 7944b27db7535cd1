// loguuid locate: which lane and draw made a version 4 UUID, by making them all again. The search compares raw blocks,
// with the six bits that a UUID overwrites left out. The cores share lanes, or pieces of lanes where these are few:
// passing a draw takes a quarter of the time of making it, so whoever takes a piece also goes on to the start of the
// next.
#include <fmt/format.h>
#include <loguuid.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
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
    {0, "unlimited", nullptr, "search more than 10^12 draws in all, however long it takes"},
};

constexpr char notes[] =
    "\nReproducible mode only. The exit status is 1 when no searched draw made the UUID.\n"
    "The draws of all lanes and processes together, those before --from too, are limited to 10^12.\n"
    "\nExample:\n"
    "  loguuid locate --seed 42 --threads 0-63 --within 1000000 8cf3c5ff-0a3b-4b4e-8b9b-0d7d1f6a3c55\n";

struct Block {
  std::uint64_t low;
  std::uint64_t high;
};

// How far a lane has been given out.
struct Cursor {
  std::mutex lock;
  bool started = false;
  std::uint64_t at = 0;                                 // draws behind the first one to search
  unsigned char generator[LOGUUID_GEN_SAVE_SIZE] = {};  // stands there, once started
};

struct Search {
  Seed seed;
  Range threads;
  Range processes;
  std::uint64_t from;
  std::uint64_t within;
  Block wanted;  // as the bytes lie in memory
  Block mask;

  std::uint64_t lanes;  // of all processes
  std::uint64_t total;  // draws to search
  std::uint64_t way;    // and those before --from, which are passed
  std::uint64_t workers;
  std::uint64_t piece;          // draws of a lane that a worker takes at once
  std::vector<Cursor> cursors;  // of all lanes; empty: a piece is a lane

  std::atomic<std::uint64_t> next_piece = 0;
  std::atomic<std::uint64_t> passed = 0;  // of the way
  std::atomic<bool> stop = false;
  std::mutex lock;  // for all below
  std::condition_variable ended;
  std::uint64_t ended_workers = 0;
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

// Brings `gen`, which stands at the start of its lane, to the lane's next piece, and the cursor to the one behind it.
Range take_piece(Search& search, Cursor& cursor, loguuid_gen* gen) {
  const std::lock_guard guard(cursor.lock);
  if (cursor.started) {
    loguuid_gen_restore(gen, cursor.generator);
  } else {
    skip(gen, search.from, [&](std::uint64_t step) {
      search.passed.fetch_add(step, std::memory_order_relaxed);
      return !search.stop.load(std::memory_order_relaxed);
    });
  }
  cursor.started = true;
  const std::uint64_t begin = cursor.at;
  cursor.at += std::min(search.piece, search.within - begin);
  if (cursor.at == search.within) return {begin, cursor.at};
  unsigned char start[LOGUUID_GEN_SAVE_SIZE];
  loguuid_gen_save(gen, start);
  loguuid_gen_skip(gen, cursor.at - begin);
  loguuid_gen_save(gen, cursor.generator);
  loguuid_gen_restore(gen, start);
  return {begin, cursor.at};
}

void search_piece(Search& search, std::uint64_t lane, Cursor& cursor) {
  const std::uint64_t width = search.threads.last - search.threads.first + 1;
  const std::uint64_t thread = search.threads.first + lane % width;
  const std::uint64_t process = search.processes.first + lane / width;
  Reproducible gen(search.seed, thread, process);
  const auto [begin, end] = take_piece(search, cursor, gen.get());
  std::array<Block, 1024> blocks;  // stays in the first cache
  for (std::uint64_t at = begin; at < end && !search.stop.load(std::memory_order_relaxed);) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(blocks.size(), end - at));
    loguuid_random_bytes(blocks.data(), count * sizeof(Block));
    const std::size_t hit = find_block(search, blocks.data(), count);
    if (hit < count) return report(search, {thread, process, search.from + at + hit});
    at += count;
    search.passed.fetch_add(count, std::memory_order_relaxed);
  }
}

void search_pieces(Search& search) {
  const std::uint64_t pieces = (search.within - 1) / search.piece + 1;  // of each lane
  while (!search.stop.load(std::memory_order_relaxed)) {
    const std::uint64_t number = search.next_piece.fetch_add(1, std::memory_order_relaxed);
    if (number / search.lanes >= pieces) return;
    const std::uint64_t lane = number % search.lanes;
    Cursor whole;
    search_piece(search, lane, search.cursors.empty() ? whole : search.cursors[static_cast<std::size_t>(lane)]);
  }
}

void run_worker(Search& search) {
  std::exception_ptr error;
  try {
    search_pieces(search);
  } catch (...) {
    error = std::current_exception();
    search.stop = true;
  }
  const std::lock_guard guard(search.lock);
  if (error) search.error = error;
  search.ended_workers++;
  search.ended.notify_one();
}

// This thread only shows the progress, so that the line stays alive while a worker is on a long way.
void run_search(Search& search) {
  Progress progress(Work::silent, "draws", search.way);
  std::vector<std::thread> workers;
  workers.reserve(static_cast<std::size_t>(search.workers));
  try {
    while (workers.size() < search.workers) workers.emplace_back(run_worker, std::ref(search));
  } catch (const std::system_error&) {
    // Fewer threads search as well, only longer; without any, this one does.
    if (workers.empty()) search_pieces(search);
  }
  {
    std::unique_lock guard(search.lock);
    const auto all_ended = [&] { return search.ended_workers == workers.size(); };
    while (!search.ended.wait_for(guard, std::chrono::milliseconds(100), all_ended)) progress.update(search.passed);
  }
  for (std::thread& worker : workers) worker.join();
  if (search.error) std::rethrow_exception(search.error);
}

// 2^64 - 1 stands for all that is too much.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

void count_draws(Search& search, bool unlimited) {
  constexpr std::uint64_t most_lanes = std::uint64_t{1} << 48;
  const std::uint64_t threads = search.threads.last - search.threads.first;  // one less, so that it cannot overflow
  const std::uint64_t processes = search.processes.last - search.processes.first;
  if (threads >= most_lanes || processes >= most_lanes / (threads + 1)) {
    throw Usage("--threads and --process: more than 2^48 lanes to search");
  }
  search.lanes = (threads + 1) * (processes + 1);
  search.total = multiply(search.lanes, search.within);
  const std::uint64_t before = multiply(search.lanes, search.from);
  search.way = before + std::min(search.total, ~before);
  if (search.way > most_draws && !unlimited) {
    throw Usage(
        fmt::format("--within {} from draw {} on, in {} lane{}, is more than the limit of {} draws in all: narrow "
                    "--within, --from, --threads or --process, or add --unlimited to wait as long as it takes",
                    search.within, search.from, search.lanes, search.lanes == 1 ? "" : "s", most_draws_text));
  }
}

void share_work(Search& search) {
  constexpr std::uint64_t worth_a_thread = 1'000'000;
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  search.workers = std::clamp<std::uint64_t>(search.way / worth_a_thread, 1, cores);
  // Many lanes keep all cores at work as they are.
  const bool cut = search.workers > 1 && search.lanes < 4 * search.workers;
  search.piece = cut ? std::uint64_t{1} << 18 : search.within;
  if (cut) search.cursors = std::vector<Cursor>(static_cast<std::size_t>(search.lanes));
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
  search.within = arguments.number("within", 1'000'000, 1);
  check_span("--from", search.from, "--within", search.within);
  search.wanted = block_from(uuid);
  search.mask = block_from(mask);
  count_draws(search, arguments.has("unlimited"));
  share_work(search);
  run_search(search);
  Output out;
  show(out, search.found, arguments.words()[0], arguments.has("json"));
  out.close();
  if (search.found) return exit_ok;
  throw Failure(fmt::format("locate: not made by the {} draws searched", search.total));
}

}  // namespace

const Command locate_command = {
    "locate", "--seed SEED [OPTIONS] UUID", "Name the lane and draw that made a UUID.", options, notes, run};

}  // namespace loguuid::tool
