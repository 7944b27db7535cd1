// A signal handler that forks at an instruction of a draw: parent and child both go on with the draw that was under
// way, and they get different values. The child is made behind the C library's back or by fork(); it may draw in the
// handler first.
#include "step.h"

namespace {

// What the children made of the draw that was under way, and at which instruction they came to be.
struct Continued {
  long step;
  Id id;
};
constexpr size_t kMostContinued = 1 << 15;
struct AllContinued {
  size_t count;
  Continued of[kMostContinued];
};

Drawn* drawn;
AllContinued* continued;
long every;             // forks at every instruction of the first 250, then at each so many
bool draw_in_handler;   // the child does, before it goes on
bool through_the_libc;  // fork() instead of the system call
bool takes_ready;       // the draw is a single call that finds blocks ready, or makes them so
long born_at = -1;      // in a child

void fork_here(long step) {
  if (step > 250 && step % every != 0) return;
  const pid_t child = through_the_libc ? fork() : raw_clone();
  CHECK(child >= 0);
  if (child != 0) {
    CHECK_EQ(0, wait_for(child));
    return;
  }
  born_at = step;
  step::stop = true;
  if (draw_in_handler) drawn->add_v4();
}

Id parsed(const char* text) {
  Id id;
  CHECK_EQ(LOGUUID_OK, loguuid_parse(id.data(), text, 36));
  return id;
}

// After the work: a child says what it got, and ends. The parent's values are compared with theirs. A value that was
// already made when the child came to be is a copy of the caller's data: that can be so at the last few instructions
// only, after the library's last look and before `step::stop`.
void report(const char* texts, size_t count) {
  // From the taking of a ready block the way back is short; where the look is a system call, it is longest.
  const long after_the_last_look = !fork_wipes() ? 48 : takes_ready ? 14 : 32;
  if (born_at >= 0) {
    for (size_t i = 0; i < count; ++i) {
      CHECK(continued->count < kMostContinued);
      continued->of[continued->count++] = {born_at, parsed(texts + 37 * i)};
    }
    drawn->add_v4();
    _exit(0);
  }
  for (size_t i = 0; i < count; ++i) drawn->add(parsed(texts + 37 * i));
  for (size_t i = 0; i < continued->count; ++i)
    if (continued->of[i].step < step::steps - after_the_last_look) drawn->add(continued->of[i].id);
}

void v4_text() {
  char text[37];
  const size_t len = loguuid_v4(text, sizeof text);
  step::stop = true;
  CHECK_EQ(36, len);
  report(text, 1);
}

void v4_batch() {
  char text[40 * 37];
  const size_t len = loguuid_v4_many(text, sizeof text, 40, ' ');
  step::stop = true;
  CHECK_EQ(40 * 37 - 1, len);
  report(text, 40);
}

void start(bool reproducible) {
  drawn = new Drawn(1 << 16);
  void* memory = mmap(nullptr, sizeof(AllContinued), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  continued = static_cast<AllContinued*>(memory);
  CHECK_EQ(LOGUUID_OK, boot_in_mode(reproducible));
}

// `before` draws have been made in this process.
void step_through(bool reproducible, int before, long step_width, void (*work)()) {
  every = step_width;
  takes_ready = work == v4_text && before != 0 && before != 1024;
  start(reproducible);
  for (int i = 0; i < before; ++i) drawn->add_v4();
  const long steps = step::through(work, fork_here);
  CHECK(steps > 20);
  CHECK_EQ(0, drawn->duplicates());
}

// The draw under way is the first one of a child: it has to take its process number.
void first_draw_of_a_child(bool reproducible) {
  every = 256;
  start(reproducible);
  drawn->add_v4();
  in_a_child([] { step::through(v4_text, fork_here); });
  drawn->add_v4();
  CHECK_EQ(0, drawn->duplicates());
}

}  // namespace

int main() {
  if (!kCanStep) skip("single steps are written for x86-64 only");
  for (const bool reproducible : {true, false}) {
    draw_in_handler = reproducible;
    in_a_child([=] { step_through(reproducible, 5, 1, v4_text); });
    in_a_child([=] { step_through(reproducible, 1, 4, v4_text); });  // makes blocks ahead
    in_a_child([=] { step_through(reproducible, 33, 4, v4_text); });
    in_a_child([=] { step_through(reproducible, 0, 512, v4_text); });
    in_a_child([=] { step_through(reproducible, 3, 32, v4_batch); });
    in_a_child([=] { step_through(reproducible, 1024, 16, v4_text); });
    draw_in_handler = false;
    in_a_child([=] { first_draw_of_a_child(reproducible); });
    through_the_libc = true;
    in_a_child([=] { step_through(reproducible, 5, 1, v4_text); });
    through_the_libc = false;
  }
  return 0;
}
