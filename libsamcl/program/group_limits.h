// What a device allows a part of a kernel, where devices are not alike: the program has asked the first one only.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <string>

#include "contract/ndrange.h"

namespace samcl {

struct GroupLimits {
  uint64_t group_size = 0;             // work-items of a work-group
  std::array<size_t, 3> item_sizes{};  // of one dimension
  uint64_t local_memory = 0;           // bytes for arguments: what the kernel does not take by itself
  uint64_t buffer = 0;                 // bytes of the largest buffer
  bool partial_groups = false;         // local sizes that do not divide the global size

  // What the driver says; all zero, so that nothing fits, if it does not know the kernel.
  static GroupLimits of(cl_program program, const std::string& kernel, cl_device_id device);

  bool fits(const Ndrange& ndrange, uint64_t local_bytes, uint64_t largest_buffer) const;
};

}  // namespace samcl
