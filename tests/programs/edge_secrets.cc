// Secrets stay where they belong: keys, seed and state are in no core dump, are overwritten when a lane or generator
// ends, and the process's key is in no lane. A memory image shows the draws of the current key and none before. A draw
// leaves errno as it was.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <barrier>
#include <string>
#include <string_view>

#include "edge.h"
#include "process.h"

namespace {

constexpr size_t kThreads = 4;

// In memory that the dying child shares with the test, and complemented, so that the dump cannot show these copies.
struct Secrets {
  unsigned char keys[kThreads + 1][16];
  unsigned char states[kThreads + 1][32];
  unsigned char process_key[16];
};
Secrets* secrets;

void hide(unsigned char* out, const void* secret, size_t len) {
  for (size_t i = 0; i < len; ++i) out[i] = static_cast<unsigned char>(~static_cast<const unsigned char*>(secret)[i]);
}

void note_lane(size_t at) {
  hide(secrets->keys[at], loguuid::current_lane->key, 16);
  hide(secrets->states[at], loguuid::current_lane->stream.s, 32);
}

// What an ordinary program does after its draws: the registers and the stack below hold something else then.
[[gnu::noinline]] void do_other_things() {
  volatile unsigned char stack[16384];
  for (size_t i = 0; i < sizeof stack; ++i) stack[i] = static_cast<unsigned char>(i);
#ifdef __x86_64__
  __asm__ volatile(
      "pxor %%xmm0, %%xmm0; pxor %%xmm1, %%xmm1; pxor %%xmm2, %%xmm2; pxor %%xmm3, %%xmm3; pxor %%xmm4, %%xmm4;"
      "pxor %%xmm5, %%xmm5; pxor %%xmm6, %%xmm6; pxor %%xmm7, %%xmm7; pxor %%xmm8, %%xmm8; pxor %%xmm9, %%xmm9;"
      "pxor %%xmm10, %%xmm10; pxor %%xmm11, %%xmm11; pxor %%xmm12, %%xmm12; pxor %%xmm13, %%xmm13;"
      "pxor %%xmm14, %%xmm14; pxor %%xmm15, %%xmm15"
      :
      :
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15");
#endif
}

constexpr std::string_view kMarker = "this text must be in the dump";

void die_with_a_dump(bool reproducible) {
  const rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &all);
  unsigned char seed[48];
  CHECK_EQ(sizeof seed, syscall(SYS_getrandom, seed, sizeof seed, 0));
  hide(secrets->process_key, seed, 16);
  loguuid_config config{};
  config.size = sizeof config;
  config.seed = reproducible ? seed : nullptr;
  config.seed_len = sizeof seed;
  CHECK_EQ(LOGUUID_OK, loguuid_boot(&config));
  explicit_bzero(seed, sizeof seed);

  auto* heap = static_cast<char*>(malloc(64));
  memcpy(heap, kMarker.data(), kMarker.size());
  __asm__ volatile("" : : "r"(heap) : "memory");  // nobody reads it but the dump
  std::barrier ready(kThreads + 1);
  const auto draw_and_wait = [&](size_t at) {
    char text[100 * 37];
    for (int i = 0; i < 1500; ++i) loguuid_v4(text, sizeof text);
    loguuid_v4_many(text, sizeof text, 100, ' ');
    note_lane(at);
    do_other_things();
    ready.arrive_and_wait();
    if (at == 0) abort();
    for (;;) pause();
  };
  std::vector<std::thread> threads;
  for (size_t t = 1; t <= kThreads; ++t) threads.emplace_back(draw_and_wait, t);
  draw_and_wait(0);
}

std::string read_file(const std::string& path) {
  std::string bytes;
  const int fd = open(path.c_str(), O_RDONLY);
  CHECK(fd >= 0);
  char part[65536];
  for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;) bytes.append(part, static_cast<size_t>(n));
  close(fd);
  return bytes;
}

bool shows(const std::string& dump, const unsigned char* hidden, size_t len) {
  std::string secret(reinterpret_cast<const char*>(hidden), len);
  for (char& c : secret) c = static_cast<char>(~c);
  return dump.find(secret) != std::string::npos;
}

