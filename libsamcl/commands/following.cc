#include "libsamcl/commands/following.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

#include "base/copy_rows.h"
#include "libsamcl/backend/operations.h"
#include "libsamcl/commands/enqueue_piece.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/objects/arriving.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/plan/beside.h"
#include "libsamcl/plan/what_if.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using engine::NodePtr;

// What one run of launches uses: they are looked through for each.
constexpr size_t kMostUsed = 32;
// Memory objects, of which a program may make and release some for each launch.
constexpr size_t kMostObjects = 64;
// Times what was expected after which nothing is known of what it will be: kernels may take ever longer.
constexpr uint64_t kSurprise = 4;
// Where the program has events of some, whoever wants to be called back at one's end, or waits for it on another
// device, waits for all: so many, that take so long.
constexpr size_t kMostSeen = 32;
constexpr uint64_t kMostSeenNs = 400'000;
// Where a manager grants the device, others wait for all that is in flight, and what has to wait here begins when some
// of it has ended.
constexpr uint64_t kMostFarNs = RunAhead::kFarMostNs / 10;
// What the host moves while others cannot plan.
constexpr uint64_t kFewBytes = 16 << 10;
// What is kept of the program's for what has not run yet.
constexpr size_t kMostKept = 1024, kMostKeptBytes = 256 << 10;
// Launches between two commands that move bytes from which on it is worth while to give them on another thread.
constexpr uint32_t kLongBetween = 64, kNotFirst = 8;
// What counts for a kernel whose time nobody has taken, ns.
constexpr uint64_t kUnknownNs = 5'000;

// Whether its original can.
bool runs_there(const Kernel& kernel, const RealDevice& device) {
  const unsigned usual = kernel.build->fallback_device;
  return usual == device.index || (usual == 0 && kernel.build->is_on(device.index));
}

bool may_have_parts(const Kernel& kernel) {
  return kernel.cost_model && !kernel.sub_kernels.empty() && kernel.translation->may_have_parts();
}

// Whether its parts may run, or what they cost is to be found out now.
bool may_be_judged(const Kernel& kernel, const Context& context, unsigned device, uint64_t ns) {
  if (context.shares_host_memory() || context.ways.taken() == Ways::Way::split) return true;
  return kernel.cost_model->judging.is_due(ns, context.devices[device]->completions().has_work());
}

// Whether the program sees nothing of what it has done until it waits for that, or reads: kernels that print are not
// known to be cut.
bool is_unseen(const LaunchRequest& launch) {
  const KernelTranslation* const translation = launch.kernel->translation;
  const auto is_shared_virtual = [](const Argument& argument) { return argument.is_svm; };
  return translation && (translation->may_slice || translation->may_have_parts()) && launch.reachable.empty() &&
         std::ranges::none_of(*launch.arguments, is_shared_virtual);
}

bool is_only_one_in_use(const Context& context, unsigned device) {
  const auto devices = context.devices_in_use();
  return devices.size() == 1 && devices[0] == device;
}

// Not while the device has to become idle for that: bursts of short launches would be planned one by one until it is.
bool may_be_timed(const RealDevice& device) { return !device.waits_until_idle(ComputeQueues::Use::timed); }

// ns that it is expected to take whole; 0: whether it should run so, and without being timed, is to be found out.
uint64_t surely_whole_ns(const LaunchRequest& launch, const Context& context, unsigned device) {
  const Kernel& kernel = *launch.kernel;
  if (context.devices.size() == 1 || !may_have_parts(kernel)) return kUnknownNs;
  if (context.splits_always()) return 0;
  const KernelTimes& times = kernel.cost_model->times;
  const uint64_t items = work_items(launch.ndrange), ns = times.expect(items).whole;
  if (times.time_is_due(items) && may_be_timed(*context.devices[device])) return 0;
  return ns < 2 * kHandOver || !may_be_judged(kernel, context, device, ns) ? ns : 0;
}

// The same where a manager grants the device: what counts as in flight.
uint64_t surely_whole_ns(const LaunchRequest& launch, const Context& context, const RealDevice& device,
                         const RunAhead& ahead, bool is_only_one) {
  Kernel& kernel = *launch.kernel;
  PieceTimes& times = kernel.own(device.index).times;
  const uint64_t ns = times.expect(work_items(launch.ndrange));
  if (may_have_parts(kernel)) {
    if (!device.takes_in_one_piece(ns)) return 0;  // it is cut into slices
    if (!is_only_one && surely_whole_ns(launch, context, device.index) == 0) return 0;
  }
  const uint64_t counted = ahead.counted(ns);
  if (counted == 0 || !may_be_timed(device) || !times.wants_time(ahead.is_far())) return counted;
  times.doubt();  // the next one is to be timed, then: this one
  return 0;
}

