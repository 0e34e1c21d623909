// Bytes from device to device where the driver moves memory between the devices of one context itself: PoCL's remote
// driver, from server to server and within one. These devices then have one real context: all of a set, or those of
// each server. Replicas remain: a range is copied into a small staging buffer on the device that has it, the driver
// moves that buffer to the other device, and there it is copied out, since drivers move whole buffers only.
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
  // What was measured of the slowest pair of devices of one server, and of two servers; nothing where there is none.
  struct Times {
    std::optional<driver::ExchangeTimes> within, across;
  };

  // By device the context that it shares with others; nullptr: it has one of its own. All have one where many bytes
  // arrive sooner this way than through the host, from server to server too; else those of each server where that is so
  // within it. None has one if they are of several platforms, a manager grants their links, or they may be lost
  // (SAMCL_SURVIVE), nor where the driver moves nothing. SAMCL_TRANSPORT=one-context: whatever was measured;
  // one-server: only within servers; both also where they are not remote. What was measured is remembered.
  static std::vector<std::shared_ptr<OneContext>> of(const std::vector<cl_device_id>& devices, const LeaseTarget& lease,
                                                     const cl_context_properties* properties);
  // times: nothing: all bytes take this way.
  OneContext(driver::Owned<cl_context> context, std::optional<Times> times);
  ~OneContext();
  OneContext(const OneContext&) = delete;
  OneContext& operator=(const OneContext&) = delete;

  cl_context context() const { return context_.get(); }
  // Between devices of one server, or not; nothing: all bytes take this way.
  const std::optional<driver::ExchangeTimes>& times(bool within_server) const {
    static constexpr std::optional<driver::ExchangeTimes> kNothing;
    return !times_ ? kNothing : within_server ? times_->within : times_->across;
  }
  // Whether so many bytes arrive sooner this way than through the host.
  bool takes(uint64_t bytes, bool within_server) const {
    const auto& its = times(within_server);
    return !its || its->is_faster_in_one_context(bytes);
  }

  // Copies rows of a replica to the same place of another device's, and waits; by the `down` queue of the one and the
  // `up` queue of the other. The driver's code. Any thread.
  cl_int pass(RealDevice& from, RealDevice& to, cl_mem source, cl_mem target, std::span<const Rectangle> rows);

 private:
  class Passing;
  cl_mem take_staging(uint64_t bytes, cl_int* error);
  void give_back(uint64_t bytes, cl_mem staging);

  const driver::Owned<cl_context> context_;
  const std::optional<Times> times_;
  std::mutex mutex_;
  std::map<uint64_t, std::vector<cl_mem>> idle_;  // staging buffers, by size
};

}  // namespace samcl
