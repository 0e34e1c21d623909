// A sampler as a kernel's argument: the program's own, which is the first device's, and its like on the others.
#pragma once

#include <CL/cl.h>

#include <mutex>
#include <vector>

#include "libsamcl/device/real_device.h"

namespace samcl {

class Sampler {
 public:
  // Keeps `first` alive, past the program's release.
  explicit Sampler(cl_sampler first);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // How many of the driver's references to a sampler are ours.
  static cl_uint references_to(cl_sampler sampler);

  // The sampler on a device, made on first use; nullptr and the driver's code if it can't be had. Any thread.
  cl_sampler real(const RealDevice& device, cl_int* error);

 private:
  std::mutex mutex_;
  std::vector<cl_sampler> by_device_;  // nullptr: not made yet
};

}  // namespace samcl
