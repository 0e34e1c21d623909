#include "libsamcl/commands/following.h"

#include <algorithm>

#include "libsamcl/commands/enqueue_piece.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/plan/what_if.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using engine::NodePtr;

// Memory objects of one run of launches: they are looked through for each.
constexpr size_t kMostObjects = 32;
// Times what was expected after which nothing is known of what it will be: kernels may take ever longer.
constexpr uint64_t kSurprise = 4;
// Where the program has events of some, whoever wants to be called back at one's end, or waits for it on another
// device, waits for all: so many, that take so long.
constexpr size_t kMostSeen = 32;
constexpr uint64_t kMostSeenNs = 400'000;
// Where a manager grants the device, others wait for all that is in flight, and what has to wait here begins when some
// of it has ended.
constexpr uint64_t kMostFarNs = RunAhead::kFarMostNs / 10;
// What counts for a kernel whose time nobody has taken, ns.
constexpr uint64_t kUnknownNs = 5'000;

bool may_have_parts(const Kernel& kernel) {
  return kernel.cost_model && !kernel.sub_kernels.empty() && kernel.translation->may_have_parts();
}

// Whether its parts may run, or what they cost is to be found out now.
bool may_be_judged(const Kernel& kernel, const Context& context, unsigned device, uint64_t ns) {
  if (context.shares_host_memory() || context.ways.taken() == Ways::Way::split) return true;
  return kernel.cost_model->judging.is_due(ns, context.devices[device]->completions().has_work());
}

bool is_only_one_in_use(const Context& context, unsigned device) {
  const auto devices = context.devices_in_use();
  return devices.size() == 1 && devices[0] == device;
}

// ns that it is expected to take whole; 0: whether it should run so, and without being timed, is to be found out.
uint64_t surely_whole_ns(const LaunchRequest& launch, const Context& context, unsigned device) {
  const Kernel& kernel = *launch.kernel;
  if (context.devices.size() == 1 || !may_have_parts(kernel)) return kUnknownNs;
  if (context.splits_always()) return 0;
  const KernelTimes& times = kernel.cost_model->times;
  const uint64_t items = work_items(launch.ndrange), ns = times.expect(items).whole;
  if (times.time_is_due(items)) return 0;
  return ns < 2 * kHandOver || !may_be_judged(kernel, context, device, ns) ? ns : 0;
}

// The same where a manager grants the device: what counts as in flight.
uint64_t surely_whole_ns(const LaunchRequest& launch, const Context& context, const RealDevice& device,
                         const RunAhead& ahead) {
  Kernel& kernel = *launch.kernel;
  PieceTimes& times = kernel.own(device.index).times;
  const uint64_t ns = times.expect(work_items(launch.ndrange));
  if (may_have_parts(kernel)) {
    if (ns > RunAhead::kSliceNs) return 0;  // it is cut into slices
    const bool is_sure =
        is_only_one_in_use(context, device.index) || surely_whole_ns(launch, context, device.index) > 0;
    if (!is_sure) return 0;
  }
  const uint64_t counted = ahead.counted(ns);
  if (counted == 0 || !times.wants_time(ahead.is_far())) return counted;
  times.doubt();  // the next one is to be timed, then: this one
  return 0;
}

// Room for one more in flight, which is given back unless it is taken.
class RoomAhead {
 public:
  RoomAhead(RunAhead* ahead, uint64_t ns) : ahead_(ahead), ns_(ns), has_(!ahead || ahead->extend(ns, now_ns())) {}
  ~RoomAhead() {
    if (ahead_ && has_) ahead_->take_back(ns_);
  }
  RoomAhead(const RoomAhead&) = delete;
  RoomAhead& operator=(const RoomAhead&) = delete;
  bool has() const { return has_; }
  void taken() { has_ = false; }
  Giving giving() const { return ahead_ ? Giving{.soon = !ahead_->is_far(), .counted_ns = ns_} : Giving{}; }

 private:
  RunAhead* const ahead_;
  const uint64_t ns_;
  bool has_;
};

bool enqueue_now(const LaunchRequest& launch, RealDevice& device, cl_event* event) {
  Kernel& kernel = *launch.kernel;
  RealKernel& real = kernel.own(device.index);
  const cl_program program = kernel.own_program(device.index);
  return program && real.prepare(program, kernel.name, device, *launch.arguments) == CL_SUCCESS &&
         enqueue_items(real.get(), device, launch.ndrange, {launch.ndrange.offset, launch.ndrange.global},
                       launch.has_local, event) == CL_SUCCESS;
}

// On another thread.
bool enqueue_later(const LaunchRequest& launch, Context& context, RealDevice& device, const engine::Node& first,
                   LateTimes* end, LaunchRing::Launch& next) {
  if (!launch.kernel->own(device.index).prepare_later(device, *launch.arguments, next)) return false;
  const Ndrange& ndrange = launch.ndrange;
  next.of = &first;
  next.end = end;
  next.dimensions = ndrange.dimensions;
  next.has_local = launch.has_local;
  next.has_offset = false;
  for (unsigned d = 0; d < 3; ++d) {
    next.offset[d] = ndrange.offset[d];
    next.size[d] = ndrange.global[d];
    next.local[d] = ndrange.local[d];
    next.has_offset |= ndrange.offset[d] != 0;
  }
  context.backend.put_launch(device);
  return true;
}

