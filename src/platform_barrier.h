// A memory barrier that one thread pays for all: after barrier_everywhere() every running thread of the process has
// passed a full barrier, so that their side needs none (membarrier(2), private expedited).
#pragma once

namespace loguuid {

// May barrier_everywhere() be used in this process? A system call; call it before the first use.
bool barrier_register();
// False: the system did not do it.
bool barrier_everywhere();

}  // namespace loguuid
