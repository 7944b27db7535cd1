// Statistics of what the library gives out:
//   statistics check BYTES        bit balance, serial correlation, lanes side by side, collisions; ok and not ok lines
//   statistics broken NAME        the same on a little output with a fault put in on purpose, which must be found
//   statistics broken             the names
//   statistics stream KIND        bytes for other programs, without end: `lane`, `lanes` (64 of them in turn), `v4`
// Output is of live mode. A figure that comes by chance once in a million, over all figures of its kind, is a failure.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "law.h"
#include "loguuid.h"

namespace {

constexpr double kLimit = 1e-6;

uint64_t drawn = 0;  // bytes
int failures = 0;

void verdict(const std::string& name, double p, const std::string& figures) {
  const bool ok = p >= kLimit && p <= 1;
  printf("%s %s: %s, p = %.3g\n", ok ? "ok" : "not ok", name.c_str(), figures.c_str(), p);
  fflush(stdout);
  if (!ok) ++failures;
}

template <class... Arguments>
std::string say(const char* format, Arguments... arguments) {
  char text[300];
  snprintf(text, sizeof text, format, arguments...);
  return text;
}

// ---- identifiers ----

struct alignas(16) Id {
  uint64_t
      word[2];  // bytes 0 to 7 and 8 to 15, the first in the lowest bits (on little-endian machines, where we measure)
};
constexpr Id kRandomBits = {{0xff0fffffffffffff, 0xffffffffffffff3f}};  // bytes 6 and 8 hold version and variant

// Faults, to see that the checks find them. All are small: one bit of 122, or a few of the identifiers.
std::string fault;

void put_fault_in(std::vector<Id>& ids) {
  if (fault == "biased-bit")  // bit 80 is set in one of 1,000 identifiers more than it should be
    for (size_t i = 0; i < ids.size(); i += 500) ids[i].word[1] |= 1u << 16;
  if (fault == "copied-bit")  // bit 3 is that of the identifier before in one case of 200
    for (size_t i = 200; i < ids.size(); i += 200)
      ids[i].word[0] = (ids[i].word[0] & ~uint64_t{8}) | (ids[i - 1].word[0] & 8);
  if (fault == "key-period")  // bit 100 repeats after 1,024
    for (size_t i = 1024; i < ids.size(); i += 100)
      ids[i].word[1] = (ids[i].word[1] & ~(uint64_t{1} << 36)) | (ids[i - 1024].word[1] & uint64_t{1} << 36);
  if (fault == "repeats")  // a few identifiers come twice
    for (size_t i = 1; i < ids.size(); i += 40000) ids[i] = ids[i - 1];
  if (fault == "even-bytes")  // byte 2 never is 255
    for (Id& id : ids)
      if ((id.word[0] >> 16 & 0xff) == 0xff) id.word[0] ^= 1u << 16;
  if (fault == "wrong-version") ids[ids.size() / 2].word[0] ^= uint64_t{0x10} << 48;
}

void make_ids(std::vector<Id>& ids) {
  for (Id& id : ids) loguuid_v4_bytes(reinterpret_cast<unsigned char*>(&id));
  drawn += ids.size() * sizeof(Id);
  put_fault_in(ids);
}

// ---- how often each bit is set ----

using Pair = uint64_t __attribute__((vector_size(16)));

// Counts by vertical addition: plane k holds bit k of 128 counters. Eight values at a time are added by carry-save
// adders, which costs a handful of operations for a value.
class BitCounts {
 public:
  std::array<uint64_t, 128> ones{};
  uint64_t values = 0;

  void add(const Pair* x, size_t count) {  // a multiple of 8
    for (size_t i = 0; i < count; i += 8) {
      add8(x + i);
      if ((pending_ += 8) + 8 >= size_t{1} << kPlanes) flush();
    }
    values += count;
  }
  void flush() {
    for (size_t k = 0; k < kPlanes; ++k)
      for (size_t b = 0; b < 128; ++b) ones[b] += (plane_[k][b / 64] >> (b % 64) & 1) << k;
    for (Pair& p : plane_) p = Pair{};
    pending_ = 0;
  }

