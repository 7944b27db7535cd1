// How surprising a figure is: tails of the normal, chi-square and Poisson laws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace law {

// Probability of a normal variable at least this far from its mean, on either side.
inline double normal(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

// Regularised upper incomplete gamma function: a series below the bend, a continued fraction above it (Lentz, 1976).
inline double gamma_upper(double a, double x) {
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-16; ++n) sum += term *= x / n;
    return 1 - front * sum;
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 100000; ++i) {
    const double an = i * (a - i);
    b += 2;
    d = 1 / std::max(an * d + b, kTiny);
    c = std::max(b + an / c, kTiny);
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

// Both tails of chi-square: too even is as suspicious as too uneven.
inline double chi_square(double x, double degrees) {
  const double upper = gamma_upper(degrees / 2, x / 2);
  return std::min(1.0, 2 * std::min(upper, 1 - upper));
}

// Both tails of a Poisson count: P(N <= n) = Q(n + 1, mean).
inline double poisson(uint64_t n, double mean) {
  const double k = static_cast<double>(n);
  const double below = gamma_upper(k + 1, mean), above = n == 0 ? 1 : 1 - gamma_upper(k, mean);
  return std::min(1.0, 2 * std::min(below, above));
}

inline double poisson_term(unsigned n, double mean) {
  return std::exp(n * std::log(mean) - mean - std::lgamma(n + 1.0));
}

}  // namespace law
