// A copy of the running process that nothing tells of its being one: a clone that keeps the pages which a fork wipes,
// as a cloned machine does. The copies part within the stated window, kServiceDraws single draws, and at once for a
// batch: by the clock, and by fresh keys as soon as the machine's counter says that it was cloned.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "edge.h"
#include "lane.h"

#ifndef MADV_KEEPONFORK
#define MADV_KEEPONFORK 19
#endif

namespace {

constexpr size_t kWindow = loguuid::kServiceDraws;

struct VmclockPage {
  uint32_t magic = 0x4b4c4356, size = 4096;
  uint16_t version = 1;
  uint8_t counter_id = 0, time_type = 0;
  uint32_t seq_count = 0;
  uint64_t disruption_marker = 7;
  char rest[4096 - 24] = {};
};
static_assert(sizeof(VmclockPage) == 4096);

std::string counter_file(const VmclockPage& page, size_t size = sizeof(VmclockPage)) {
  char path[] = "/tmp/loguuid-vmclock-XXXXXX";
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  CHECK_EQ(size, write(fd, &page, size));
  close(fd);
  return path;
}

void move_counter(const std::string& path, uint64_t marker = 8) {
  const int fd = open(path.c_str(), O_RDWR);
  CHECK_EQ(sizeof marker, pwrite(fd, &marker, sizeof marker, offsetof(VmclockPage, disruption_marker)));
  close(fd);
}

// The library's anonymous private pages, all others too, stay in the next child as they are.
void keep_everything_on_fork() {
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps != nullptr);
  char line[512];
  while (fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from, to, inode;
    char access[5];
    CHECK(sscanf(line, "%lx-%lx %4s %*s %*s %lu", &from, &to, access, &inode) == 4);
    if (inode == 0 && access[3] == 'p') madvise(reinterpret_cast<void*>(from), to - from, MADV_KEEPONFORK);
  }
  fclose(maps);
}

struct Copy {
  Id singles[4 * kWindow];
  Id batch[8];
  unsigned char saved[LOGUUID_GEN_SAVE_SIZE];
};

std::array<unsigned char, 16> key_of(const Copy& copy) {
  std::array<unsigned char, 16> key;
  memcpy(key.data(), copy.saved + 48, 16);
  return key;
}

void parse_batch(Copy& copy) {
  char text[8 * 37];
  CHECK_EQ(8 * 37 - 1, loguuid_v4_many(text, sizeof text, 8, ' '));
  for (size_t i = 0; i < 8; ++i) CHECK_EQ(LOGUUID_OK, loguuid_parse(copy.batch[i].data(), text + 37 * i, 36));
}

enum class Begin { singles, batch };

// Both copies draw; returns how many singles were equal, at the same places.
size_t clone_and_draw(Copy copies[2], loguuid_gen& gen, Begin begin, const std::string& moved_file) {
  keep_everything_on_fork();
  const pid_t child = raw_clone();
  CHECK(child >= 0);
  if (child == 0 && !moved_file.empty()) move_counter(moved_file);
  if (child != 0 && !moved_file.empty())
    for (uint64_t marker = 0; marker != 8;) {  // the machine's counter moves before either copy runs
      const int fd = open(moved_file.c_str(), O_RDONLY);
      CHECK_EQ(sizeof marker, pread(fd, &marker, sizeof marker, offsetof(VmclockPage, disruption_marker)));
      close(fd);
    }
  Copy& copy = copies[child == 0];
  if (begin == Begin::batch) parse_batch(copy);
  for (Id& id : copy.singles) id = v4_id();
  if (begin == Begin::singles) parse_batch(copy);
  CHECK_EQ(LOGUUID_OK, loguuid_gen_save(&gen, copy.saved));
  if (child == 0) _exit(0);
  CHECK_EQ(0, wait_for(child));

  size_t equal = 0;
  for (size_t i = 0; i < 4 * kWindow; ++i) {
    const bool same = copies[0].singles[i] == copies[1].singles[i];
    equal += same;
    if (begin == Begin::batch || i >= kWindow) CHECK(!same);
  }
  for (size_t i = 0; i < 8; ++i) CHECK(copies[0].batch[i] != copies[1].batch[i]);
  return equal;
}

// `own`: it is the thread's own lane that draws, which makes blocks ahead, not a generator.
void copies_part(Begin begin, bool with_counter, bool own, int draws_before) {
  void* memory = mmap(nullptr, 2 * sizeof(Copy), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* copies = static_cast<Copy*>(memory);
  const std::string file = counter_file({});
  if (with_counter) loguuid_set_snapshot_file(file.c_str());
  loguuid_gen gen;
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init_live(&gen));
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  CHECK(!with_counter || info.snapshot_detection == file);
  if (!own) loguuid_use(&gen);
  for (int i = 0; i < draws_before; ++i) v4_id();
  const size_t equal = clone_and_draw(copies, gen, begin, with_counter ? file : "");
  unlink(file.c_str());
  printf("%s, %s, %s, after %d draws: %zu of the first %zu single draws equal\n", own ? "own lane" : "generator",
         begin == Begin::batch ? "batch" : "singles", with_counter ? "counter" : "clock", draws_before, equal, kWindow);
  const bool same_key = key_of(copies[0]) == key_of(copies[1]);
  if (!own) CHECK_EQ(!with_counter, same_key);
}

