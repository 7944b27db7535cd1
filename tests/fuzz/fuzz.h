// What the fuzz targets share: input taken apart, memory that ends where it ends, and one way to fail.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#define FUZZ_CHECK(condition)                                                        \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                       \
    }                                                                                \
  } while (0)

namespace fuzz {

// The bytes that the fuzzer made up, from the front.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : at_(data), left_(size) {}

  size_t left() const { return left_; }
  const uint8_t* rest() const { return at_; }
  uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  uint64_t word() {
    uint64_t x = 0;
    for (int i = 0; i < 8; ++i) x = x << 8 | byte();
    return x;
  }
  void bytes(void* out, size_t len) {
    auto* p = static_cast<uint8_t*>(out);
    for (size_t i = 0; i < len; ++i) p[i] = byte();
  }

 private:
  const uint8_t* at_;
  size_t left_;
};

// A heap block of exactly this size, so that AddressSanitizer sees one byte too many on either side.
class Exact {
 public:
  explicit Exact(size_t size, int pattern = 0xa5) : bytes_(static_cast<uint8_t*>(malloc(size))), size_(size) {
    if (size != 0) memset(bytes_.get(), pattern, size);
  }
  Exact(const void* from, size_t size) : Exact(size) {
    if (size != 0) memcpy(bytes_.get(), from, size);
  }
  uint8_t* bytes() { return bytes_.get(); }
  char* text() { return reinterpret_cast<char*>(bytes_.get()); }
  size_t size() const { return size_; }
  bool same(const Exact& other) const {
    return size_ == other.size_ && (size_ == 0 || memcmp(bytes_.get(), other.bytes_.get(), size_) == 0);
  }

 private:
  struct Free {
    void operator()(uint8_t* p) const { free(p); }
  };
  std::unique_ptr<uint8_t, Free> bytes_;
  size_t size_;
};

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
