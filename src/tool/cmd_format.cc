// loguuid format: lines of a log format. Every thread renders whole lines into a block of its own and writes the block
// under the lock, so lines never mix, whatever the reader does.
#include <fmt/format.h>
#include <loguuid.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "commands.h"
#include "errors.h"
#include "generator.h"
#include "input.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "text.h"

namespace loguuid::tool {
namespace {

constexpr std::size_t max_format = 16 * 1024 * 1024;
constexpr std::uint64_t max_threads = 1024;
constexpr std::size_t max_fields = 128;
constexpr std::size_t max_value = 8192;  // what the library takes of a field's value

constexpr Option options[] = {
    {'n', "lines", "LINES", "how many lines, all threads together (default 1)"},
    {'t', "threads", "T", "threads that render (default 1)"},
    {'f', "file", "FILE", "read the format from FILE (-: standard input); its last line end is dropped"},
    {'F', "field", "NAME=VALUE", "a value of the host, for %NAME and %[NAME]; repeat for more"},
    {0, "json", nullptr, "each line as a JSON object: {\"line\":\"...\"}"},
    {0, "merge-spaces", nullptr, "runs of blanks in the format become one"},
    {0, "seed", "SEED", "reproducible mode: a number, 96 hexadecimal digits, or @FILE"},
    {0, "thread", "LANE", "with --seed: the lane's number, TID + 1 (default 0; more threads take the next ones)"},
    {0, "process", "N", "with --seed: the process number (default 0)"},
    {0, "now", "NS", "with --seed: the time, in nanoseconds since 1970"},
};

constexpr char notes[] =
    "\nWith one thread, --seed and --now give the same lines for ever.\n"
    "--json escapes the quotes, line ends and broken UTF-8 of a line. For an object with a member for each value,\n"
    "begin the format with %{+json}o instead.\n"
    "\nExamples:\n"
    "  loguuid format '%pid [%t] %[uuid]' -n 10\n"
    "  loguuid format --field ci=192.0.2.7 '%ci \"%[uuid(7)]\" %[token(16),upper]'\n"
    "  loguuid format --seed 1 --now 1700000000000000000 '%T %[uuid]'\n";

using Format = std::unique_ptr<loguuid_format, decltype(&loguuid_format_free)>;
using FieldValues = std::array<std::string, max_fields>;

// The library calls a field's function with the render's context alone, so each field needs a function of its own.
template <std::size_t Index>
std::size_t write_field(void* context, char* out, std::size_t cap) {
  const std::string& value = (*static_cast<const FieldValues*>(context))[Index];
  if (const std::size_t length = std::min(cap, value.size())) std::memcpy(out, value.data(), length);
  return value.size();
}

template <std::size_t... Index>
constexpr auto field_writers(std::index_sequence<Index...>) {
  return std::array{write_field<Index>...};
}
constexpr auto writers = field_writers(std::make_index_sequence<max_fields>());

struct Fields {
  FieldValues names;
  FieldValues values;
  std::vector<loguuid_field> table;
};

void fields_from(const Arguments& arguments, Fields& fields) {
  const auto given = arguments.values("field");
  if (given.size() > max_fields) throw Usage(fmt::format("--field: more than {} fields", max_fields));
  for (std::size_t i = 0; i < given.size(); i++) {
    const std::size_t equals = given[i].find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      throw Usage(fmt::format("--field: {} has no {}: write NAME=VALUE", quoted(given[i]),
                              equals == 0 ? "name" : "equals sign"));
    }
    fields.names[i] = given[i].substr(0, equals);
    for (const loguuid_field& known : fields.table) {
      if (fields.names[i] == known.name)
        throw Usage(fmt::format("--field: {} has two values: give each name once", quoted(fields.names[i])));
    }
    fields.values[i] = given[i].substr(equals + 1);
    if (fields.values[i].size() > max_value)
      throw Usage(fmt::format("--field: the value of {} is longer than {} bytes", quoted(fields.names[i]), max_value));
    fields.table.push_back({fields.names[i].c_str(), writers[i], LOGUUID_STR});
  }
}

std::string text_from(const Arguments& arguments) {
  const auto& words = arguments.words();
  const auto file = arguments.value("file");
  if (words.size() + (file ? 1 : 0) == 0) throw Usage("no format: write it in quotes, or give --file FILE");
  if (file && !words.empty()) throw Usage(fmt::format("two formats: {} and --file: give one", quoted(words[0])));
  if (words.size() > 1) {
    throw Usage(fmt::format("one format only: what is {}? (a format with blanks needs quotes)", quoted(words[1])));
  }
  if (!file) return std::string(words[0]);
  std::string text = read_file(std::string(*file), max_format);
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    throw Usage(fmt::format("a NUL byte at position {} of {}: this is no format", nul, file_name(*file)));
  }
  return text;
}

