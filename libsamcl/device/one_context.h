// Bytes from device to device where the driver moves memory between the devices of one context itself: PoCL's remote
// driver, from server to server. All devices of the set then have one real context. Replicas remain: a range is
// copied into a small staging buffer on the device that has it, the driver moves that buffer to the other device, and
// there it is copied out, since drivers move whole buffers only.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/driver/link_times.h"
#include "libsamcl/driver/owned.h"

namespace samcl {

class RealDevice;
struct LeaseTarget;

class OneContext {
 public:
  // The context of these devices; nullptr if each is to have one of its own: they are of several platforms, a manager
  // grants their links, they may be lost (SAMCL_SURVIVE), or the driver moves nothing. Unless
  // SAMCL_TRANSPORT=one-context, also where they are not remote, or many bytes were not measured to arrive sooner than
  // through the host. What was measured is remembered.
  static std::unique_ptr<OneContext> of(const std::vector<cl_device_id>& devices, const LeaseTarget& lease,
                                        const cl_context_properties* properties);
  // times: of the slowest pair; nothing: all bytes take this way.
  OneContext(driver::Owned<cl_context> context, std::optional<driver::ExchangeTimes> times);
  ~OneContext();
  OneContext(const OneContext&) = delete;
  OneContext& operator=(const OneContext&) = delete;

  cl_context context() const { return context_.get(); }
  const std::optional<driver::ExchangeTimes>& times() const { return times_; }
  // Whether so many bytes arrive sooner this way than through the host.
  bool takes(uint64_t bytes) const { return !times_ || times_->is_faster_in_one_context(bytes); }

  // Copies rows of a replica to the same place of another device's, and waits; by the `down` queue of the one and the
  // `up` queue of the other. The driver's code. Any thread.
  cl_int pass(RealDevice& from, RealDevice& to, cl_mem source, cl_mem target, std::span<const Rectangle> rows);

 private:
  class Passing;
  cl_mem take_staging(uint64_t bytes, cl_int* error);
  void give_back(uint64_t bytes, cl_mem staging);

  const driver::Owned<cl_context> context_;
  const std::optional<driver::ExchangeTimes> times_;
  std::mutex mutex_;
  std::map<uint64_t, std::vector<cl_mem>> idle_;  // staging buffers, by size
};

}  // namespace samcl