 private:
  static constexpr size_t kPlanes = 12;

  // One full adder for each bit: sum and carry.
  static void adder(Pair& carry, Pair& sum, Pair a, Pair b) {
    const Pair u = sum ^ a;
    carry = (sum & a) | (u & b);
    sum = u ^ b;
  }
  void add8(const Pair* x) {
    Pair two[4], four[2], eight;
    for (size_t i = 0; i < 4; ++i) adder(two[i], plane_[0], x[2 * i], x[2 * i + 1]);
    for (size_t i = 0; i < 2; ++i) adder(four[i], plane_[1], two[2 * i], two[2 * i + 1]);
    adder(eight, plane_[2], four[0], four[1]);
    for (size_t k = 3; k < kPlanes; ++k) {
      const Pair carry = plane_[k] & eight;
      plane_[k] ^= eight;
      eight = carry;
    }
  }

  std::array<Pair, kPlanes> plane_{};
  size_t pending_ = 0;
};

Pair pair_of(const Id& id) { return Pair{id.word[0], id.word[1]}; }

// Each of the bits in `mask` must be set in half of the values of every row: the worst bit, and all together.
void check_balance(const std::string& name, BitCounts* rows, size_t num_rows, const Id& mask) {
  double worst = 0, sum = 0;
  uint64_t values = 0;
  int bits = 0, worst_bit = 0;
  for (size_t r = 0; r < num_rows; ++r) {
    rows[r].flush();
    values += rows[r].values;
    for (int b = 0; b < 128; ++b) {
      if (!(mask.word[b / 64] >> (b % 64) & 1)) continue;
      const double n = static_cast<double>(rows[r].values);
      const double z = (2 * static_cast<double>(rows[r].ones[static_cast<size_t>(b)]) - n) / std::sqrt(n);
      sum += z * z;
      ++bits;
      if (std::abs(z) > std::abs(worst)) worst = z, worst_bit = b;
    }
  }
  const double p_worst = std::min(1.0, law::normal(worst) * bits), p_all = law::chi_square(sum, bits);
  verdict(name, std::min(p_worst, p_all),
          say("%d counts of bits, %llu values, chi-square %.1f (p = %.3g), worst bit %d at z = %+.2f", bits,
              static_cast<unsigned long long>(values), sum, p_all, worst_bit, worst));
}

void check_balance(const std::string& name, BitCounts& counts, const Id& mask) {
  check_balance(name, &counts, 1, mask);
}

// ---- identifiers one after the other ----

constexpr size_t kChunk = 1 << 15;                                         // identifiers at a time
constexpr std::array<size_t, 8> kLags = {1, 2, 3, 8, 16, 64, 1024, 1025};  // 16 and 1,024: service and key

void check_serial(uint64_t bytes) {
  constexpr size_t kBefore = 1032;  // the farthest lag, up to a multiple of 8
  std::vector<Id> ids(kChunk);
  std::vector<Pair> x(kBefore + kChunk), differences(kChunk);
  BitCounts balance;
  std::array<BitCounts, kLags.size()> lags;
  uint64_t wrong_fixed_bits = 0;
  for (uint64_t done = 0, chunk = 0; done < bytes; done += kChunk * sizeof(Id), ++chunk) {
    std::copy(x.end() - kBefore, x.end(), x.begin());
    make_ids(ids);
    for (size_t i = 0; i < kChunk; ++i) {
      x[kBefore + i] = pair_of(ids[i]);
      wrong_fixed_bits += (ids[i].word[0] >> 52 & 15) != 4 || (ids[i].word[1] >> 6 & 3) != 2;
    }
    balance.add(x.data() + kBefore, kChunk);
    if (chunk == 0) continue;
    for (size_t l = 0; l < kLags.size(); ++l) {
      for (size_t i = 0; i < kChunk; ++i) differences[i] = x[kBefore + i] ^ x[kBefore + i - kLags[l]];
      lags[l].add(differences.data(), kChunk);
    }
  }
  verdict("version and variant bits", wrong_fixed_bits == 0,
          say("%llu of %llu identifiers are wrong", static_cast<unsigned long long>(wrong_fixed_bits),
              static_cast<unsigned long long>(balance.values)));
  check_balance("bit balance", balance, kRandomBits);
  for (size_t l = 0; l < kLags.size(); ++l)
    check_balance(say("serial correlation, lag %zu", kLags[l]), lags[l], kRandomBits);
}

// ---- pairs of bytes ----

void check_byte_pairs(const std::string& name, const std::vector<uint64_t>& cells) {
  uint64_t total = 0;
  for (const uint64_t cell : cells) total += cell;
  const double expected = static_cast<double>(total) / static_cast<double>(cells.size());
  double chi2 = 0;
  for (const uint64_t cell : cells)
    chi2 += (static_cast<double>(cell) - expected) * (static_cast<double>(cell) - expected);
  chi2 /= expected;
  verdict(name, law::chi_square(chi2, static_cast<double>(cells.size()) - 1),
          say("%llu pairs in %zu cells, chi-square %.0f", static_cast<unsigned long long>(total), cells.size(), chi2));
}

void count_byte_pairs(std::vector<uint64_t>& cells, const unsigned char* bytes, size_t len) {
  for (size_t i = 0; i + 1 < len; i += 2) ++cells[bytes[i] | size_t{bytes[i + 1]} << 8];
}

void check_bytes(uint64_t bytes) {
  std::vector<uint64_t> cells(1 << 16);
  std::vector<Id> ids(kChunk);
  for (uint64_t done = 0; done < bytes; done += kChunk * sizeof(Id)) {
    loguuid_random_bytes(ids.data(), kChunk * sizeof(Id));
    drawn += kChunk * sizeof(Id);
    put_fault_in(ids);
    count_byte_pairs(cells, reinterpret_cast<const unsigned char*>(ids.data()), kChunk * sizeof(Id));
  }
  check_byte_pairs("pairs of bytes", cells);
}

// ---- lanes side by side ----

constexpr size_t kLanes = 64, kTurn = 512;  // draws of a lane at a time

struct Lanes {
  std::unique_ptr<loguuid_gen[]> gens{new loguuid_gen[kLanes]};
  ~Lanes() { loguuid_use(nullptr); }

