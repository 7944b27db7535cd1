#include "platform_barrier.h"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace loguuid {

#if defined(__linux__) && defined(SYS_membarrier)

static bool membarrier(int command) {
  const int saved = errno;
  const bool done = syscall(SYS_membarrier, command, 0, 0) == 0;
  errno = saved;
  return done;
}

bool barrier_register() { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }
bool barrier_everywhere() { return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

#else

bool barrier_register() { return false; }
bool barrier_everywhere() { return false; }

#endif

}  // namespace loguuid
