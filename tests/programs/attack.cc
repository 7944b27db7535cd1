// An attacker who knows the source, and what he gets.
//
// xoshiro256** is linear over GF(2) but for its output function, which anybody can invert. Each raw word is 64 linear
// equations on the 256 bits of the state: a few words give the whole state, and with it every word to come. The attack
// must succeed on loguuid_random64_internal(), or else it proves nothing. Then the same attack gets what the library
// gives out by default, read in every way that its position in a block suggests, and must do no better than a coin.
// Last come two searches for anything linear at all: ranks of matrices of output bits, and the shortest linear
// recurrence (Berlekamp and Massey) that makes the bits at one position.
//
//   attack [KERNEL]    KERNEL as in LOGUUID_KERNEL
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "loguuid.h"

namespace {

using State = std::array<uint64_t, 4>;

int failures = 0;

void verdict(bool ok, const std::string& text) {
  printf("%s %s\n", ok ? "holds: " : "BROKEN:", text.c_str());
  if (!ok) ++failures;
}

template <class... Arguments>
std::string say(const char* format, Arguments... arguments) {
  char text[300];
  snprintf(text, sizeof text, format, arguments...);
  return text;
}

// ---- the sequence, as its authors published it ----

void step(State& s) {
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
}

// The output is rotl(s1 * 5, 7) * 9; this is the way back: 5 and 9 are odd, so they have inverses modulo 2^64.
constexpr uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;  // right in three bits; each round doubles them
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}
uint64_t second_word(uint64_t output) { return std::rotr(output * inverse(9), 7) * inverse(5); }

// ---- linear equations ----

constexpr size_t kSteps = 64;  // how far an attack looks

// bits[k][w][b] says which bits of the first state add up to bit b of word w, k steps later.
struct Linear {
  std::vector<std::array<std::array<State, 64>, 2>> bits{kSteps};

  Linear() {
    for (size_t unknown = 0; unknown < 256; ++unknown) {
      State s{};
      s[unknown / 64] = uint64_t{1} << (unknown % 64);
      for (size_t k = 0; k < kSteps; ++k, step(s))
        for (size_t w = 0; w < 2; ++w)
          for (size_t b = 0; b < 64; ++b)
            if (s[w] >> b & 1) bits[k][w][b][unknown / 64] |= uint64_t{1} << (unknown % 64);
    }
  }
};
const Linear& linear() {
  static const Linear table;
  return table;
}

// 256 unknowns; equations come one by one.
class System {
 public:
  size_t rank = 0, contradictions = 0;

  void add(State row, bool value) {
    for (size_t w = 0; w < 4; ++w) {
      while (row[w] != 0) {
        const size_t pivot = 64 * w + static_cast<size_t>(std::countr_zero(row[w]));
        if (!has_[pivot]) {
          has_[pivot] = true;
          rows_[pivot] = row;
          values_[pivot] = value;
          ++rank;
          return;
        }
        for (size_t i = w; i < 4; ++i) row[i] ^= rows_[pivot][i];
        value ^= values_[pivot];
      }
    }
    if (value) ++contradictions;
  }

  // Unknowns that no equation decides are zero.
  State solve() const {
    State x{};
    for (size_t pivot = 256; pivot-- > 0;) {
      if (!has_[pivot]) continue;
      int sum = values_[pivot];
      for (size_t i = 0; i < 4; ++i) sum ^= std::popcount(rows_[pivot][i] & x[i]) & 1;
      if (sum) x[pivot / 64] |= uint64_t{1} << (pivot % 64);
    }
    return x;
  }

 private:
  std::array<bool, 256> has_{};
  std::array<State, 256> rows_{};
  std::array<bool, 256> values_{};
};

// ---- the attack ----

// What the attacker takes one draw for: bits of s0, of s1, or of both.
struct Sight {
  State value, mask;  // words 0 and 1
};

struct Score {
  size_t bits = 0, right = 0;   // single bits of later draws
  size_t draws = 0, whole = 0;  // later draws with every bit right
  size_t rank = 256, fits = 0;  // systems without a contradiction
  double z() const {
    return (2 * static_cast<double>(right) - static_cast<double>(bits)) / std::sqrt(static_cast<double>(bits));
  }
};

