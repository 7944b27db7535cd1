// The machine's generation counter: Linux shows the hypervisor's vmclock device as a page that programs may map
// (include/uapi/linux/vmclock-abi.h); its disruption marker changes whenever a snapshot is resumed or cloned.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base.h"
#include "platform.h"

namespace loguuid {
namespace {

// The beginning of struct vmclock_abi: magic, size, version, counter_id, time_type, seq_count, then the marker.
constexpr uint32_t kVmclockMagic = 0x4b4c4356;  // "VCLK"
constexpr size_t kMarkerOffset = 16;
constexpr const char* kVmclock = "/dev/vmclock0";

const uint8_t* map_first_page(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return nullptr;
  struct stat st;
  void* page = MAP_FAILED;
  if (fstat(fd, &st) == 0 &&
      (S_ISCHR(st.st_mode) ||
       (S_ISREG(st.st_mode) && st.st_size >= static_cast<off_t>(kMarkerOffset + sizeof(uint64_t)))))
    page = mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return page == MAP_FAILED ? nullptr : static_cast<const uint8_t*>(page);
}

}  // namespace

const char* snapshot_default_file() { return kVmclock; }

const volatile uint64_t* snapshot_map(const char* file) {
  const int saved_errno = errno;
  const uint8_t* page = map_first_page(file);
  errno = saved_errno;
  if (page == nullptr) return nullptr;
  if ((load_le64(page) & 0xffffffff) == kVmclockMagic)
    return reinterpret_cast<const volatile uint64_t*>(page + kMarkerOffset);
  munmap(const_cast<uint8_t*>(page), page_size());
  return nullptr;
}

void snapshot_unmap(const volatile uint64_t* marker) {
  if (marker == nullptr) return;
  const auto address = reinterpret_cast<uintptr_t>(marker) - kMarkerOffset;
  munmap(reinterpret_cast<void*>(address), page_size());
}

}  // namespace loguuid
