// Which work-group size the driver takes where a program leaves it open (local_work_size null). A part of an
// NDRange would get another one than the whole, so a kernel whose result depends on the local size must be
// given the size that the whole would have got.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <optional>

#include "libsamcl/driver/vendor.h"

namespace samcl::driver {

using Size3 = std::array<size_t, 3>;

// What the choice depends on, in work-items (compute_units: their number).
struct LocalSizeLimits {
  Size3 max_item_sizes{1, 1, 1};
  size_t max_group_size = 1;
  size_t preferred_multiple = 1;
  size_t compute_units = 1;
};

// The algorithm of PoCL's CPU drivers for `global` work-items (1 in unused dimensions): the largest divisors
// of the global size that fit a group, multiples of the preferred size where possible, then smaller ones
// until every compute unit has a group of at least four preferred sizes.
Size3 pocl_local_size(const Size3& global, const LocalSizeLimits& limits);

// For a launch in pieces where any local size is right and the driver compiles for each: how long a row of work-items
// the work-groups of all pieces may be, which divides the global size and leaves many groups; 0: only tiny groups
// would.
size_t row_for_all_pieces(const Size3& global);

// What the driver of `queue` would take for that launch of a real kernel, or nullopt if there is no way to
// know: by cl_khr_suggested_local_work_size, else by the vendor's known algorithm. `offset` may be null.
std::optional<Size3> local_size_choice(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t* offset, const size_t* global);

}  // namespace samcl::driver
