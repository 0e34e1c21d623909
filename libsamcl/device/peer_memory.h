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

  // So much of the first device's memory is going to be allocated: makes it, unless it has been asked for since. For a
  // thread that nobody waits for, as the driver takes long for it: 1 ms for the first, 0.6 behind commands under way.
  virtual void make_ahead(uint64_t /*bytes*/) {}
  // Whether that is worth it.
  virtual bool makes_ahead(uint64_t /*bytes*/) const { return false; }
  // Whether kernels on all devices may use so much of one device's at once: they see what others have written there,
  // and what their atomic operations do is exact.
  virtual bool serves_all(uint64_t bytes) const = 0;
  // That much memory of a device, or more; nullptr if there is none, or the size is not one that is worth it, unless
  // it is wanted however small, or that the driver bears (driver 580 ends the process when an allocation of 511 MiB or
  // more is imported). Any thread.
  enum class Size : uint8_t { worth_it, however_small };
  virtual std::unique_ptr<PeerBuffer> allocate(unsigned device, uint64_t bytes, Size size) = 0;
};

}  // namespace samcl