// Solves for the state behind the first `seen` sights and compares what it says of the rest.
void attack(const std::vector<Sight>& sights, size_t seen, Score& score) {
  System system;
  for (size_t k = 0; k < seen; ++k)
    for (size_t w = 0; w < 2; ++w)
      for (size_t b = 0; b < 64; ++b)
        if (sights[k].mask[w] >> b & 1) system.add(linear().bits[k][w][b], sights[k].value[w] >> b & 1);
  State s = system.solve();
  score.rank = std::min(score.rank, system.rank);
  score.fits += system.contradictions == 0;
  for (size_t k = 0; k < sights.size(); ++k, step(s)) {
    if (k < seen) continue;
    size_t wrong = 0, bits = 0;
    for (size_t w = 0; w < 2; ++w) {
      wrong += static_cast<size_t>(std::popcount((s[w] ^ sights[k].value[w]) & sights[k].mask[w]));
      bits += static_cast<size_t>(std::popcount(sights[k].mask[w]));
    }
    score.bits += bits;
    score.right += bits - wrong;
    ++score.draws;
    score.whole += wrong == 0;
  }
}

constexpr uint64_t kAll = ~uint64_t{0};
constexpr size_t kSeen = 10, kPredicted = 20, kTrials = 2000;

void attack_raw_words() {
  Score score;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Sight> sights;
    for (size_t k = 0; k < kSeen + kPredicted; ++k)
      sights.push_back({{0, second_word(loguuid_random64_internal())}, {0, kAll}});
    attack(sights, kSeen, score);
  }
  verdict(score.rank == 256 && score.whole == score.draws && score.draws == 50 * kPredicted,
          say("the attack works: %zu raw words give the state, and %zu of %zu later words are predicted", kSeen,
              score.whole, score.draws));
}

uint64_t load64(const unsigned char* p, bool big) {
  uint64_t x = 0;
  for (size_t i = 0; i < 8; ++i) x |= uint64_t{p[big ? 7 - i : i]} << (8 * i);
  return x;
}

Sight see_random64_as_output() { return {{0, second_word(loguuid_random64())}, {0, kAll}}; }
Sight see_random64_as_s0() { return {{loguuid_random64(), 0}, {kAll, 0}}; }
Sight see_random64_as_s1() { return {{0, loguuid_random64()}, {0, kAll}}; }
Sight see_pair() {
  Sight sight{{}, {kAll, kAll}};
  loguuid_random_pair(&sight.value[0], &sight.value[1]);
  return sight;
}
Sight see_pair_upper() {  // a live lane mixes a clock into the other half
  Sight sight{{}, {0, kAll}};
  loguuid_random_pair(nullptr, &sight.value[1]);
  return sight;
}
template <bool kBig>
Sight see_v4() {
  unsigned char v4[16], mask[16];
  loguuid_v4_bytes(v4);
  memset(mask, 0xff, sizeof mask);
  mask[6] = 0x0f;
  mask[8] = 0x3f;
  return {{load64(v4, kBig), load64(v4 + 8, kBig)}, {load64(mask, kBig), load64(mask + 8, kBig)}};
}
Sight see_v4_upper() {
  Sight sight = see_v4<false>();
  sight.mask[0] = 0;
  return sight;
}

struct View {
  const char* name;
  Sight (*see)();
};
constexpr View kViews[] = {
    {"random64 as a raw word", see_random64_as_output},
    {"random64 as s0", see_random64_as_s0},
    {"random64 as s1", see_random64_as_s1},
    {"a pair as s0, s1", see_pair},
    {"a pair's upper half as s1", see_pair_upper},
    {"a v4 as s0, s1", see_v4<false>},
    {"a v4 as s0, s1, bytes reversed", see_v4<true>},
    {"a v4's upper half as s1", see_v4_upper},
};

// |z| > 6 comes by chance once in 5 * 10^8.
void attack_default_outputs(const char* mode) {
  for (const View& view : kViews) {
    Score score;
    for (size_t trial = 0; trial < kTrials; ++trial) {
      std::vector<Sight> sights;
      for (size_t k = 0; k < kSeen + kPredicted; ++k) sights.push_back(view.see());
      attack(sights, kSeen, score);
    }
    verdict(std::abs(score.z()) < 6 && score.whole == 0 && score.fits == 0,
            say("%s, %s: %zu of %zu bits predicted, %.4f %% (z = %+.2f), %zu whole draws of %zu", mode, view.name,
                score.right, score.bits, 100.0 * static_cast<double>(score.right) / static_cast<double>(score.bits),
                score.z(), score.whole, score.draws));
  }
}

