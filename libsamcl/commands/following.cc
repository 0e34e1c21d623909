#include "libsamcl/commands/following.h"

#include <algorithm>

#include "libsamcl/commands/enqueue_piece.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/plan/what_if.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using engine::NodePtr;

// Memory objects of one run of launches: they are looked through for each.
constexpr size_t kMostObjects = 32;
// Launches without a wait: of more the driver is better given by a thread of its own, beside the planning of the next.
constexpr uint64_t kLongBurst = 64;
// What counts for a kernel whose time nobody has taken, ns.
constexpr uint64_t kUnknownNs = 5'000;

bool may_have_parts(const Kernel& kernel) {
  if (!kernel.cost_model || kernel.sub_kernels.empty()) return false;
  const KernelTranslation& known = *kernel.translation;
  return known.may_split || known.may_split_disjoint || known.splits_in_one_memory;
}

// ns that it is expected to take; 0: whether it runs whole, on that device and without being timed, is to be found out.
uint64_t surely_whole_ns(const LaunchRequest& launch, const Context& context, unsigned device) {
  const Kernel& kernel = *launch.kernel;
  // The first launch of a kernel tells why it runs as it does.
  if (kernel.record.launches == 0 || kernel.build->fallback_device != device || !launch.reachable.empty()) return 0;
  if (!may_have_parts(kernel)) return kUnknownNs;
  if (context.splits_always()) return 0;
  KernelTimes& times = kernel.cost_model->times;
  const uint64_t items = work_items(launch.ndrange), ns = times.expect(items).whole;
  return ns < 2 * kHandOver && !times.time_is_due(items) ? ns : 0;
}

bool is_better_given_by_a_thread(const RealDevice& device, const Context& context) {
  if (Config::get().submission == Config::Submission::thread) return true;
  return device.may_submit_on_thread() && !context.shares_host_memory() && context.ways.launches() >= kLongBurst;
}

// Ends no later than what the same queue gets now.
bool is_before(const engine::Node& earlier, const engine::Node& first) {
  return &earlier == &first || earlier.ended ||
         (earlier.issued && earlier.lane == first.lane && !std::holds_alternative<engine::HostCall>(earlier.operation));
}

}  // namespace

// All of it is valid on the device, and what is written is nowhere else from now on: also where the kernel writes only
// some of it. Others then get more from the device than they would have to, and no other bytes.
bool Following::takes(const std::shared_ptr<Buffer>& buffer, bool writes, const Context& context,
                      const NodePtr& first) {
  const auto used = std::ranges::find(used_, buffer, &Used::buffer);
  if (used != used_.end() && (used->written || !writes)) return true;
  Storage& storage = *buffer->storage;
  if (buffer->image || buffer->is_first_devices() || storage.svm() || storage.is_mapped_to_write()) return false;
  const unsigned device = first->lane.device;
  const Place place = storage.place_of(device);
  const Range all{0, storage.size()};
  if (storage.directory().missing_bytes(all, place) > 0 || used_.size() >= kMostObjects) return false;
  engine::NodeList before;
  storage.users(place).find_conflicts(all, writes, before);
  if (!std::ranges::all_of(before, [&](const NodePtr& each) { return is_before(*each, *first); })) return false;
  storage.users(place).record(all, writes, first);
  storage.used_by(first->group);
  storage.used_on(only(device));
  if (writes) storage.written(all, only(place));
  if (context.ways.differ() && !storage.shared()) {
    Directory& otherwise = storage.other_directory(context.ways.epoch());
    otherwise.copied(all, place);
    if (writes) otherwise.written(all, only(place));
  }
  if (used == used_.end())
    used_.push_back({buffer, writes});
  else
    used->written = writes;
  return true;
}

bool Following::add(const LaunchRequest& launch, Context& context, const NodePtr& first) {
  RealDevice& device = *context.devices[first->lane.device];
  if (context.has_lost_device || context.lost() != 0 || trace::observes() || WhatIf::wanted()) return false;
  if (is_better_given_by_a_thread(device, context)) return false;
  const uint64_t ns = surely_whole_ns(launch, context, device.index);
  if (ns == 0) return false;
  Kernel& kernel = *launch.kernel;
  const Arguments& arguments = *launch.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.is_svm || argument.kept) return false;
    if (argument.buffer && !takes(argument.buffer, may_write(kernel.translation, i), context, first)) return false;
  }
  if (!device.submissions().drain(SubmissionQueue::Lock::held)) return false;
  const bool is_given = device.completions().extend(*first, [&] {
    auto same = std::ranges::find(launched_, launch.kernel, &Launched::kernel);
    if (same == launched_.end()) same = launched_.insert(same, {launch.kernel, 0});
    RealKernel& real = kernel.own(device.index);
    const cl_program program = kernel.own_program(device.index);
    const bool is_enqueued =
        program && real.prepare(program, kernel.name, device, arguments) == CL_SUCCESS &&
        enqueue_items(real.get(), device, launch.ndrange, {launch.ndrange.offset, launch.ndrange.global},
                      launch.has_local, nullptr) == CL_SUCCESS;
    if (is_enqueued) same->ns += ns;
    return is_enqueued;
  });
  if (!is_given) return false;
  if (may_have_parts(kernel)) kernel.cost_model->times.wants_time(work_items(launch.ndrange));
  context.ways.planned(work_items(launch.ndrange), context.ways.begins() ? now_ns() : 0);
  if (context.ways.differ()) context.ways.add({ns, ns}, Ways::kNotHere);
  ++kernel.record.launches;
  return true;
}

uint64_t Following::ran(uint64_t ns, uint64_t own_ns) const {
  uint64_t all = std::max(own_ns, kUnknownNs), left = ns;
  for (const Launched& each : launched_) all += each.ns;
  for (const Launched& each : launched_) {
    const auto part =
        static_cast<uint64_t>(static_cast<double>(ns) * static_cast<double>(each.ns) / static_cast<double>(all));
    each.kernel->record.launch_ns += part;
    left -= std::min(left, part);
  }
  return left;
}

}  // namespace samcl