// Ends no later than what the same queue gets now.
bool is_before(const engine::Node& earlier, const engine::Node& first) {
  return &earlier == &first || earlier.ended ||
         (earlier.issued && earlier.lane == first.lane && !std::holds_alternative<engine::HostCall>(earlier.operation));
}

}  // namespace

// All of it is valid on the device, and what is written is nowhere else from now on: also where the kernel writes only
// some of it. Others then get more from the device than they would have to, and no other bytes.
bool Following::takes(const std::shared_ptr<Buffer>& buffer, bool writes, const Context& context, const NodePtr& first,
                      bool on_either_way) {
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
  if (on_either_way && context.ways.differ() && !storage.shared()) {
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

bool Following::has_room(uint64_t ns, bool is_seen, const RunAhead* ahead) const {
  if (ahead && ns_ + ns > (ahead->is_far() ? kMostFarNs : kMostSeenNs)) return false;
  if (!is_seen && !is_seen_) return true;
  return count_ < kMostSeen && ns_ + ns <= kMostSeenNs;
}

Following::Launched& Following::launches_of(const std::shared_ptr<Kernel>& kernel) {
  const auto same = std::ranges::find(launched_, kernel, &Launched::kernel);
  return same == launched_.end() ? launched_.emplace_back(kernel, 0, 0) : *same;
}

bool Following::add(const LaunchRequest& launch, Context& context, const NodePtr& first,
                    const std::shared_ptr<Event>& seen) {
  RealDevice& device = *context.devices[first->lane.device];
  if (context.has_lost_device || context.lost() != 0 || trace::observes() || WhatIf::wanted()) return false;
  Kernel& kernel = *launch.kernel;
  // The first launch of a kernel tells why it runs as it does.
  if (kernel.record.launches == 0 || kernel.build->fallback_device != device.index || !launch.reachable.empty())
    return false;
  RunAhead* const ahead = device.run_ahead();
  const uint64_t ns =
      ahead ? surely_whole_ns(launch, context, device, *ahead) : surely_whole_ns(launch, context, device.index);
  if (ns == 0 || !has_room(ns, seen || first->observed, ahead)) return false;
  RoomAhead room(ahead, ns);
  if (!room.has()) return false;
  const bool is_short = ns < 2 * kHandOver;
  const Arguments& arguments = *launch.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.is_svm || argument.kept) return false;
    if (argument.buffer && !takes(argument.buffer, may_write(kernel.translation, i), context, first, is_short))
      return false;
  }
  context.placements.stop_learning();
  std::shared_ptr<LateTimes> own_end, end;
  Giving giving = room.giving();
  giving.exactly = seen && seen->needs_drivers_event();
  giving.times = seen && seen->queue->profiling() ? Giving::Times::late : Giving::Times::never;
  const auto extend = [&](const auto& enqueue) {
    return device.completions().extend(*first, giving, own_end, seen ? &end : nullptr, [&](cl_event* event) {
      Launched& launches = launches_of(launch.kernel);
      if (!enqueue(event)) return false;
      ++launches.launches;
      launches.ns += ns;
      return true;
    });
  };
  bool is_given = false;
  // A driver that makes events on one thread, while another asks for some, takes half as long again.
  if (!giving.exactly && device.submits_followers_on_thread()) {
    LaunchRing::Launch& next = device.submissions().next_launch();
    is_given = extend([&](const cl_event*) { return enqueue_later(launch, context, device, *first, end.get(), next); });
  }
  if (!is_given) {
    if (!device.submissions().drain(SubmissionQueue::Lock::held)) return false;
    is_given = extend([&](cl_event* event) { return enqueue_now(launch, device, event); });
  }
  const auto leader = std::static_pointer_cast<Event>(first->owner);
  if (own_end) leader->has_own_end(std::move(own_end));
  if (!is_given) return false;
  room.taken();
  if (seen) seen->follows(leader, device.index, std::move(end));
  is_seen_ |= seen || first->observed;
  ++count_;
  ns_ += ns;
  if (may_have_parts(kernel)) {
    kernel.cost_model->times.wants_time(work_items(launch.ndrange));
    if (!is_short) kernel.cost_model->judging.passed();
  }
  context.ways.planned(work_items(launch.ndrange), context.ways.begins() ? now_ns() : 0);
  if (context.ways.differ()) context.ways.add({ns, ns}, Ways::kNotHere);
  ++kernel.record.launches;
  return true;
}

uint64_t Following::ran(uint64_t ns, uint64_t own_ns, bool is_exact) const {
  uint64_t all = std::max(own_ns, kUnknownNs), left = ns, launches = 1;
  for (const Launched& each : launched_) {
    all += each.ns;
    launches += each.launches;
  }
  const bool surprises = is_exact && ns > kSurprise * all && ns > launches * 2 * kHandOver;
  for (const Launched& each : launched_) {
    if (surprises && may_have_parts(*each.kernel)) each.kernel->cost_model->times.doubt();
    const auto part =
        static_cast<uint64_t>(static_cast<double>(ns) * static_cast<double>(each.ns) / static_cast<double>(all));
    each.kernel->record.launch_ns += part;
    left -= std::min(left, part);
  }
  return left;
}

void Following::took_longer(unsigned device) const {
  for (const Launched& each : launched_) {
    each.kernel->own(device).times.doubt();
    if (may_have_parts(*each.kernel)) each.kernel->cost_model->times.doubt();
  }
}

}  // namespace samcl