// False: no dump appeared.
bool dump_shows_nothing(bool reproducible) {
  char folder[] = "/tmp/loguuid-core-XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  pid_t dumped = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    CHECK_EQ(0, chdir(folder));
    die_with_a_dump(reproducible);
  }
  dumped = child;
  const int status = wait_for(child);
  CHECK(WIFSIGNALED(status));
  const std::string plain = std::string(folder) + "/core", numbered = plain + "." + std::to_string(dumped);
  const bool is_plain = access(plain.c_str(), R_OK) == 0;
  const bool there = is_plain || access(numbered.c_str(), R_OK) == 0;
  if (there) {
    const std::string path = is_plain ? plain : numbered;
    const std::string dump = read_file(path);
    unlink(path.c_str());
    CHECK(dump.find(kMarker) != std::string::npos);
    for (size_t t = 0; t <= kThreads; ++t) {
      CHECK(!shows(dump, secrets->keys[t], 16));
      CHECK(!shows(dump, secrets->states[t], 32));
    }
    if (reproducible) CHECK(!shows(dump, secrets->process_key, 16));
    printf("a dump of %zu bytes shows none of %zu secrets\n", dump.size(), 2 * (kThreads + 1) + reproducible);
  }
  rmdir(folder);
  return there;
}

// ---- overwritten at the end ----

bool is_zero(const void* memory, size_t len) {
  const auto* bytes = static_cast<const unsigned char*>(memory);
  return std::all_of(bytes, bytes + len, [](unsigned char c) { return c == 0; });
}

void overwritten() {
  v4_id();
  const loguuid::Lane* lane = loguuid::current_lane;
  CHECK(!is_zero(lane->key, 16));
  loguuid_thread_stop();
  CHECK(is_zero(lane, sizeof *lane));

  const loguuid::Lane* of_a_thread = nullptr;
  in_a_thread([&] {
    v4_id();
    of_a_thread = loguuid::current_lane;
  });
  CHECK(is_zero(of_a_thread, sizeof *of_a_thread));

  static loguuid_gen gen;
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init_live(&gen));
  loguuid_use(&gen);
  v4_id();
  loguuid_gen_wipe(&gen);
  CHECK(is_zero(&gen, sizeof gen));

  // A child has nothing of its parent's lane, even before it draws; where pages are not wiped, fork()'s handlers do it.
  v4_id();
  lane = loguuid::current_lane;
  const pid_t child = fork_wipes() ? raw_clone() : fork();
  if (child == 0) _exit(is_zero(lane, sizeof *lane) ? 0 : 1);
  CHECK_EQ(0, wait_for(child));
}

// The process's key is in none of its lanes.
void process_key_is_in_no_lane() {
  unsigned char seed[48];
  for (size_t i = 0; i < sizeof seed; ++i) seed[i] = static_cast<unsigned char>(i * 7 + 1);
  loguuid_config config{};
  config.size = sizeof config;
  config.seed = seed;
  config.seed_len = sizeof seed;
  CHECK_EQ(LOGUUID_OK, loguuid_boot(&config));
  for (int t = 0; t < 8; ++t)
    in_a_thread([&] {
      v4_id();
      const std::string_view lane(reinterpret_cast<const char*>(loguuid::current_lane), sizeof(loguuid::Lane));
      CHECK(lane.find(std::string_view(reinterpret_cast<const char*>(seed), 16)) == std::string_view::npos);
    });
}

// ---- what an image of a lane gives away ----

void image_shows_the_last_key_only() {
  constexpr uint64_t kDraws = loguuid::kKeyDraws + 200;
  const uint64_t seed = 5;
  loguuid_gen gen, again;
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init(&gen, &seed, sizeof seed, 1, 0, LOGUUID_HASH_AES));
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init(&again, &seed, sizeof seed, 1, 0, LOGUUID_HASH_AES));
  std::vector<Id> blocks(kDraws);
  loguuid_use(&gen);
  for (Id& block : blocks) loguuid_random_bytes(block.data(), 16);
  // Somebody who has the image knows the key and steps the sequence back: all states are known, the key is this one.
  loguuid_use(&again);
  size_t shown = 0, first_shown = kDraws;
  for (size_t i = 0; i < kDraws; ++i) {
    loguuid::Stream stream = loguuid::lane_of(&again)->stream;
    memcpy(stream.round_keys, loguuid::lane_of(&gen)->stream.round_keys, sizeof stream.round_keys);
    if (i == loguuid::kKeyDraws) {  // one state became the key
      Id unused;
      loguuid::kernel().block(stream, unused.data());
    }
    Id block;
    loguuid::kernel().block(stream, block.data());
    if (block == blocks[i]) {
      ++shown;
      first_shown = std::min(first_shown, i);
    }
    loguuid_random_bytes(block.data(), 16);
  }
  loguuid_use(nullptr);
  CHECK_EQ(loguuid::kKeyDraws, first_shown);
  CHECK_EQ(kDraws - loguuid::kKeyDraws, shown);
}

