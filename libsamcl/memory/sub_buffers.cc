#include "libsamcl/memory/sub_buffers.h"

#include <algorithm>
#include <iterator>

#include "libsamcl/driver/driver.h"

namespace samcl {

cl_mem SubBuffers::make(unsigned device, cl_mem parent, uint64_t first, Range range, cl_int* error) {
  std::lock_guard lock(mutex_);
  auto& made = on_[device];
  const auto unused = std::ranges::find_if(
      made, [&](const Made& each) { return !each.used && each.parent == parent && each.range == range; });
  if (unused != made.end()) {
    unused->used = true;
    *error = CL_SUCCESS;
    return unused->real;
  }
  const cl_buffer_region region{range.begin - first, range.size()};
  const cl_mem real =
      driver::real().clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, error);
  if (real) made.push_back({real, parent, range, true});
  return real;
}

void SubBuffers::release(unsigned device, cl_mem sub_buffer) {
  std::lock_guard lock(mutex_);
  auto& made = on_[device];
  const auto released = std::ranges::find(made, sub_buffer, &Made::real);
  released->used = false;
  for (auto i = static_cast<size_t>(released - made.begin()) + 1; i-- > 0;) {
    const auto older = made.begin() + static_cast<ptrdiff_t>(i);
    const auto overlaps = [&](const Made& newer) { return !intersect(newer.range, older->range).empty(); };
    if (older->used || std::any_of(made.rbegin(), std::make_reverse_iterator(older + 1), overlaps)) continue;
    driver::real().clReleaseMemObject(older->real);
    made.erase(older);
  }
}

}  // namespace samcl
