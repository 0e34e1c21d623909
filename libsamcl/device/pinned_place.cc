#include "libsamcl/device/pinned_place.h"

#include <sys/mman.h>

#include <utility>

#include "base/pages.h"
#include "libsamcl/driver/driver.h"

namespace samcl {

void PinnedPlace::release() {
  memory_ = nullptr;
  if (lock_) driver::real().clReleaseMemObject(std::exchange(lock_, nullptr));
  if (pages_) munmap(std::exchange(pages_, nullptr), kBytes);
}

void PinnedPlace::prepare(cl_context context) {
  pages_ = map_pages(kBytes);
  if (!pages_) return;
  cl_int error;
  lock_ = driver::real().clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, kBytes, pages_, &error);
  if (lock_) memory_ = pages_;
}

PinnedPlace::Held PinnedPlace::take(uint64_t bytes) {
  std::byte* const memory = memory_;
  if (!memory || bytes > kBytes) return {};
  std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? Held(std::move(lock), memory) : Held();
}

}  // namespace samcl
