// Cutting an NDRange: into sub-kernels for several devices, and those into slices. Always in whole
// work-groups, along one dimension. Pure arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace samcl {

using Index3 = std::array<uint64_t, 3>;

// What a program asked for. Dimensions beyond `dimensions` hold offset 0, size 1, local 1.
struct Ndrange {
  unsigned dimensions = 1;
  Index3 offset{0, 0, 0};  // global_work_offset, work-items
  Index3 global{1, 1, 1};  // global_work_size, work-items
  // Work-items of a work-group. It need not divide `global` (non-uniform work-groups, OpenCL 2.0): then the
  // last work-group of the dimension is smaller.
  Index3 local{1, 1, 1};

  uint64_t groups(unsigned dimension) const { return (global[dimension] + local[dimension] - 1) / local[dimension]; }
  Index3 groups() const { return {groups(0), groups(1), groups(2)}; }
  uint64_t total_groups() const { return groups(0) * groups(1) * groups(2); }
  bool operator==(const Ndrange&) const = default;
};

// A box of whole work-groups of an NDRange: a sub-kernel or a slice.
struct GroupBox {
  Index3 first{0, 0, 0};  // first work-group
  Index3 count{1, 1, 1};  // work-groups
  uint64_t total() const { return count[0] * count[1] * count[2]; }
  bool operator==(const GroupBox&) const = default;
};

// The launch of a box as OpenCL wants it: work-items from `offset` on, `size` of them. The last work-group of
// a dimension may be smaller than the local size.
struct BoxLaunch {
  Index3 offset;
  Index3 size;
  bool operator==(const BoxLaunch&) const = default;
};
BoxLaunch launch_of(const Ndrange& ndrange, const GroupBox& box);

// The dimension to cut for `parts` parts: the slowest-varying one (its parts are contiguous in row-major
// outputs) unless another balances the work-groups clearly better.
unsigned best_dimension(const Ndrange& ndrange, unsigned parts);

// All dimensions that balance the work-groups about as well as that one, which comes first.
std::vector<unsigned> good_dimensions(const Ndrange& ndrange, unsigned parts);

// Cuts the NDRange into at most shares.size() boxes along `dimension`, sized in proportion to `shares`
// (positive weights). Parts that would be empty are left out: box i belongs to the i-th device that got any,
// see `device`.
struct Part {
  unsigned device;  // index into shares
  GroupBox box;
};
std::vector<Part> split(const Ndrange& ndrange, std::span<const double> shares, unsigned dimension);
// The same along best_dimension().
std::vector<Part> split(const Ndrange& ndrange, std::span<const double> shares);

// Cuts the first slice of at most that many work-groups off what is left (boxes, the first one last; not empty): whole
// rows of work-groups of the slowest dimension or, where one is longer than that, a part of it.
GroupBox cut_slice(std::vector<GroupBox>& left, uint64_t groups);

// Cuts a box into slices of about `groups_per_slice` work-groups (at least one row of work-groups of the
// dimension that is cut), in order.
std::vector<GroupBox> slice(const GroupBox& box, uint64_t groups_per_slice);

}  // namespace samcl
