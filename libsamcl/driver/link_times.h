// How long a device's link takes, found out by writing to a buffer of it.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace samcl::driver {

struct LinkTimes {
  static constexpr size_t kFew = 64, kMany = 2 << 20;
  uint64_t few_ns = 0, many_ns = 0;  // until a write of so many bytes has returned

  double bytes_per_ns() const {
    return static_cast<double>(kMany) / static_cast<double>(many_ns > few_ns ? many_ns - few_ns : 1);
  }
};

// On a queue of that context; nothing where the driver refuses.
std::optional<LinkTimes> measure_link(cl_context context, cl_command_queue queue);

}  // namespace samcl::driver
