// Version, error names, and what the library found on this machine.
#include "kernel.h"
#include "loguuid.h"
#include "platform.h"
#include "process.h"

#define LOGUUID_TEXT(x) #x
#define LOGUUID_VERSION_TEXT(major, minor, patch) LOGUUID_TEXT(major) "." LOGUUID_TEXT(minor) "." LOGUUID_TEXT(patch)

using namespace loguuid;

const char* loguuid_version(void) {
  return LOGUUID_VERSION_TEXT(LOGUUID_VERSION_MAJOR, LOGUUID_VERSION_MINOR, LOGUUID_VERSION_PATCH);
}

const char* loguuid_kernel(void) { return kernel_choose().name; }

const char* loguuid_strerror(loguuid_status status) {
  switch (status) {
    case LOGUUID_OK:
      return "success";
    case LOGUUID_ERR_ARG:
      return "an argument is NULL, of a wrong size or out of range";
    case LOGUUID_ERR_ENTROPY:
      return "the operating system gave no random bytes";
    case LOGUUID_ERR_STATE:
      return "not possible in this state: booted already, another TID held, or the wrong mode";
    case LOGUUID_ERR_TID:
      return "another living thread has this TID";
    case LOGUUID_ERR_SPACE:
      return "the buffer is too small or a limit is exceeded";
    case LOGUUID_ERR_SYNTAX:
      return "the text does not parse";
    case LOGUUID_ERR_NOMEM:
      return "the operating system gave no memory";
    case LOGUUID_ERR_FORMAT:
      return "the saved state has another version or is corrupt";
  }
  return "unknown status";
}

// The names of all rows, joined: written once by each thread that asks, always with the same bytes.
static const char* kernel_names() {
  static char names[64];
  static bool done;
  if (__atomic_load_n(&done, __ATOMIC_ACQUIRE)) return names;
  const Kernel* rows[kMaxKernels];
  const size_t count = kernels_available(rows);
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) __atomic_store_n(&names[at++], ' ', __ATOMIC_RELAXED);
    for (const char* c = rows[i]->name; *c != '\0'; ++c) __atomic_store_n(&names[at++], *c, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  return names;
}

loguuid_status loguuid_describe(loguuid_info* info) {
  if (info == nullptr || info->size != sizeof *info) return LOGUUID_ERR_ARG;
  const ProcessFacts facts = process_facts();
  info->kernel = loguuid_kernel();
  info->kernels = kernel_names();
  const KernelRequest request = kernel_request();
  info->kernel_request = request.name;
  info->kernel_request_honoured = request.honoured ? 1 : 0;
  info->fork_detection = facts.wiped_on_fork ? "wiped page and atfork" : "atfork and process id";
  info->snapshot_detection = facts.snapshot_file != nullptr ? facts.snapshot_file : "clock";
  info->clock = fine_clock_name();
  info->host_clock = facts.host_clock ? 1 : 0;
  info->mode = !facts.booted ? "not booted" : facts.live ? "live" : "reproducible";
  info->hash = facts.hash == Hash::aes ? "aes" : "xxh3";
  info->thread_state_bytes = thread_state_bytes();
  return LOGUUID_OK;
}