// Whether launches may run on a device that their queue has to itself (objects/homes.h).
bool may_have_homes(const Context& context) {
  return context.devices.size() > 1 && context.devices[0]->has_strands() && !context.splits_always();
}

// Whether where it runs is to be found out.
bool is_home_due(const engine::Node& first, const LaunchRequest& launch) {
  const auto leader = std::static_pointer_cast<Event>(first.owner);
  const Kernel& kernel = *launch.kernel;
  const bool may_move = kernel.cost_model && kernel.build->is_movable;
  if (!may_move || !leader || !leader->queue || !leader->queue->in_order()) return false;
  return Homes::is_due(leader->queue->home_use(), kernel.cost_model->times.expect(work_items(launch.ndrange)).whole);
}

// Room for one more in flight, which is given back unless it is taken.
class RoomAhead {
 public:
  // now: 0, to be asked.
  RoomAhead(RunAhead* ahead, uint64_t ns, uint64_t now = 0)
      : ahead_(ahead), ns_(ns), has_(!ahead || ahead->extend(ns, now > 0 ? now : now_ns())) {}
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

bool enqueue_now(const LaunchRequest& launch, RealDevice& device, const EventWanted& wanted) {
  const cl_kernel real = launch.kernel->ready_now(device, *launch.arguments);
  return real && enqueue_items(real, device, launch.ndrange, {launch.ndrange.offset, launch.ndrange.global},
                               launch.has_local, wanted) == CL_SUCCESS;
}

// On another thread.
bool enqueue_later(const LaunchRequest& launch, Context& context, RealDevice& device, const engine::Node& first,
                   LateTimes* end, LaunchRing::Launch& next) {
  if (!launch.kernel->own(device).prepare_later(device, *launch.arguments, next)) return false;
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

// Whether anything follows on that device.
bool may_follow(const Context& context) {
  return !context.has_lost_device && context.lost() == 0 && !trace::observes() && !WhatIf::wanted();
}

// All these bytes are defined and valid there.
bool is_at(Storage& storage, Range range, Place place) {
  const auto pieces = storage.directory().pieces(range);
  return std::ranges::all_of(pieces, [&](const Directory::Piece& each) { return contains(each.valid, place); });
}

// What an operation that moves bytes counts; 0: it has to be planned.
uint64_t counted_ns(const engine::Operation& operation, const RealDevice& device) {
  const uint64_t ns = moving_ns(operation, device);
  return device.run_ahead() ? device.run_ahead()->counted(ns) : std::max(ns, kUnknownNs);
}

// Ends no later than what is given behind `first`, its queue's last. What was issued after that may yet have to come
// into the queue.
bool is_before(const engine::Node& earlier, const engine::Node& first) {
  return &earlier == &first || earlier.ended ||
         (earlier.issued && earlier.number_issued < first.number_issued && earlier.lane == first.lane &&
          !needs_thread(earlier.operation));
}

// Addresses of the program's memory.
Range programs_range(const engine::ProgramCopy& copy) {
  const auto begin = reinterpret_cast<uintptr_t>(copy.program);
  const Range range = copy.program_rows.bounds();
  return {begin + range.begin, begin + range.end};
}

// Whether it comes after nothing that may end later. Then it is of that operation.
bool records(engine::AccessMap& users, Range range, bool writes, const NodePtr& first) {
  engine::NodeList before;
  users.find_conflicts(range, writes, before);
  if (!std::ranges::all_of(before, [&](const NodePtr& each) { return is_before(*each, *first); })) return false;
  users.record(range, writes, first);
  return true;
}

}  // namespace

const Following::Asked& Following::asked(const Context& context, const RealDevice& device) {
  const uint64_t version = device.lease.client->assignment_version();
  if (!asked_ || asked_->version != version)
    asked_ = {version, device.is_of_task(), is_only_one_in_use(context, device.index)};
  return *asked_;
}

// Whether there is room for one more.
bool Following::keeps(const std::shared_ptr<Buffer>& buffer) {
  if (std::ranges::find(objects_, buffer) != objects_.end()) return true;
  if (objects_.size() >= kMostObjects) return false;
  objects_.push_back(buffer);
  return true;
}

bool Following::is_used(const std::shared_ptr<Storage>& storage, Range range, bool writes) const {
  return std::ranges::any_of(used_, [&](const Used& each) {
    return each.storage == storage && intersect(each.range, range) == range && (each.written || !writes);
  });
}

void Following::note_used(const std::shared_ptr<Storage>& storage, Range range, bool writes) {
  const auto same =
      std::ranges::find_if(used_, [&](const Used& each) { return each.storage == storage && each.range == range; });
  if (same == used_.end())
    used_.push_back({storage, range, writes});
  else
    same->written |= writes;
}

// All of it is valid on the device, and what is written is nowhere else from now on: also where the kernel writes only
// some of it. Others then get more from the device than they would have to, and no other bytes.
bool Following::takes(const std::shared_ptr<Buffer>& buffer, bool writes, const Context& context, const NodePtr& first,
                      bool on_either_way) {
  Storage& storage = *buffer->storage;
  const Range all{0, storage.size()};
  if (!keeps(buffer)) return false;
  if (is_used(buffer->storage, all, writes)) return true;
  if (buffer->is_first_devices() || storage.svm() || storage.is_mapped_to_write()) return false;
  const unsigned device = first->lane.device;
  const Place place = storage.place_of(device);
  if (storage.directory().missing_bytes(all, place) > 0 || used_.size() >= kMostUsed) return false;
  if (!records(storage.users(place), all, writes, first)) return false;
  storage.used_by(first->group);
  storage.used_on(only(device));
  if (writes) storage.written(all, only(place));
  if (on_either_way && context.ways.differ() && !storage.shared()) {
    Directory& otherwise = storage.other_directory(context.ways.epoch());
    otherwise.copied(all, place);
    if (writes) otherwise.written(all, only(place));
  }
  note_used(buffer->storage, all, writes);
  return true;
}

// The same for just these bytes, which are all defined there.
bool Following::takes(const std::shared_ptr<Buffer>& buffer, Range range, bool writes, const NodePtr& first) {
  if (!keeps(buffer)) return false;
  if (is_used(buffer->storage, range, writes)) return true;
  Storage& storage = *buffer->storage;
  const unsigned device = first->lane.device;
  const Place place = storage.place_of(device);
  if (storage.layout() || storage.svm() || storage.is_mapped_to_write() || used_.size() >= kMostUsed) return false;
  if (!is_at(storage, range, place) || !records(storage.users(place), range, writes, first)) return false;
  storage.used_by(first->group);
  if (writes) storage.written_by_program(range, only(place));
  note_used(buffer->storage, range, writes);
  return true;
}

// What host memory has as well is read there.
bool Following::takes(const Command::OnDevice& command, const NodePtr& first, engine::AccessMap& program_memory) {
  const auto& buffers = command.buffers;
  if (const auto* copy = std::get_if<engine::LocalCopy>(&command.operation))
    return takes(buffers[0], copy->source.bounds(), false, first) &&
           takes(buffers[1], copy->target.bounds(), true, first);
  if (const auto* fill = std::get_if<engine::Fill>(&command.operation))
    return takes(buffers[0], fill->ranges[0], true, first);
  const auto& copy = std::get<engine::ProgramCopy>(command.operation);
  Storage& storage = *copy.replica.memory;
  const Range range = copy.rows.bounds();
  if (copy.to_program && !storage.shared() && is_at(storage, range, kHost)) return false;
  if (!takes(buffers[0], range, !copy.to_program, first)) return false;
  if (!command.is_host_copy) return records(program_memory, programs_range(copy), copy.to_program, first);
  return storage.shared() || records(storage.users(kHost), range, true, first);
}

// Of what the program lets us read now, and no longer.
bool Following::takes_kept(const engine::ProgramCopy& copy, const std::shared_ptr<Buffer>& buffer, const NodePtr& first,
                           engine::AccessMap& program_memory) {
  engine::NodeList before;
  program_memory.find_conflicts(programs_range(copy), false, before);
  return std::ranges::all_of(before, [](const NodePtr& each) { return each->ended; }) &&
         takes(buffer, copy.rows.bounds(), true, first);
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
  RealDevice& device = context.at(first->lane);
  if (!may_follow(context)) return false;
  Kernel& kernel = *launch.kernel;
  // The first launch of a kernel tells why it runs as it does.
  if (kernel.record.launches == 0 || !runs_there(kernel, device) || !launch.reachable.empty()) return false;
  if (first->lane.strand > 0 && kernel.shows_its_turn()) return false;
  RunAhead* const ahead = device.run_ahead();
  const uint64_t ns = ahead
                          ? surely_whole_ns(launch, context, device, *ahead, asked(context, device).is_only_one_in_use)
                          : surely_whole_ns(launch, context, device.index);
  if (ns == 0 || !has_room(ns, seen || first->observed, ahead)) return false;
  if (may_have_homes(context) && is_home_due(*first, launch)) return false;
  const bool may_gather = !seen && (!ahead || ahead->is_far()) && Gathering::may_gather(launch, context, device);
  const bool gathers = may_gather && gathering_.observe(launch, context, device);
  if (!gathers && beside::is_worth_planning(launch, context, device)) return false;
  RoomAhead room(ahead, ns, gathers ? gathering_.observed_ns() : 0);
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
  Giving giving = room.giving();
  giving.exactly = seen && seen->needs_drivers_event();
  const bool has_times = seen && seen->has_times;
  const auto counted = [&](const auto& enqueue) {
    return [&](auto&&... arguments) {
      Launched& launches = launches_of(launch.kernel);
      if (!enqueue(arguments...)) return false;
      ++launches.launches;
      ++launches_since_;
      launches.ns += ns;
      return true;
    };
  };
  const bool is_given = give(device, first, seen, giving,
                             counted([&](cl_event* event) { return enqueue_now(launch, device, {event, has_times}); }),
                             counted([&](LateTimes* end, LaunchRing::Launch& next) {
                               if (gathers && gathering_.join(launch, device)) return true;
                               next.may_gather = gathers;
                               next.held_until_ns = gathers ? gathering_.may_wait_until_ns() : 0;
                               if (!enqueue_later(launch, context, device, *first, end, next)) return false;
                               gathers ? gathering_.was_put(launch, device) : gathering_.other_was_put();
                               return true;
                             }),
                             gathers);
  if (!is_given) return false;
  room.taken();
  given(ns, seen || first->observed);
  if (gathers) gathering_.expect(ns);
  if (may_have_parts(kernel)) {
    KernelTimes& times = kernel.cost_model->times;
    if (const uint64_t items = work_items(launch.ndrange); !times.time_is_due(items)) times.wants_time(items);
    if (!is_short) kernel.cost_model->judging.passed();
  }
  context.ways.planned(work_items(launch.ndrange), context.ways.begins() ? now_ns() : 0);
  if (context.ways.differ()) context.ways.add({ns, ns}, Ways::kNotHere);
  ++kernel.record.launches;
  is_visible_ |= !is_unseen(launch);
  return true;
}

bool Following::add(const Command& next, Context& context, const NodePtr& first, const std::shared_ptr<Event>& seen,
                    engine::AccessMap& program_memory) {
  if (!may_follow(context)) return false;
  const auto command = next.on_device(first->lane.device);
  if (!command) return false;
  const auto* const copy = std::get_if<engine::ProgramCopy>(&command->operation);
  if (command->is_host_copy && copy->replica.memory->shared()) return false;  // there is nothing to copy
  const bool is_added =
      add(command->operation, context, first, seen, [&] { return takes(*command, first, program_memory); });
  is_visible_ |= is_added && copy;
  return is_added;
}

bool Following::add(const Command& next, Context& context, const NodePtr& first, const std::shared_ptr<Event>& seen,
                    engine::AccessMap& program_memory, Arriving& arriving, const LaunchRequest& started) {
  if (!may_follow(context)) return false;
  RealDevice& device = context.at(first->lane);
  const auto command = next.on_device(device.index);
  const auto* const copy = command ? std::get_if<engine::ProgramCopy>(&command->operation) : nullptr;
  if (!copy || copy->replica.memory->shared()) return false;
  engine::ProgramCopy given = *copy;
  given.program_rows = copy->rows.dense();
  const uint64_t bytes = copy->rows.bytes();
  const auto takes_it_there = [&] { return takes(*command, first, program_memory); };
  if (copy->to_program && context.locked_memory.holds(copy->program, copy->program_rows.bounds())) {
    if (!add(*copy, context, first, seen, takes_it_there)) return false;
    arriving.comes_to_program();
    return true;
  }
  if (copy->to_program) {
    PinnedPlace::Held place = device.pinned_place(bytes);
    given.program = place.memory();
    if (!given.program || !add(given, context, first, seen, takes_it_there)) return false;
    arriving.comes_to(std::move(place), copy->program, copy->program_rows);
    return true;
  }
  if (seen) return false;
  if (device.completions().has_untold_end_of_all()) {
    is_visible_ = false;
    kept_.clear();
    kept_bytes_ = 0;
  } else if (is_visible_ || is_seen_ || first->observed || !is_unseen(started)) {
    return false;
  }
  if (kept_.size() >= kMostKept || kept_bytes_ + bytes > kMostKeptBytes) return false;
  std::vector<std::byte>& kept = kept_.emplace_back(bytes);
  given.program = kept.data();
  const auto takes_it = [&] {
    if (!takes_kept(*copy, command->buffers[0], first, program_memory)) return false;
    copy_rows(kept.data(), given.program_rows, copy->program, copy->program_rows);
    return true;
  };
  if (!add(given, context, first, nullptr, takes_it)) {
    kept_.pop_back();
    return false;
  }
  kept_bytes_ += bytes;
  return true;
}

template <typename Takes>
bool Following::add(const engine::Operation& operation, Context& context, const NodePtr& first,
                    const std::shared_ptr<Event>& seen, const Takes& takes_it) {
  RealDevice& device = context.at(first->lane);
  RunAhead* const ahead = device.run_ahead();
  const uint64_t ns = counted_ns(operation, device);
  if (ns == 0 || !has_room(ns, seen || first->observed, ahead)) return false;
  RoomAhead room(ahead, ns);
  if (!room.has() || !takes_it()) return false;
  Giving giving = room.giving();
  giving.exactly = seen != nullptr;
  const auto enqueue_it = [&](cl_event* event) {
    if (enqueue(context, first->lane, operation, {event, seen && seen->has_times}) != CL_SUCCESS) return false;
    moving_ns_ += ns;
    launches_between_ = std::exchange(launches_since_, 0);
    return true;
  };
  if (!give(device, first, seen, giving, enqueue_it, nullptr)) return false;
  room.taken();
  given(ns, seen || first->observed);
  return true;
}

bool Following::do_at_once(const Command& next, Context& context, const NodePtr& first,
                           engine::AccessMap& program_memory) {
  if (!may_follow(context)) return false;
  RealDevice& device = context.at(first->lane);
  const auto command = next.on_device(device.index);
  const auto* const copy = command ? std::get_if<engine::ProgramCopy>(&command->operation) : nullptr;
  if (!copy || !copy->replica.memory->shared() || copy->rows.bytes() > kFewBytes) return false;
  if (!device.completions().has_untold_end_of_all() || !takes(*command, first, program_memory)) return false;
  return command->is_host_copy || execute(context, first->lane, command->operation) == CL_SUCCESS;
}

// Behind what the driver has of the operation.
template <typename Enqueue, typename EnqueueLater>
bool Following::give(RealDevice& device, const NodePtr& first, const std::shared_ptr<Event>& seen, Giving giving,
                     const Enqueue& enqueue, const EnqueueLater& enqueue_later, bool gathers) {
  giving.times = seen && seen->has_times ? Giving::Times::late : Giving::Times::never;
  std::shared_ptr<LateTimes> own_end, end;
  const auto extend = [&](const auto& its_enqueue) {
    return device.completions().extend(*first, giving, own_end, seen ? &end : nullptr, its_enqueue);
  };
  bool is_given = false;
  if constexpr (!std::is_null_pointer_v<EnqueueLater>) {
    // What was entered behind the operation is given to the driver behind these launches: also what was planned before
    // it, had to wait, and was issued now.
    if (!giving.exactly && device.submissions().entries() == 0 && is_for_thread(device, gathers)) {
      LaunchRing::Launch& next = device.submissions().next_launch();
      is_given = extend([&](const cl_event*) { return enqueue_later(end.get(), next); });
    }
  }
  if (!is_given) {
    if (!device.submissions().drain(SubmissionQueue::Lock::held)) return false;
    is_given = extend(enqueue);
  }
  const auto leader = std::static_pointer_cast<Event>(first->owner);
  if (own_end) leader->has_own_end(device, std::move(own_end));
  if (is_given && seen) seen->follows(leader, device, std::move(end));
  return is_given;
}

// A driver that makes events on one thread, while another asks for some, takes half as long again. What moves bytes is
// given on the thread that plans it, and so are a few launches between. A task's launches need no more threads than its
// model has. gathers: what waits there may run as one.
bool Following::is_for_thread(RealDevice& device, bool gathers) const {
  if (!device.may_submit_on_thread()) return false;
  const bool is_many = (gathers && count_ >= kNotFirst) || device.completions().is_in_long_run();
  const bool is_worth_it = is_many && !(asked_ && asked_->is_of_task);
  if (!is_worth_it && Config::get().submission != Config::Submission::thread) return false;
  return moving_ns_ == 0 ||
         (launches_since_ >= kNotFirst && std::max(launches_since_, launches_between_) >= kLongBetween);
}

void Following::given(uint64_t ns, bool is_seen) {
  is_seen_ |= is_seen;
  ++count_;
  ns_ += ns;
}

uint64_t Following::ran(uint64_t ns, uint64_t own_ns, bool is_exact) const {
  uint64_t all = std::max(own_ns, kUnknownNs) + moving_ns_, left = ns, launches = 1;
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