Format compile(const std::string& text, const Fields& fields, bool merge_spaces) {
  loguuid_format* format = nullptr;
  loguuid_format_error error{};
  const loguuid_status status = loguuid_format_compile(&format, text.c_str(), fields.table.data(), fields.table.size(),
                                                       merge_spaces ? LOGUUID_FORMAT_MERGE_SPACES : 0, &error);
  if (status == LOGUUID_OK) return Format(format, loguuid_format_free);
  const std::string reason = error.message[0] ? std::string(error.message) : loguuid_strerror(status);
  if (status == LOGUUID_ERR_NOMEM) throw Failure(reason);
  // What the library says of a field (src/logformat_compile.cc) is a mistake of --field here.
  if (unsigned field; status != LOGUUID_ERR_SYNTAX && std::sscanf(reason.c_str(), "field %u has ", &field) == 1) {
    const std::string_view what = std::string_view(reason).substr(reason.find(" has ") + 5);
    throw Usage(fmt::format("--field: {} is {}", quoted(fields.names[field]), what));
  }
  // What a server's format calls for, the command cannot know.
  const std::string_view hint =
      reason.starts_with("unknown item") ? "\nA value of the server is given with --field NAME=VALUE." : "";
  throw Usage(fmt::format("{}\n{}{}", reason, with_caret(text, error.position), hint));
}

// What all threads share.
struct Job {
  const loguuid_format* format;
  FieldValues* values;
  std::optional<Seed> seed;
  std::uint64_t thread;
  std::uint64_t process;
  std::optional<std::uint64_t> now;
  bool json;

  Output out{};
  Progress progress;
  std::mutex lock{};
  std::uint64_t written = 0;
  std::exception_ptr error{};
  std::atomic<bool> stop = false;
};

// One thread's block of whole lines.
class Block {
 public:
  Block(Job& job, loguuid_gen* gen) : job_(job), gen_(gen), data_(std::make_unique_for_overwrite<char[]>(size_)) {}

  void add_line() {
    if (used_ > 0 && size_ - used_ < longest_ + longest_ / 2 + 2) flush();
    const std::size_t length = render();
    if (job_.json) {
      json_ += "{\"line\":";
      append_json_string(json_, {&data_[used_], length});
      json_ += "}\n";
    } else {
      used_ += length;
      data_[used_++] = '\n';
    }
    lines_++;
    if (json_.size() >= Output::block_size) flush();
  }

  void flush() {
    if (lines_ == 0) return;
    const std::lock_guard guard(job_.lock);
    if (!job_.stop) job_.json ? job_.out.write(json_.data(), json_.size()) : job_.out.write(data_.get(), used_);
    job_.written += lines_;
    job_.progress.update(job_.written);
    used_ = 0;
    json_.clear();
    lines_ = 0;
  }

