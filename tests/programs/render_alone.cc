// A line is rendered with no allocation and no system call, and so is one of a live format: the program counts the
// first and has the system end it at the second.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "check.h"

static long allocations;

// In the place of the system's, which keep their other names.
#ifdef __GLIBC__
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* malloc(size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}
}
#endif

namespace {

size_t write_agent(void*, char* out, size_t cap) {
  constexpr char kText[] = "Mozilla/5.0 (X11; \"Linux\" x86_64)";
  memcpy(out, kText, sizeof kText - 1 < cap ? sizeof kText - 1 : cap);
  return sizeof kText - 1;
}

std::string hundred(const std::string& item, const std::string& between) {
  std::string text = item;
  for (int i = 1; i < 100; ++i) text += between + item;
  return text;
}

// Everything but the clock, writing and ending ends the process.
bool allow_next_to_nothing() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main() {
#ifndef __GLIBC__
  skip("this C library does not let its allocator be counted");
#endif
  const loguuid_field fields[] = {{"ua", write_agent, LOGUUID_STR}};
  const std::string texts[] = {
      hundred("%[uuid]", " "),
      hundred("\"%[uuid]\"", ","),
      hundred("%[uuid(7)]", " "),
      "%pid %H [%t] %T %Tl %Ts.%ms %rt %ID %ua \"%[ua]\" %{+Q,+E}[ua] %[ua,base64,hex]",
      "%[ulid] %[rand] %[rand(6)] %[token(64),ub64enc] %[traceparent] %[ws_key] %[lane] %[date(0,us)]",
      "%{+json}o %(ua)ua %(id)[uuid] %(pid)pid %(at)t",
      "%{+cbor}o %(ua)ua %(id)[uuid] %(pid)pid %(at)t",
  };
  static char out[8192];
  std::vector<loguuid_format*> formats;
  std::vector<loguuid_live*> lives;
  for (const std::string& text : texts) {
    loguuid_format *format, *other;
    CHECK_EQ(LOGUUID_OK, loguuid_format_compile(&format, text.c_str(), fields, 1, 0, nullptr));
    CHECK_EQ(LOGUUID_OK, loguuid_format_compile(&other, text.c_str(), fields, 1, 0, nullptr));
    loguuid_live* live;
    CHECK_EQ(LOGUUID_OK, loguuid_live_new(&live, other));
    formats.push_back(format);
    lives.push_back(live);
    CHECK(loguuid_format_render(format, out, sizeof out, nullptr) > 100);  // the thread's first draws
    CHECK(loguuid_live_render(live, out, sizeof out, nullptr) > 100);
  }

  const bool filtered = allow_next_to_nothing();
  const long before = allocations;
  for (int i = 0; i < 200; ++i) {  // over several keys
    for (loguuid_format* format : formats) loguuid_format_render(format, out, sizeof out, nullptr);
    for (loguuid_live* live : lives) loguuid_live_render(live, out, sizeof out, nullptr);
  }
  CHECK_EQ(before, allocations);
  CHECK(before > 0);
  constexpr char kNoFilter[] = "no allocation; but this system lets no program filter its calls\n";
  if (!filtered && write(STDOUT_FILENO, kNoFilter, sizeof kNoFilter - 1) > 0) _exit(77);
  _exit(0);
}