  void draw(std::vector<Id>& out) {  // lane by lane
    for (size_t i = 0; i < kLanes; ++i) {
      loguuid_use(&gens[i]);
      loguuid_random_bytes(out.data() + i * kTurn, kTurn * sizeof(Id));
    }
    drawn += kLanes * kTurn * sizeof(Id);
    loguuid_use(nullptr);
    if (fault == "linked-lanes")  // lane 9 shows bit 77 of lane 8 in one draw of ten
      for (size_t k = 0; k < kTurn; k += 10) {
        Id& linked = out[9 * kTurn + k];
        linked.word[1] = (linked.word[1] & ~(uint64_t{1} << 13)) | (out[8 * kTurn + k].word[1] & uint64_t{1} << 13);
      }
  }
};

// Draw k of a lane against draw k of its neighbour, and all lanes in turn as one stream.
void check_lanes(const std::string& name, Lanes& lanes, uint64_t bytes) {
  std::vector<Id> out(kLanes * kTurn);
  std::vector<Pair> differences(kTurn), turn(kLanes);
  std::vector<uint64_t> cells(1 << 16);
  std::vector<BitCounts> neighbours(kLanes - 1);
  BitCounts in_turn;
  for (uint64_t done = 0; done < bytes; done += kLanes * kTurn * sizeof(Id)) {
    lanes.draw(out);
    for (size_t i = 0; i + 1 < kLanes; ++i) {
      for (size_t k = 0; k < kTurn; ++k)
        differences[k] = pair_of(out[i * kTurn + k]) ^ pair_of(out[(i + 1) * kTurn + k]);
      neighbours[i].add(differences.data(), kTurn);
    }
    for (size_t k = 0; k < kTurn; ++k) {
      for (size_t i = 0; i < kLanes; ++i) {
        turn[i] = pair_of(out[i * kTurn + k]);
        const auto* id = reinterpret_cast<const unsigned char*>(&out[i * kTurn + k]);
        const auto* next = reinterpret_cast<const unsigned char*>(&out[(i + 1) % kLanes * kTurn + k]);
        ++cells[id[k % 16] | size_t{next[k % 16]} << 8];
      }
      in_turn.add(turn.data(), kLanes);
    }
  }
  const Id all = {{~uint64_t{0}, ~uint64_t{0}}};
  check_balance(name + " in turn: bit balance", in_turn, all);
  check_balance(name + ": neighbours against each other", neighbours.data(), neighbours.size(), all);
  check_byte_pairs(name + ": pairs of bytes of neighbours", cells);
}

void check_all_lanes(uint64_t bytes) {
  Lanes live, threads, processes, seeds;
  for (uint64_t i = 0; i < kLanes; ++i) {
    const uint64_t seed = 20240229, next_seed = i;
    if (loguuid_gen_init_live(&live.gens[i]) != LOGUUID_OK) exit(1);
    loguuid_gen_init(&threads.gens[i], &seed, sizeof seed, i, 0, LOGUUID_HASH_AES);
    loguuid_gen_init(&processes.gens[i], &seed, sizeof seed, 1, i, LOGUUID_HASH_AES);
    loguuid_gen_init(&seeds.gens[i], &next_seed, sizeof next_seed, 0, 0, LOGUUID_HASH_AES);
  }
  check_lanes("64 live lanes", live, bytes / 4);
  check_lanes("lanes of 64 threads, one seed", threads, bytes / 4);
  check_lanes("lanes of 64 processes, one seed", processes, bytes / 4);
  check_lanes("64 seeds in a row", seeds, bytes / 4);
}

// ---- collisions of truncated identifiers ----

// n values of b bits have about n^2 / 2^(b + 1) collisions, and their number follows Poisson's law: 8 here.
constexpr unsigned kKept = 32;
constexpr size_t kSample = 1 << 18;
constexpr size_t kMean = 8;

struct Truncation {
  const char* name;
  uint32_t (*keep)(const Id&);
};
constexpr Truncation kTruncations[] = {
    {"first 32 bits", [](const Id& id) { return static_cast<uint32_t>(id.word[0]); }},
    {"last 32 bits", [](const Id& id) { return static_cast<uint32_t>(id.word[1] >> 32); }},
    {"16 bits of either half",
     [](const Id& id) {
       return static_cast<uint32_t>((id.word[0] >> 24 & 0xffff) | (id.word[1] >> 8 & 0xffff) << 16);
     }},
    {"every fourth bit",
     [](const Id& id) {  // bits 0, 4, ... but for the version: 31 and one more
       uint32_t kept = 0;
       for (unsigned b = 0; b < 128; b += 4) kept = kept << 1 | (id.word[b / 64] >> (b == 52 ? 1 : b % 64) & 1);
       return kept;
     }},
};

// Least significant digit first, three passes: a third of std::sort's time.
void sort(std::vector<uint32_t>& values) {
  std::vector<uint32_t> other(values.size());
  for (const unsigned shift : {0u, 11u, 22u}) {
    std::array<size_t, 2048> start{};
    for (const uint32_t v : values) ++start[v >> shift & 2047];
    size_t at = 0;
    for (size_t& s : start) at += std::exchange(s, at);
    for (const uint32_t v : values) other[start[v >> shift & 2047]++] = v;
    values.swap(other);
  }
}

void check_collision_law(const Truncation& truncation, const std::vector<unsigned>& counts) {
  constexpr unsigned kFirst = 4, kLast = 12;  // what is below and above goes into one cell each
  std::array<double, kLast - kFirst + 1> expected{}, seen{};
  uint64_t total = 0;
  const double n = static_cast<double>(counts.size());
  for (unsigned k = 0; k < 60; ++k)
    expected[std::clamp(k, kFirst, kLast) - kFirst] += n * law::poisson_term(k, double{kMean});
  for (const unsigned count : counts) {
    ++seen[std::clamp(count, kFirst, kLast) - kFirst];
    total += count;
  }
  double chi2 = 0;
  for (size_t i = 0; i < seen.size(); ++i) chi2 += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  const double p_total = law::poisson(total, kMean * n);
  const double p_law = law::chi_square(chi2, static_cast<double>(seen.size()) - 1);
  const bool enough = counts.size() >= 100;  // samples, for a cell to expect a handful
  verdict(say("collisions, %s", truncation.name), enough ? std::min(p_total, p_law) : p_total,
          say("%llu in %zu samples of %zu, %.0f expected (p = %.3g), %s", static_cast<unsigned long long>(total),
              counts.size(), kSample, kMean * n, p_total,
              enough ? say("Poisson's law: chi-square %.1f (p = %.3g)", chi2, p_law).c_str()
                     : "too few samples for Poisson's law"));
}

void check_collisions(uint64_t bytes) {
  static_assert(kSample * (kSample / 2) >> kKept == kMean);
  std::vector<Id> ids(kSample);
  std::vector<uint32_t> kept(kSample);
  std::array<std::vector<unsigned>, std::size(kTruncations)> counts;
  for (uint64_t done = 0; done < bytes; done += kSample * sizeof(Id)) {
    make_ids(ids);
    for (size_t t = 0; t < std::size(kTruncations); ++t) {
      std::transform(ids.begin(), ids.end(), kept.begin(), kTruncations[t].keep);
      sort(kept);
      unsigned same = 0;
      for (size_t i = 1; i < kSample; ++i) same += kept[i] == kept[i - 1];
      counts[t].push_back(same);
    }
  }
  for (size_t t = 0; t < std::size(kTruncations); ++t) check_collision_law(kTruncations[t], counts[t]);
}

// ---- commands ----

int check(uint64_t bytes) {
  check_serial(bytes / 2);
  check_bytes(bytes / 8);
  check_all_lanes(bytes / 8);
  check_collisions(bytes / 4);
  printf("# %.3f GB drawn with kernel %s\n", static_cast<double>(drawn) / 1e9, loguuid_kernel());
  return failures != 0;
}

constexpr const char* kFaults[] = {"biased-bit", "copied-bit",    "key-period",  "repeats",
                                   "even-bytes", "wrong-version", "linked-lanes"};

int check_broken(const std::string& name) {
  if (std::find(std::begin(kFaults), std::end(kFaults), name) == std::end(kFaults)) return 2;
  fault = name;
  return check(800000000);
}

int stream(const std::string& kind) {
  std::vector<Id> out(kLanes * kTurn), in_turn(out.size());
  Lanes lanes;
  for (size_t i = 0; i < kLanes; ++i)
    if (loguuid_gen_init_live(&lanes.gens[i]) != LOGUUID_OK) return 1;
  for (;;) {
    const std::vector<Id>* from = &out;
    if (kind == "lanes") {
      lanes.draw(out);
      for (size_t k = 0; k < kTurn; ++k)
        for (size_t i = 0; i < kLanes; ++i) in_turn[k * kLanes + i] = out[i * kTurn + k];
      from = &in_turn;
    } else if (kind == "v4") {
      make_ids(out);
    } else {
      loguuid_random_bytes(out.data(), out.size() * sizeof(Id));
    }
    const auto* bytes = reinterpret_cast<const char*>(from->data());
    for (size_t left = from->size() * sizeof(Id); left > 0;) {
      const ssize_t n = write(1, bytes, left);
      if (n <= 0) return 0;  // the reader has enough
      bytes += n;
      left -= static_cast<size_t>(n);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "check" && argc == 3) return check(strtoull(argv[2], nullptr, 10));
  if (command == "broken" && argc == 3) return check_broken(argv[2]);
  if (command == "broken") {
    for (const char* name : kFaults) puts(name);
    return 0;
  }
  if (command == "stream" && argc == 3) return stream(argv[2]);
  fprintf(stderr, "usage: statistics check BYTES | broken [NAME] | stream lane|lanes|v4\n");
  return 2;
}