 private:
  // A line at data_[used_], with room for a line end behind it. Returns its length.
  std::size_t render() {
    unsigned char before[LOGUUID_GEN_SAVE_SIZE];
    if (gen_ != nullptr) loguuid_gen_save(gen_, before);
    for (;;) {
      const std::size_t wanted = loguuid_format_render(job_.format, &data_[used_], size_ - used_, job_.values);
      longest_ = std::max(longest_, wanted);
      if (wanted < size_ - used_) return wanted;
      // It did not fit. Once more with more room, and with the same draws where somebody counts on them.
      flush();
      if (wanted + 2 > size_) {
        size_ = wanted + wanted / 2 + 2;
        data_ = std::make_unique_for_overwrite<char[]>(size_);
      }
      if (gen_ != nullptr) loguuid_gen_restore(gen_, before);
    }
  }

  Job& job_;
  loguuid_gen* gen_;  // nullptr: live mode
  std::size_t size_ = Output::block_size;
  std::unique_ptr<char[]> data_;
  std::size_t used_ = 0;  // stays 0 for JSON, where data_ holds one line at a time
  std::string json_;
  std::size_t longest_ = 0;
  std::uint64_t lines_ = 0;
};

void render_lines(Job& job, std::uint64_t lane, std::uint64_t lines) {
  std::optional<Reproducible> gen;
  if (job.seed) {
    gen.emplace(*job.seed, lane, job.process);
    if (job.now) loguuid_gen_set_clock(gen->get(), *job.now);
  }
  Block block(job, gen ? gen->get() : nullptr);
  for (std::uint64_t i = 0; i < lines && !job.stop.load(std::memory_order_relaxed); i++) block.add_line();
  block.flush();
}

void run_worker(Job& job, std::uint64_t lane, std::uint64_t lines) {
  try {
    render_lines(job, lane, lines);
  } catch (...) {
    const std::lock_guard guard(job.lock);
    if (!job.error) job.error = std::current_exception();
    job.stop = true;
  }
}

void run_threads(Job& job, std::uint64_t threads, std::uint64_t lines) {
  const auto share = [&](std::uint64_t i) { return lines / threads + (i < lines % threads ? 1 : 0); };
  std::vector<std::thread> workers;
  try {
    for (std::uint64_t i = 1; i < threads && share(i) > 0; i++) {
      workers.emplace_back(run_worker, std::ref(job), job.thread + i, share(i));
    }
    run_worker(job, job.thread, share(0));
  } catch (const std::system_error& error) {
    const std::lock_guard guard(job.lock);
    job.error = std::make_exception_ptr(Failure(fmt::format("cannot start {} threads: {}", threads, error.what())));
    job.stop = true;
  }
  for (std::thread& worker : workers) worker.join();
  if (job.error) std::rethrow_exception(job.error);
}

int run(const Arguments& arguments) {
  const std::uint64_t lines = arguments.number("lines", 1);
  const std::uint64_t threads = arguments.number("threads", 1, 1, max_threads);
  for (const std::string_view name : {"thread", "process", "now"}) arguments.needs(name, "seed");
  std::optional<Seed> seed;
  if (arguments.value("seed") == "@-" && arguments.value("file") == "-")
    throw Usage("--seed @- and --file - both read standard input: give one of them a file");
  if (const auto text = arguments.value("seed")) seed = parse_seed("--seed", *text);
  std::optional<std::uint64_t> now;
  if (arguments.has("now")) now = arguments.number("now", 0);
  const std::uint64_t lane = arguments.number("thread", 0);
  check_span("--thread", lane, "--threads", threads);
  const std::uint64_t process = arguments.number("process", 0);
  Fields fields;
  fields_from(arguments, fields);
  const Format format = compile(text_from(arguments), fields, arguments.has("merge-spaces"));
  if (!seed) boot_live();
  Job job{.format = format.get(),
          .values = &fields.values,
          .seed = seed,
          .thread = lane,
          .process = process,
          .now = now,
          .json = arguments.has("json"),
          .progress = Progress(Work::writes, "lines", lines)};
  if (lines > 0) run_threads(job, threads, lines);
  job.out.close();
  return exit_ok;
}

}  // namespace

const Command format_command = {
    "format", "[OPTIONS] FORMAT", "Write lines of a log format, from one thread or many.", options, notes, run};

}  // namespace loguuid::tool
