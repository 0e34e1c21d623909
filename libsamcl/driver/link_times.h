// How long bytes take to a device and from one to another, found out by trying.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace samcl::driver {

// Of a way that bytes take: until a few and until many have arrived.
struct LinkTimes {
  static constexpr size_t kFew = 64, kMany = 2 << 20;
  uint64_t few_ns = 0, many_ns = 0;

  // Where few took longer than many did, their time says nothing of the way's: then no more than was seen.
  double bytes_per_ns() const {
    const uint64_t ns = many_ns > few_ns ? many_ns - few_ns : many_ns;
    return static_cast<double>(kMany) / static_cast<double>(ns > 0 ? ns : 1);
  }
  double ns(uint64_t bytes) const { return static_cast<double>(few_ns) + static_cast<double>(bytes) / bytes_per_ns(); }
};

// From the host to a device, by a queue of that context; nothing where the driver refuses.
std::optional<LinkTimes> measure_link(cl_context context, cl_command_queue queue);

// From one device to another, by both ways that there are where neither sees the other's memory.
struct ExchangeTimes {
  LinkTimes through_host;    // read from the one and written to the other
  LinkTimes in_one_context;  // through a buffer that the driver moves between two devices of one context

  static constexpr uint64_t kPiece = 4 << 20;  // longer ranges go in pieces of that many bytes

  bool is_faster_in_one_context(uint64_t bytes) const { return in_one_context.ns(bytes) < through_host.ns(bytes); }
  // From how many bytes on; nothing if that is more than a piece, and one context is not worth having.
  std::optional<uint64_t> least_in_one_context() const;
};

// Between devices of one platform; nothing where the driver refuses, or has not moved anything after half a second
// (PoCL's remote driver 8.0-pre, as it was released, asks the wrong session of a server). Takes some tens of
// milliseconds over a network.
std::optional<ExchangeTimes> measure_exchange(cl_device_id from, cl_device_id to);

}  // namespace samcl::driver