// ---- anything linear at all ----

using Bits = std::vector<uint64_t>;

size_t rank(std::vector<Bits> rows, size_t columns) {
  size_t rank = 0;
  for (size_t c = 0; c < columns && rank < rows.size(); ++c) {
    const size_t w = c / 64;
    const uint64_t bit = uint64_t{1} << (c % 64);
    size_t pivot = rank;
    while (pivot < rows.size() && !(rows[pivot][w] & bit)) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[rank], rows[pivot]);
    for (size_t r = rank + 1; r < rows.size(); ++r)
      if (rows[r][w] & bit)
        for (size_t i = w; i < rows[r].size(); ++i) rows[r][i] ^= rows[rank][i];
    ++rank;
  }
  return rank;
}

constexpr size_t kOutputs = 100000;
constexpr size_t kKeyDraws = 1024;  // the recurrence of raw blocks breaks where one becomes a key

// Two words a draw, from the first draw of a key on.
std::vector<uint64_t> default_outputs() {
  const uint64_t draws = loguuid_gen_position(nullptr).draws;
  uint64_t lo, hi;
  for (uint64_t i = draws; i % kKeyDraws != 0; ++i) loguuid_random_pair(&lo, &hi);
  std::vector<uint64_t> words(2 * kOutputs);
  for (size_t i = 0; i < kOutputs; ++i) loguuid_random_pair(&words[2 * i], &words[2 * i + 1]);
  return words;
}

// The law of the rank of a random n x n matrix: full 0.2888, one less 0.5776, two less 0.1284 (Kovalenko).
void rank_of_square_matrices(const char* mode, const std::vector<uint64_t>& words, size_t n) {
  const size_t per_row = n / 64, count = words.size() / per_row / n;
  size_t seen[3] = {};
  for (size_t m = 0; m < count; ++m) {
    std::vector<Bits> rows;
    for (size_t r = 0; r < n; ++r) {
      const auto from = words.begin() + static_cast<std::ptrdiff_t>((m * n + r) * per_row);
      rows.emplace_back(from, from + static_cast<std::ptrdiff_t>(per_row));
    }
    ++seen[std::min<size_t>(2, n - rank(std::move(rows), n))];
  }
  const double law[3] = {0.288788, 0.577576, 0.133636};
  double chi2 = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double expected = law[i] * static_cast<double>(count), d = static_cast<double>(seen[i]) - expected;
    chi2 += d * d / expected;
  }
  // With two degrees of freedom the tail is exp(-chi2 / 2).
  verdict(std::exp(-chi2 / 2) > 1e-6,
          say("%s, ranks of %zu matrices %zu x %zu: full %zu, one less %zu, under %zu; p = %.4f", mode, count, n, n,
              seen[0], seen[1], seen[2], std::exp(-chi2 / 2)));
}

// A row for each window of draws inside one key: all bits that it shows and a 1. A linear (or affine) relation among
// them that holds everywhere takes one from the rank. 30 rows more than columns: by chance once in 2^30.
void relations_in_windows(const char* mode, const std::vector<uint64_t>& words, size_t window, bool upper_only) {
  const size_t per_draw = upper_only ? 1 : 2, columns = 64 * per_draw * window + 1;
  std::vector<Bits> rows;
  for (size_t draw = 0; draw + window <= kOutputs && rows.size() < columns + 30; ++draw) {
    if (draw % kKeyDraws + window > kKeyDraws) continue;
    Bits row;
    for (size_t i = draw; i < draw + window; ++i) {
      if (!upper_only) row.push_back(words[2 * i]);
      row.push_back(words[2 * i + 1]);
    }
    row.push_back(1);
    rows.push_back(std::move(row));
  }
  const size_t count = rows.size(), found = rank(std::move(rows), columns);
  verdict(found == columns, say("%s, %zu bits of %zu draws in a row%s, %zu times: rank %zu of %zu", mode, columns - 1,
                                window, upper_only ? " (upper halves)" : "", count, found, columns));
}

