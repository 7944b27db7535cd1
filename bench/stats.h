// What is said about a row of rounds: the middle one, and how far the others are from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

// The value below which the given share lies, interpolated; NaN for no values.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const size_t low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// Half of the rounds lie within this share of the median around it (the interquartile range).
inline double spread(const std::vector<double>& values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / median(values);
}

constexpr double kLargeSpread = 0.10;  // above it a report warns

}  // namespace bench
