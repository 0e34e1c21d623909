// Device memory that every device of a context may use directly (NVIDIA): allocated through CUDA's driver, which is
// opened at run time, exported as a file descriptor, and imported into each device's real context.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace samcl {

class RealDevice;

// The memory of one replica, as each device sees it.
class PeerBuffer {
 public:
  virtual ~PeerBuffer() = default;
  // As the device of that index sees it; nullptr if the driver refuses. Not thread-safe.
  virtual cl_mem seen_by(unsigned device) = 0;
};

class PeerMemory {
 public:
  // nullptr where the devices are not all NVIDIA's, cannot reach each other's memory, or CUDA's driver is missing.
  static std::unique_ptr<PeerMemory> of(const std::vector<std::unique_ptr<RealDevice>>& devices);
  // The same for devices that compute in host memory (device/shared_memory.h), for tests: each has a block of it as its
  // own, which the others can see.
  static std::unique_ptr<PeerMemory> in_host_memory(const std::vector<std::unique_ptr<RealDevice>>& devices);
  virtual ~PeerMemory() = default;

  // Makes the first of the first device's memory, which takes a driver ten times as long as what follows (1 ms). For a
  // thread that nobody waits for.
  virtual void prepare() {}
  // That much memory of a device, or more; nullptr if there is none, or the size is not one that is worth it, or that
  // the driver bears (driver 580 ends the process when an allocation of 511 MiB or more is imported). Any thread.
  virtual std::unique_ptr<PeerBuffer> allocate(unsigned device, uint64_t bytes) = 0;
};

}  // namespace samcl
