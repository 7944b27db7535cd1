#include "support.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>

namespace loguuid::testing {
namespace {

std::string vectors_folder() {
  const char* folder = getenv("LOGUUID_TEST_VECTORS");
  return folder != nullptr ? folder : LOGUUID_VECTORS_FOLDER;
}

std::vector<Block> read_blocks(const std::string& path) {
  std::vector<Block> blocks;
  std::ifstream in(path);
  EXPECT_TRUE(in) << "cannot read " << path;
  bool open = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line[0] == '#') continue;
    if (line.empty()) {
      open = false;
      continue;
    }
    if (line[0] == '[') {
      blocks.push_back({line.substr(1, line.find(']') - 1), number, {}});
      open = true;
      continue;
    }
    if (!open) blocks.push_back({"", number, {}});
    open = true;
    const size_t equals = line.find(" =");
    if (equals == std::string::npos) {
      ADD_FAILURE() << path << ":" << number << ": not `key = value`";
      continue;
    }
    const std::string value = line.size() > equals + 3 ? line.substr(equals + 3) : "";
    blocks.back().attributes.push_back({line.substr(0, equals), value, number, false});
  }
  EXPECT_FALSE(blocks.empty()) << path << " holds nothing";
  return blocks;
}

std::map<std::string, std::vector<Block>>& loaded() {
  static std::map<std::string, std::vector<Block>> files;
  return files;
}

double thread_microseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

}  // namespace

bool Block::has(std::string_view key) const {
  return std::any_of(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.key == key; });
}

const std::string& Block::text(std::string_view key) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.key != key) continue;
    attribute.read = true;
    return attribute.value;
  }
  ADD_FAILURE() << "the block [" << name << "] on line " << line << " has no " << key;
  static const std::string none;
  return none;
}

std::vector<std::string> Block::words(std::string_view key) const {
  std::vector<std::string> words;
  const std::string& all = text(key);
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(' ', at), all.size());
    if (end > at) words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<uint64_t> Block::hex_words(std::string_view key) const {
  std::vector<uint64_t> numbers;
  for (const std::string& word : words(key)) numbers.push_back(strtoull(word.c_str(), nullptr, 16));
  return numbers;
}

std::vector<uint8_t> Block::bytes(std::string_view key) const { return from_hex(text(key)); }

uint64_t Block::number(std::string_view key) const { return strtoull(text(key).c_str(), nullptr, 10); }

std::vector<std::string> Block::keys_with_prefix(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (const Attribute& attribute : attributes)
    if (attribute.key.starts_with(prefix)) keys.push_back(attribute.key);
  return keys;
}

const std::vector<Block>& vectors(const std::string& file) {
  auto [at, fresh] = loaded().try_emplace(file);
  if (fresh) at->second = read_blocks(vectors_folder() + "/" + file);
  return at->second;
}

std::vector<const Block*> vectors(const std::string& file, std::string_view name) {
  std::vector<const Block*> found;
  for (const Block& block : vectors(file))
    if (block.name == name) found.push_back(&block);
  EXPECT_FALSE(found.empty()) << file << " has no block [" << name << "]";
  return found;
}

std::vector<std::string> unread_vectors() {
  std::vector<std::string> unread;
  DIR* folder = opendir(vectors_folder().c_str());
  if (folder == nullptr) return {"cannot read the folder " + vectors_folder()};
  int files = 0;
  while (const dirent* entry = readdir(folder)) {
    const std::string file = entry->d_name;
    if (!file.ends_with(".txt")) continue;
    ++files;
    for (const Block& block : vectors(file))
      for (const Block::Attribute& attribute : block.attributes)
        if (!attribute.read) unread.push_back(file + ":" + std::to_string(attribute.line) + ": " + attribute.key);
  }
  closedir(folder);
  if (files == 0) unread.push_back("no file in the folder " + vectors_folder());
  return unread;
}

std::vector<uint8_t> from_hex(std::string_view digits) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(strtoul(std::string(digits.substr(i, 2)).c_str(), nullptr, 16)));
  return bytes;
}

std::string to_hex(const void* bytes, size_t len) {
  std::string text;
  for (size_t i = 0; i < len; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

GuardedBuffer::GuardedBuffer(size_t size) : size_(size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inside = (size + page - 1) / page * page;
  map_size_ = inside + 2 * page;
  map_ = mmap(nullptr, map_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map_ == MAP_FAILED) abort();
  char* const first = static_cast<char*>(map_) + page;
  if (inside != 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) abort();
  end_ = first + inside;
}

GuardedBuffer::~GuardedBuffer() { munmap(map_, map_size_); }

void GuardedBuffer::fill(int pattern) {
  if (size_ != 0) memset(data(), pattern, size_);
}

std::string written_exactly(size_t size, const std::function<void(char* out)>& write) {
  constexpr size_t kMargin = 128;
  std::string first;
  bool have_first = false;
  const auto check = [&](const char* at, const std::string& what) {
    const std::string got(at, size);
    if (!have_first) first = got;
    have_first = true;
    EXPECT_EQ(first, got) << "different bytes, " << what;
  };
  for (size_t alignment = 0; alignment < 64; ++alignment) {
    for (const char pattern : {'\x5a', '\xa5'}) {
      std::vector<char> room(2 * kMargin + 64 + size, pattern);
      const size_t base = reinterpret_cast<uintptr_t>(room.data()) % 64;
      const size_t start = kMargin + (64 - base + alignment) % 64;
      write(room.data() + start);
      check(room.data() + start, "alignment " + std::to_string(alignment));
      for (size_t i = 0; i < room.size(); ++i)
        if ((i < start || i >= start + size) && room[i] != pattern)
          ADD_FAILURE() << "wrote outside: byte " << static_cast<long>(i - start) << " of " << size;
    }
  }
  GuardedBuffer guarded(size);
  for (const int pattern : {0x5a, 0xa5}) {
    guarded.fill(pattern);
    write(guarded.data());
    check(guarded.data(), "before a guard page");
  }
  return first;
}

std::unique_ptr<loguuid_gen> new_gen(uint64_t seed, uint64_t thread, uint64_t process, loguuid_hash hash) {
  auto gen = std::make_unique<loguuid_gen>();
  EXPECT_EQ(LOGUUID_OK, loguuid_gen_init(gen.get(), &seed, sizeof seed, thread, process, hash));
  return gen;
}

double least_microseconds(int rounds, const std::function<void()>& work) {
  double least = 1e300;
  for (int i = 0; i < rounds; ++i) {
    const double start = thread_microseconds();
    work();
    least = std::min(least, thread_microseconds() - start);
  }
  return least;
}

bool time_limits_count() { return getenv("LOGUUID_TEST_SLOW") == nullptr; }

}  // namespace loguuid::testing
