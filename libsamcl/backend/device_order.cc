#include "libsamcl/backend/device_order.h"

#include <algorithm>

#include "libsamcl/backend/operations.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/memory/storage.h"

namespace samcl {
namespace {

using engine::Node;
using engine::NodePtr;

// A device that waits for another one longer than this is rather left to other programs: what the host adds is little.
constexpr uint64_t kLongestWaitNs = 100'000'000;

bool is_long(const Node& node) {
  const auto* const half = std::get_if<engine::WindowCopy>(&node.operation);
  if (half && half->fills) return std::ranges::any_of(node.behind, [](const NodePtr& it) { return is_long(*it); });
  const auto* const run = std::get_if<engine::RunKernel>(&node.operation);
  const auto* const kernel = run ? static_cast<const SubKernel*>(run->work.get()) : nullptr;
  return kernel && kernel->times().expect(kernel->work_items(kernel->box())) > kLongestWaitNs;
}

bool begins_apart(const Node& node) {
  const auto* const run = std::get_if<engine::RunKernel>(&node.operation);
  return run && static_cast<const SubKernel&>(*run->work).begins_apart();
}

// What comes behind waits with it, so that both are to be of one in-order queue of the program's, all of whose commands
// would wait as long.
bool are_in_one_line(const Node& one, const Node& other) {
  return one.owner && other.owner && one.owner->turn().line && one.owner->turn().line == other.owner->turn().line;
}

}  // namespace

// Has it made ready where it is of use. What other devices are to write to host memory has to be there when a driver
// reads that.
bool DeviceOrder::keeps(const Node& before, const Node& after) const {
  if (!set_.may_order_itself() || needs_thread(after.operation) || reads_host_memory(after.operation) ||
      !are_in_one_line(before, after) || is_long(before) || begins_apart(after)) {
    return false;
  }
  set_.timelines->prepare();
  return set_.timelines->serve();
}

bool DeviceOrder::keeps_under_lease(const Node& before, const Node& after) const {
  return keeps(before, after) && before.issued && set_.timelines->is_promised({before.lane.device, before.position});
}

// Parts of launches, and what other devices empty windows of.
bool DeviceOrder::tells(const Node& node) const {
  const auto* const half = std::get_if<engine::WindowCopy>(&node.operation);
  const bool is_part = !node.alone && std::holds_alternative<engine::RunKernel>(node.operation);
  return (is_part || (half && half->fills)) && set_.orders_itself();
}

ReachedList DeviceOrder::enter(Node& node) const {
  ReachedList waits_for;
  Timelines* const timelines = set_.timelines.get();
  if (!timelines || node.lane.strand > 0) return waits_for;
  node.position = timelines->issued(node.lane.device);
  for (const NodePtr& before : node.behind) {
    const bool is_elsewhere = before->lane.kind == engine::LaneKind::compute && before->lane.device != node.lane.device;
    if (before->ended || !is_elsewhere) continue;
    const Reached after{before->lane.device, before->position};
    if (timelines->begins_to_wait(node.lane.device, after)) waits_for.push_back(after);
  }
  return waits_for;
}

bool DeviceOrder::has(const Reached& after) const {
  return set_.timelines->is_given(after) && !set_.devices[after.device]->submissions().has_launches();
}

bool DeviceOrder::may_be_given(const Giving& giving) const {
  return std::ranges::all_of(giving.after, [&](const Reached& after) { return has(after); });
}

// No more than these need: what comes behind may in turn wait for this device. What these wait for was issued before
// them, so that this calls itself at most once for each device.
bool DeviceOrder::give_others(const Giving& giving, SubmissionQueue::Lock context) const {
  bool has_all = true;
  for (const Reached& after : giving.after)
    has_all &= set_.devices[after.device]->submissions().drain(context, [&] { return has(after); });
  return has_all;
}

cl_int DeviceOrder::wait(RealDevice& device, const Giving& giving) const {
  cl_int error = CL_SUCCESS;
  for (const Reached& after : giving.after) {
    if (error == CL_SUCCESS) error = set_.timelines->wait(device, after, giving.times != Giving::Times::never);
  }
  return error;
}

std::optional<cl_int> DeviceOrder::copy(RealDevice& device, const engine::Operation& operation, const Giving& giving,
                                        const EventWanted& wanted) const {
  const auto* const exchange = std::get_if<engine::Exchange>(&operation);
  const auto* const half = std::get_if<engine::WindowCopy>(&operation);
  const bool is_between_devices = exchange && exchange->from != kHost && exchange->to != kHost;
  if ((!is_between_devices && !half) || giving.after.size() > 1 || !set_.orders_itself()) return std::nullopt;
  const PeerCopy peer = half ? peer_copy(*half, device.index) : peer_copy(*exchange, device.index);
  if (peer.error != CL_SUCCESS) return peer.error;
  const Reached* const after = giving.after.empty() ? nullptr : &giving.after[0];
  const auto done = set_.timelines->copy(device, after, peer.from, peer.to, peer.pairs(), wanted);
  if (done == CL_SUCCESS) peer.traffic->copied_bytes += engine::bytes_of(operation);
  return done;
}

void DeviceOrder::given(RealDevice& device, const Node& node, const Giving& giving) const {
  if (!set_.timelines || node.lane.strand > 0) return;
  set_.timelines->given(device.index, node.position);
  if (giving.is_told) set_.timelines->tell(device, node.position);
}

void DeviceOrder::given_up(const Node& node) const {
  if (set_.timelines && node.lane.strand == 0) set_.timelines->given(node.lane.device, node.position);
}

}  // namespace samcl
