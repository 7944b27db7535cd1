// A signal handler that draws, at every instruction of a draw: all values are distinct and valid, and the lane is as if
// the draws had come one after the other: in reproducible mode it gave exactly its blocks, each once, but for a block
// that may be skipped where draws crossed.
#include <set>

#include "lane.h"
#include "step.h"

namespace {

constexpr size_t kMost = 1 << 16;
Drawn* drawn;
long only_at;  // the handler draws at this step alone; -1: at all

void draw_here(long step) {
  if (only_at >= 0 && step != only_at) return;
  drawn->add_v4();
  if (only_at >= 0) step::stop = true;
}

void draw_text_here(long) {
  char text[37];
  Id id;
  CHECK_EQ(36, loguuid_v4(text, sizeof text));
  CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text, 36));
  drawn->add(id);
}

void batch_here(long step) {
  char text[3 * 37];
  if (step % 16 != 0) return;
  CHECK_EQ(110, loguuid_v4_many(text, sizeof text, 3, ' '));
  for (size_t i = 0; i < 3; ++i) {
    Id id;
    CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text + 37 * i, 36));
    drawn->add(id);
  }
}

void v4_text() {
  char text[37];
  Id id;
  CHECK_EQ(36, loguuid_v4(text, sizeof text));
  step::stop = true;
  CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text, 36));
  drawn->add(id);
}

void v4_bytes() {
  const Id id = v4_id();
  step::stop = true;
  CHECK(is_v4(id));
  drawn->add(id);
}

void v4_batch() {
  char text[5 * 37];
  CHECK_EQ(5 * 37 - 1, loguuid_v4_many(text, sizeof text, 5, ' '));
  step::stop = true;
  for (size_t i = 0; i < 5; ++i) {
    Id id;
    CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text + 37 * i, 36));
    drawn->add(id);
  }
}

void pair_and_bytes() {
  uint64_t lo, hi;
  unsigned char bytes[16];
  loguuid_random_pair(&lo, &hi);
  loguuid_random_bytes(bytes, sizeof bytes);
  step::stop = true;
  Id id;
  memcpy(id.data(), &lo, 8);
  memcpy(id.data() + 8, &hi, 8);
  for (Id next : {id, std::to_array(bytes)}) {
    next[6] = static_cast<unsigned char>((next[6] & 0x0f) | 0x40);
    next[8] = static_cast<unsigned char>((next[8] & 0x3f) | 0x80);
    drawn->add(next);
  }
}

// This thread's lane gave its first blocks, each once: as many as its position says, but for `skipped` at most.
void lane_is_whole(size_t skipped) {
  const loguuid_position position = loguuid_gen_position(nullptr);
  std::set<Id> all;
  for (size_t i = 0; i < drawn->size(); ++i) all.insert((*drawn)[i]);
  const uint64_t seed = 42;
  loguuid_gen gen;
  CHECK_EQ(LOGUUID_OK, loguuid_gen_init(&gen, &seed, sizeof seed, position.thread, position.process, LOGUUID_HASH_AES));
  loguuid_use(&gen);
  size_t found = 0;
  for (uint64_t i = 0; i < position.draws; ++i) found += all.contains(v4_id());
  CHECK(found <= position.draws && position.draws - found <= skipped);
  for (int i = 0; i < 1000; ++i) CHECK(!all.contains(v4_id()));
  loguuid_use(nullptr);
}

void everything_is_right(bool reproducible, size_t skipped) {
  CHECK_EQ(0, drawn->duplicates());
  if (reproducible) lane_is_whole(skipped);
}

// Whose draws are interrupted: the thread's own lane, which makes blocks ahead, or a generator, which does not.
enum class Whose { lane, generator };

void start(bool reproducible, Whose whose) {
  static loguuid_gen gen;
  const uint64_t seed = 42;
  CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
  if (whose == Whose::lane) return;
  CHECK_EQ(LOGUUID_OK, reproducible ? loguuid_gen_init(&gen, &seed, sizeof seed, 7, 0, LOGUUID_HASH_AES)
                                    : loguuid_gen_init_live(&gen));
  loguuid_use(&gen);
}

void draw_until(uint64_t position) {
  while (loguuid_gen_position(nullptr).draws < position) drawn->add_v4();
}

// The handler draws at all instructions of one draw, `singles` calls after a look at the position: the first of these
// finds no blocks ready.
void at_all_steps(bool reproducible, Whose whose, void (*work)(), void (*handler)(long), uint64_t position,
                  int singles) {
  in_a_child([=] {
    drawn = new Drawn(kMost);
    start(reproducible, whose);
    draw_until(position);
    for (int i = 0; i < singles; ++i) drawn->add_v4();
    only_at = -1;
    const long steps = step::through(work, handler);
    CHECK(steps > 20);
    everything_is_right(reproducible, static_cast<size_t>(steps));
  });
}

