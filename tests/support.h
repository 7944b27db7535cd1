// What the tests share: right values read from text files, exact-size buffers with a guard page behind them, a clock
// for time limits. A right value that no test reads would be a check nobody makes, so the reader remembers what was
// asked for and the test program fails at its end if anything was left over.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loguuid.h"

namespace loguuid::testing {

// ---- right values ----

// Lines `key = value` under a `[name]` line. Files without names have one nameless block for each run of lines between
// blank lines. A value is everything after "= ", blanks included.
class Block {
 public:
  std::string name;
  int line = 0;

  bool has(std::string_view key) const;
  // The value of `key`; a failure of the test and "" if there is none.
  const std::string& text(std::string_view key) const;
  std::vector<std::string> words(std::string_view key) const;   // split at blanks
  std::vector<uint64_t> hex_words(std::string_view key) const;  // of 64 bits
  std::vector<uint8_t> bytes(std::string_view key) const;       // from hexadecimal digits
  uint64_t number(std::string_view key) const;                  // decimal
  std::vector<std::string> keys_with_prefix(std::string_view prefix) const;

  struct Attribute {
    std::string key;
    std::string value;
    int line;
    mutable bool read;
  };
  std::vector<Attribute> attributes;
};

// All blocks of tests/vectors/`file`, or those with a name. A file is read once, so that what was asked for adds up
// over all tests.
const std::vector<Block>& vectors(const std::string& file);
std::vector<const Block*> vectors(const std::string& file, std::string_view name);

// One line for each attribute of each file in tests/vectors that nobody asked for.
std::vector<std::string> unread_vectors();

std::vector<uint8_t> from_hex(std::string_view digits);
std::string to_hex(const void* bytes, size_t len);

// ---- memory ----

// `size` bytes that end where an inaccessible page begins, and start not far behind another one.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t size);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  char* data() { return end_ - size_; }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(data()); }
  size_t size() const { return size_; }
  void fill(int pattern);

 private:
  void* map_;
  size_t map_size_;
  char* end_;
  size_t size_;
};

// Calls `write(out)` for an object of `size` bytes at every alignment from 0 to 63, between bytes that must stay as
// they are, and once with a guard page behind; each time twice over two patterns. Fails the test when bytes outside
// change or bytes inside are left as they were. `write` must give the same bytes each time; they are returned.
std::string written_exactly(size_t size, const std::function<void(char* out)>& write);

// ---- generators ----

// A reproducible generator; a failure of the test if it cannot be made.
std::unique_ptr<loguuid_gen> new_gen(uint64_t seed = 42, uint64_t thread = 0, uint64_t process = 0,
                                     loguuid_hash hash = LOGUUID_HASH_AES);

// Serves this thread's calls for as long as it lives.
class Using {
 public:
  explicit Using(loguuid_gen* gen) : before_(loguuid_use(gen)) {}
  explicit Using(const std::unique_ptr<loguuid_gen>& gen) : Using(gen.get()) {}
  ~Using() { loguuid_use(before_); }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  loguuid_gen* before_;
};

// ---- time ----

// Microseconds of this thread's CPU time that `work` takes, the least of `rounds`: what the code needs, without what
// the machine did beside it.
double least_microseconds(int rounds, const std::function<void()>& work);
// Emulators and sanitizers are slow: LOGUUID_TEST_SLOW is set there, and time limits are not checked.
bool time_limits_count();

}  // namespace loguuid::testing