// Calls of every kind that is no batch look at the clock as often as single draws do, also behind a batch.
void calls_of_all_kinds(unsigned kind) {
  constexpr size_t kCalls = 5000;
  struct Values {
    uint64_t of[kCalls];
  };
  CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
  void* memory = mmap(nullptr, 2 * sizeof(Values), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* values = static_cast<Values*>(memory);
  char text[40 * 37];
  v4_id();
  if (kind % 2 != 0) CHECK(loguuid_v4_many(text, sizeof text, 40, ' ') != 0);
  keep_everything_on_fork();
  const pid_t child = raw_clone();
  CHECK(child >= 0);
  for (size_t i = 0; i < kCalls; ++i) {
    switch (kind / 2) {
      case 0:
        loguuid_random_bytes(text, 16);
        break;
      case 1:
        loguuid_random_bytes(text, 16 * (1 + i % 4));
        break;
      case 2:
        CHECK(loguuid_traceparent(text, sizeof text, 1) != 0);
        memmove(text, text + 36, 8);
        break;
      case 3:
        CHECK(loguuid_token(text, sizeof text, 24, LOGUUID_HEX) != 0);
        break;
      default:
        i % 2 != 0 ? loguuid_random_bytes(text, 16) : void(loguuid_v4(text, sizeof text));
    }
    memcpy(&values[child == 0].of[i], text, 8);
  }
  if (child == 0) _exit(0);
  CHECK_EQ(0, wait_for(child));
  size_t equal = 0;
  for (size_t i = 0; i < kCalls; ++i) equal += values[0].of[i] == values[1].of[i];
  CHECK(equal < kWindow);
}

// fork() runs its handlers: where they are all there is, the child still gives nothing of what its parent had ready.
void fork_that_wipes_nothing() {
  CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
  Drawn drawn(1024);
  for (int i = 0; i < 5; ++i) drawn.add_v4();
  keep_everything_on_fork();
  const pid_t child = fork();
  CHECK(child >= 0);
  for (size_t i = 0; i < 3 * kWindow; ++i) drawn.add_v4();
  if (child == 0) _exit(0);
  CHECK_EQ(0, wait_for(child));
  CHECK_EQ(0, drawn.duplicates());
}

// The machine is copied while the system's bytes are on their way: what the lane saw before does not count as seen.
unsigned entropy_calls;
std::string moves_meanwhile;

void copied_meanwhile() {
  moves_meanwhile = counter_file({});
  loguuid_set_snapshot_file(moves_meanwhile.c_str());
  CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
  v4_id();
  move_counter(moves_meanwhile, 100);
  entropy_calls = 0;
  for (size_t i = 0; i < kWindow; ++i) v4_id();
  CHECK_EQ(1, entropy_calls);
  for (size_t i = 0; i < kWindow; ++i) v4_id();
  CHECK_EQ(2, entropy_calls);  // for the counter that moved during the first
  unlink(moves_meanwhile.c_str());
}

// What is no counter is left alone.
void not_a_counter(const std::string& path) {
  loguuid_set_snapshot_file(path.c_str());
  CHECK_EQ(LOGUUID_OK, loguuid_boot(nullptr));
  loguuid_info info{};
  info.size = sizeof info;
  CHECK_EQ(LOGUUID_OK, loguuid_describe(&info));
  CHECK(strcmp(info.snapshot_detection, "clock") == 0);
  v4_id();
}

void other_files() {
  VmclockPage wrong;
  wrong.magic = 1;
  const std::string wrong_magic = counter_file(wrong), too_short = counter_file({}, 20), empty = counter_file({}, 0);
  const std::string fifo = empty + "-fifo";
  CHECK_EQ(0, mkfifo(fifo.c_str(), 0600));
  for (const std::string& path : {wrong_magic, too_short, empty, fifo, std::string("/tmp"), std::string("/dev/zero"),
                                  std::string("/dev/null"), std::string("/nonexistent")})
    in_a_child([&] { not_a_counter(path); });
  for (const std::string& path : {wrong_magic, too_short, empty, fifo}) unlink(path.c_str());
}

}  // namespace

// In place of the C library's, for what the library asks of it.
extern "C" ssize_t getrandom(void* out, size_t len, unsigned flags) {
  if (!moves_meanwhile.empty() && entropy_calls < 1) move_counter(moves_meanwhile, 101);
  ++entropy_calls;
  return syscall(SYS_getrandom, out, len, flags);
}

int main() {
  for (const bool with_counter : {false, true})
    for (const int before : {1, 7, 31, 200})
      for (const Begin begin : {Begin::singles, Begin::batch})
        for (const bool own : {false, true}) in_a_child([=] { copies_part(begin, with_counter, own, before); });
  for (unsigned kind = 0; kind < 10; ++kind) in_a_child([=] { calls_of_all_kinds(kind); });
  in_a_child(fork_that_wipes_nothing);
  in_a_child(copied_meanwhile);
  other_files();
  return 0;
}
