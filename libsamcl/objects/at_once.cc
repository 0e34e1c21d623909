#include "libsamcl/objects/at_once.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "libsamcl/device/real_device.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/planner.h"

namespace samcl {
namespace {

using engine::LaneKind;

// On a thread that may wait.
cl_int copy_at_once(const std::vector<Bytes>& what, RealDevice& device, LaneKind lane, Traffic& traffic) {
  std::vector<std::pair<std::byte*, std::vector<std::byte>>> arrived;  // where to, and what
  for (const Bytes& bytes : what) {
    cl_int error = CL_SUCCESS;
    const cl_mem real = bytes.memory->replica(device.index, &error);
    if (!real) return error;
    std::byte* const host = bytes.memory->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    const DeviceMemory memory{real, nullptr, false, device.packs_host_rows};
    for (const Range& range : bytes.ranges) {
      arrived.emplace_back(host + range.begin, range.size());
      error = device.transfer(lane, Direction::down, memory, Rectangle::run(range.begin, range.size()),
                              arrived.back().second.data(), Rectangle::run(0, range.size()), traffic);
      if (error != CL_SUCCESS) return error;
    }
  }
  for (const auto& [to, bytes] : arrived) std::ranges::copy(bytes, to);
  return CL_SUCCESS;
}

}  // namespace

void bring_at_once(Planner& planner, const Context& context, unsigned device, std::vector<Bytes> what, Traffic& traffic,
                   std::function<void()> arrived) {
  Planner::Accesses accesses;
  uint64_t size = 0;
  for (const Bytes& bytes : what) {
    for (const Range& range : bytes.ranges) {
      size += range.size();
      accesses.push_back({bytes.memory, device, range, false});
      accesses.push_back({bytes.memory, kHost, range, true});
    }
  }
  const engine::Lane lane = transfer_lane(device, kHost, size);
  auto copy = [what = std::move(what), &real = *context.devices[device], lane, &traffic, arrived = std::move(arrived)] {
    const cl_int error = copy_at_once(what, real, lane.kind, traffic);
    if (error == CL_SUCCESS) arrived();
    return error;
  };
  planner.add(lane, engine::HostCall{std::move(copy)}, std::move(accesses));
}

}  // namespace samcl