// Length of the shortest linear recurrence that makes the bits. Berlekamp and Massey on words: `window` holds the bits
// up to now, the latest first, so that the discrepancy is the parity of an AND.
size_t linear_complexity(const std::vector<bool>& bits) {
  const size_t words = bits.size() / 64 + 2;
  Bits c(words), b(words), window(words);
  c[0] = b[0] = 1;
  size_t len = 0, since = 1;
  for (size_t n = 0; n < bits.size(); ++n) {
    const size_t used = n / 64 + 1;
    for (size_t i = used; i > 0; --i) window[i] = window[i] << 1 | window[i - 1] >> 63;
    window[0] = window[0] << 1 | (bits[n] ? 1 : 0);
    uint64_t parity = 0;
    for (size_t i = 0; i <= len / 64; ++i) parity ^= c[i] & window[i];
    if (std::popcount(parity) % 2 == 0) {
      ++since;
      continue;
    }
    const Bits before = 2 * len <= n ? c : Bits();
    const size_t shift = since / 64, by = since % 64;
    for (size_t i = words; i-- > shift;) {
      uint64_t x = b[i - shift] << by;
      if (by != 0 && i > shift) x |= b[i - shift - 1] >> (64 - by);
      c[i] ^= x;
    }
    if (!before.empty()) {
      len = n + 1 - len;
      b = before;
      since = 1;
    } else {
      ++since;
    }
  }
  return len;
}

// Of random bits the complexity is half of their number; it is 25 away from that once in 2^50.
void recurrences(const char* mode, const std::vector<uint64_t>& words, size_t first, size_t len, size_t positions) {
  size_t worst = 0;
  for (size_t p = 0; p < positions; ++p) {
    const size_t position = p * 128 / positions;
    std::vector<bool> bits(len);
    for (size_t i = 0; i < len; ++i) bits[i] = words[2 * (first + i) + position / 64] >> (position % 64) & 1;
    const size_t found = linear_complexity(bits);
    worst = std::max(worst, found > len / 2 ? found - len / 2 : len / 2 - found);
  }
  verdict(worst <= 25, say("%s, shortest recurrence of %zu bit positions over %zu draws: %zu, give or take %zu", mode,
                           positions, len, len / 2, worst));
}

void search_for_anything_linear(const char* mode) {
  const std::vector<uint64_t> words = default_outputs();
  rank_of_square_matrices(mode, words, 64);
  rank_of_square_matrices(mode, words, 256);
  rank_of_square_matrices(mode, words, 512);
  for (const bool upper_only : {false, true}) {
    relations_in_windows(mode, words, 4, upper_only);
    relations_in_windows(mode, words, 8, upper_only);
    relations_in_windows(mode, words, 20, upper_only);
  }
  for (size_t key = 0; key < 4; ++key) recurrences(mode, words, key * kKeyDraws, kKeyDraws, 128);
  recurrences(mode, words, 0, kOutputs, 2);
}

// The searches themselves: they find the recurrence of raw words, bit by bit, and their relations.
void searches_work() {
  std::vector<uint64_t> words(2 * kOutputs);
  for (size_t i = 0; i < kOutputs; ++i) words[2 * i] = words[2 * i + 1] = second_word(loguuid_random64_internal());
  std::vector<bool> bits(2000);
  size_t longest = 0;
  for (size_t position = 0; position < 64; ++position) {
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = words[2 * i] >> position & 1;
    longest = std::max(longest, linear_complexity(bits));
  }
  verdict(longest <= 256 && longest > 200, say("the search finds the recurrence of raw words: %zu", longest));
  std::vector<Bits> rows;
  for (size_t i = 0; i < 1000; ++i) {
    rows.emplace_back();
    for (size_t k = 0; k < 8; ++k) rows.back().push_back(words[2 * (i + k)]);
  }
  const size_t found = rank(std::move(rows), 512);
  verdict(found == 256, say("the search finds the relations among raw words: rank %zu of 512", found));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) setenv("LOGUUID_KERNEL", argv[1], 1);
  printf("kernel %s\n", loguuid_kernel());
  static loguuid_gen gen;
  loguuid_random64();  // boots in live mode
  for (const char* mode : {"live", "reproducible"}) {
    if (strcmp(mode, "live") != 0) {
      const uint64_t seed = 1;
      if (loguuid_gen_init(&gen, &seed, sizeof seed, 0, 0, LOGUUID_HASH_AES) != LOGUUID_OK) return 1;
      loguuid_use(&gen);
    }
    attack_raw_words();
    attack_default_outputs(mode);
    search_for_anything_linear(mode);
  }
  searches_work();
  printf("%d failures\n", failures);
  return failures != 0;
}
