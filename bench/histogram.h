// How often each duration came up, with 1.6 percent of resolution at any size: 64 buckets for every power of two, as in
// HDR histograms. Adding touches one word, so that measuring does not push the measured code out of the cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bench {

class Histogram {
 public:
  void add(uint64_t value) {
    ++counts_[bucket(value)];
    ++total_;
    max_ = std::max(max_, value);
  }

  void merge(const Histogram& other) {
    for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
    max_ = std::max(max_, other.max_);
  }

  uint64_t total() const { return total_; }
  uint64_t max() const { return max_; }

  // The value that the given share of all values do not exceed: the middle of its bucket, at most max().
  double quantile(double share) const {
    if (total_ == 0) return 0;
    const double wanted = share * static_cast<double>(total_);
    uint64_t seen = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (counts_[i] != 0 && static_cast<double>(seen) >= wanted) return std::min(middle(i), static_cast<double>(max_));
    }
    return static_cast<double>(max_);
  }

 private:
  static constexpr unsigned kBits = 6;
  static constexpr size_t kPerOctave = size_t{1} << kBits;
  static constexpr size_t kOctaves = 42;  // up to 2^47: more than a day of a 1 GHz counter
  static constexpr size_t kBuckets = kOctaves * kPerOctave;

  static size_t bucket(uint64_t value) {
    if (value < kPerOctave) return value;
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
    return std::min((size_t{shift} << kBits) + (value >> shift), uint64_t{kBuckets - 1});
  }

  static double middle(size_t index) {
    if (index < 2 * kPerOctave) return static_cast<double>(index);
    const size_t shift = (index >> kBits) - 1;
    const uint64_t low = (index - (shift << kBits)) << shift;
    return static_cast<double>(low) + static_cast<double>(uint64_t{1} << shift) / 2;
  }

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t total_ = 0;
  uint64_t max_ = 0;
};

}  // namespace bench