// What was made ahead for single calls does not outlive them in the lane.
void blocks_ahead_are_wiped() {
  CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
  std::vector<std::array<unsigned char, 16>> drawn(3 * loguuid::kAheadBlocks);
  for (auto& block : drawn) {
    uint64_t pair[2];
    loguuid_random_pair(&pair[0], &pair[1]);
    memcpy(block.data(), pair, 16);
  }
  char text[3 * 37];
  CHECK_EQ(110, loguuid_v4_many(text, sizeof text, 3, ' '));
  const auto* lane = static_cast<const loguuid::OwnLane*>(loguuid::current_lane);
  CHECK(is_zero(lane->blocks, sizeof lane->blocks));
  CHECK(!is_zero(&drawn.back(), 16));
}

// ---- errno ----

void errno_stays() {
  loguuid_format* format;
  CHECK_EQ(LOGUUID_OK, loguuid_format_compile(&format, "%[uuid] %[uuid(7)]", nullptr, 0, 0, nullptr));
  const auto all_draws = [&] {
    char text[400];
    unsigned char bytes[16];
    uint64_t lo, hi;
    for (int i = 0; i < 1100; ++i) {
      errno = 1234;
      loguuid_v4(text, sizeof text);
      loguuid_v7(text, sizeof text);
      loguuid_v4_bytes(bytes);
      loguuid_v7_bytes(bytes);
      loguuid_v4_many(text, sizeof text, 3, ' ');
      loguuid_v7_many(text, sizeof text, 3, ' ');
      loguuid_ulid(text, sizeof text);
      loguuid_traceparent(text, sizeof text, 1);
      loguuid_websocket_key(text, sizeof text);
      loguuid_token(text, sizeof text, 20, LOGUUID_BASE64);
      loguuid_random64();
      loguuid_random32();
      loguuid_random_below(10);
      loguuid_random64_internal();
      loguuid_random_pair(&lo, &hi);
      loguuid_random_bytes(bytes, sizeof bytes);
      loguuid_format_render(format, text, sizeof text, nullptr);
      CHECK_EQ(1234, errno);
    }
  };
  // Of a first draw that boots, finds no counter of snapshots, and makes a lane; of a child's first; of a new thread's.
  loguuid_set_snapshot_file("/nonexistent");
  all_draws();
  in_a_child(all_draws);
  in_a_thread(all_draws);
  rlimit none = {0, RLIM_INFINITY};
  in_a_thread([&] {  // no memory for anything new: each draw looks for a lane again
    CHECK_EQ(0, setrlimit(RLIMIT_AS, &none));
    all_draws();
  });
}

}  // namespace

int main() {
  void* memory = mmap(nullptr, sizeof(Secrets), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  secrets = static_cast<Secrets*>(memory);
  in_a_child(errno_stays);
  in_a_child(overwritten);
  in_a_child(process_key_is_in_no_lane);
  in_a_child(image_shows_the_last_key_only);
  in_a_child(blocks_ahead_are_wiped);
  // An emulator takes any advice about pages and heeds none, and writes the dumps itself.
  const bool heeds_advice = status_of_child([] {
                              loguuid_boot(nullptr);
                              _exit(fork_wipes() ? 0 : 1);
                            }) == 0;
  if (!heeds_advice) skip("this system keeps no page out of a core dump");
  for (const bool reproducible : {false, true})
    if (!dump_shows_nothing(reproducible)) skip("no core dump appears in the current folder of a process here");
  return 0;
}