// The handler draws at one instruction of one draw, for each instruction in turn, with `left` draws before the key
// wears out, the last `singles` of them after the look at the position.
void at_each_step_alone(bool reproducible, Whose whose, void (*work)(), uint64_t left, uint64_t singles) {
  in_a_child([=] {
    drawn = new Drawn(kMost * 64);
    start(reproducible, whose);
    uint64_t end_of_key = loguuid::kKeyDraws;
    bool done = false;
    for (only_at = 0; !done; ++only_at) {
      draw_until(end_of_key - left - singles);
      for (uint64_t i = 0; i < singles; ++i) drawn->add_v4();
      const size_t before = drawn->size();
      step::through(work, draw_here);
      done = drawn->size() == before + 1;  // over before that step
      CHECK(only_at < 4000);
      end_of_key += loguuid::kKeyDraws;
    }
    CHECK(only_at > 20);
    everything_is_right(reproducible, static_cast<size_t>(only_at));
  });
}

// Two signals in one call: at the first the handler draws twice, which makes blocks ahead, at the second once.
long first_at, second_at;

void draw_at_two_steps(long step) {
  if (step == first_at) drawn->add_v4(), drawn->add_v4();
  if (step == second_at) {
    drawn->add_v4();
    step::stop = true;
  }
}

void two_signals(int singles) {
  drawn = new Drawn(kMost);
  CHECK_EQ(LOGUUID_OK, boot_in_mode(true));
  long steps = 1000;
  for (first_at = 0; first_at < std::min(steps, 90L); ++first_at)
    for (second_at = first_at + 1; second_at < steps; second_at += 11) {
      drawn->clear();
      draw_until(loguuid_gen_position(nullptr).draws);  // nothing is ready
      for (int i = 0; i < singles; ++i) drawn->add_v4();
      step::through(v4_bytes, draw_at_two_steps);
      if (drawn->size() < static_cast<size_t>(singles) + 4) steps = second_at;  // the call was over before
      for (int i = 0; i < 70; ++i) drawn->add_v4();
      CHECK_EQ(0, drawn->duplicates());
    }
}

// A thread that drew before registers, and a handler draws twice meanwhile.
void register_thread() {
  CHECK_EQ(LOGUUID_OK, loguuid_thread_start(5));
  step::stop = true;
}

void draw_twice_here(long step) {
  if (step != only_at) return;
  drawn->add_v4();
  drawn->add_v4();
  step::stop = true;
}

void while_registering(bool reproducible) {
  for (only_at = 0; only_at < 700; only_at += 9)
    in_a_child([=] {
      drawn = new Drawn(kMost);
      CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
      for (int i = 0; i < 3; ++i) drawn->add_v4();
      step::through(register_thread, draw_twice_here);
      for (int i = 0; i < 3; ++i) drawn->add_v4();
      CHECK_EQ(0, drawn->duplicates());
    });
}

}  // namespace

int main() {
  if (!kCanStep) skip("single steps are written for x86-64 only");
  for (const int singles : {1, 33}) in_a_child([=] { two_signals(singles); });
  for (const bool reproducible : {true, false}) while_registering(reproducible);
  for (const bool reproducible : {true, false})
    for (const Whose whose : {Whose::lane, Whose::generator}) {
      for (const uint64_t position : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, uint64_t{1020}})
        for (const int singles : {0, 1, 3, 31}) {
          if (whose == Whose::generator && singles != 0) continue;
          at_all_steps(reproducible, whose, v4_text, draw_here, position, singles);
          at_all_steps(reproducible, whose, v4_text, batch_here, position, singles);
          at_all_steps(reproducible, whose, v4_bytes, draw_text_here, position, singles);
          at_all_steps(reproducible, whose, v4_batch, draw_here, position, singles);
          at_all_steps(reproducible, whose, pair_and_bytes, batch_here, position, singles);
        }
      for (const uint64_t left : {uint64_t{1}, uint64_t{2}})
        for (const uint64_t singles : {uint64_t{0}, uint64_t{3}}) {
          if (whose == Whose::generator && singles != 0) continue;
          at_each_step_alone(reproducible, whose, v4_text, left, singles);
          at_each_step_alone(reproducible, whose, v4_bytes, left, singles);
        }
    }
  return 0;
}
