#include "libsamcl/commands/launch.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/atomic_max.h"
#include "libsamcl/commands/enqueue_piece.h"
#include "libsamcl/commands/placing.h"
#include "libsamcl/commands/self_test.h"
#include "libsamcl/commands/taking_over.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/merge/merging.h"
#include "libsamcl/objects/at_once.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/plan/beside.h"
#include "libsamcl/plan/layers.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using engine::LaneKind;

// ns that a part computes, at least, for its ends to be launched apart: each launch more costs some us.
constexpr uint64_t kLeastOverlapped = 25'000;

// To try parts that use what one device holds, ns (two H200: its memory is made anew, others import it): as long as the
// kernel's launches may have gained less by that in all, they stay whole.
constexpr uint64_t kTryingHeldNs = 4'000'000;

// Pieces that a part consists of, at least, for others to be able to take over some of it.
constexpr uint64_t kLeastPieces = 4;

// Whether devices compute while the host finds out what parts of a launch would cost: one that has nothing to do waits
// for that, and one that computes in the host's memory is its processors, most likely.
bool hides_judging(const Context& context) {
  return context.devices[0]->completions().has_work() && !context.shares_host_memory();
}

// Merging compares with the host copy what nobody knows to be the kernel's or the program's.
bool merges_what_is_mapped(const LaunchPlan& plan) {
  return std::ranges::any_of(plan.accesses, [&](const BufferAccess& access) {
    return access.to_merge(plan.parts.size()) && access.storage->is_mapped_to_write();
  });
}

bool can_be_made_safe(const LaunchPlan& plan) {
  return !plan.merges() && std::ranges::none_of(plan.accesses, [](const BufferAccess& access) {
    return access.written && access.storage->layout();
  });
}

// What a launch did, for as long as it, or parts of it, may have to be done again.
class Launched : public Producer {
 public:
  Launched(const LaunchRequest& request, const LaunchPlan& plan) : request_(request), plan_(plan) {}

  std::shared_ptr<Command> again(size_t part, unsigned device) const override {
    std::vector<Part> lost{plan_.parts[part]};
    lost[0].device = device;
    return std::make_shared<KernelLaunch>(request_, plan_, std::move(lost), KernelLaunch::Again::left_there);
  }
  void was_kept() const override { request_.kernel->keeps_outputs = true; }

 private:
  const LaunchRequest request_;
  const LaunchPlan plan_;
};

// What a part needs of these accesses, and what it may write.
std::vector<Bytes> needed(const LaunchPlan& plan, size_t part) {
  std::vector<Bytes> all;
  for (const BufferAccess& access : plan.accesses)
    if (!access.needs(part).empty()) all.emplace_back(access.storage, access.needs(part));
  return all;
}
std::vector<Bytes> written(const LaunchPlan& plan, size_t part) {
  std::vector<Bytes> all;
  for (const BufferAccess& access : plan.accesses)
    if (access.written && !access.writes(part).empty()) all.emplace_back(access.storage, access.writes(part));
  return all;
}

// Ranges beyond which it is not worth to keep each apart in memory that is one for all: no bytes move, and what comes
// behind waits for both parts where it may have waited for one. They ascend.
constexpr size_t kMostTracked = 16;
SmallVector<Range, kMostTracked> tracked(const BufferAccess& access, std::span<const Range> ranges) {
  if (access.storage->shared() && ranges.size() > kMostTracked) return {Range{ranges.front().begin, ranges.back().end}};
  return {ranges.begin(), ranges.end()};
}

// What one device holds for all can be used so from the start, where it is not in use yet.
void expect_holding(const LaunchPlan& plan) {
  for (const BufferAccess& access : plan.accesses)
    if (access.is_held()) access.storage->expect_holding();
}
bool hold(const LaunchPlan& plan) {
  SmallVector<unsigned, 8> devices;
  for (const Part& part : plan.parts) devices.push_back(part.device);
  return std::ranges::all_of(plan.accesses, [&](const BufferAccess& access) {
    return !access.is_held() || access.storage->hold(access.held_by, {devices.data(), devices.size()});
  });
}

uint64_t used_bytes(const LaunchPlan& plan) {
  return std::accumulate(plan.accesses.begin(), plan.accesses.end(), uint64_t{0},
                         [](uint64_t bytes, const BufferAccess& access) { return bytes + access.range.size(); });
}

// Of what it uses, what only other devices have.
uint64_t bytes_elsewhere(const BufferAccess& access, const Context& context, unsigned device) {
  Storage& storage = *access.storage;
  const Place place = storage.place_of(device);
  if (storage.directory().missing_bytes(access.range, place) == 0) return 0;
  const Places of_devices = context.places_in_use();
  uint64_t bytes = 0;
  for (const auto& piece : storage.directory().missing(access.range, place)) {
    const bool is_elsewhere = (piece.valid & of_devices) != 0 && !contains(piece.valid, kHost);
    if (is_elsewhere) bytes += piece.range.size();
  }
  return bytes;
}

// What each part needs of it, where that is known.
SmallVector<Storage::Need, 8> needs_of(const BufferAccess& access, const LaunchPlan& plan) {
  SmallVector<Storage::Need, 8> needs;
  for (size_t p = 0; p < plan.parts.size(); ++p) needs.push_back({plan.parts[p].device, access.shares[p].needs});
  return needs;
}

}  // namespace

KernelLaunch::SubLaunch::SubLaunch(KernelLaunch& launch, std::shared_ptr<Event> event, size_t index,
                                   const RealDevice& device)
    : launch_(launch),
      event_(std::move(event)),
      index_(index),
      plan_(launch.plan_),
      times_(&times_of(device)),
      slicing_{least_groups(device, launch.plan_->ndrange.local), launch.kernel().record.slices} {}

// Of all its strands together.
PieceTimes& KernelLaunch::SubLaunch::times_of(const RealDevice& device) const {
  Kernel& kernel = *launch_.request_.kernel;
  return (plan_->original ? kernel.own(device.index) : *kernel.sub_kernels[device.index]).times;
}

RealKernel& KernelLaunch::SubLaunch::real_kernel(const RealDevice& device) const {
  Kernel& kernel = *launch_.request_.kernel;
  return plan_->original ? kernel.own(device) : kernel.rewritten(device);
}

void KernelLaunch::SubLaunch::slice(const RealDevice& device) {
  const LaunchPlan* const sliced = launch_.options_.sliced.get();
  if (plan_ != &launch_.options_.whole || !sliced) return;
  if (!launch_.kernel().build->sub_kernel_program_on(*launch_.kernel().program->context, device.index)) return;
  plan_ = sliced;
  times_ = &times_of(device);
}

cl_int KernelLaunch::SubLaunch::prepare(RealDevice& device) {
  const Kernel& kernel = launch_.kernel();
  const cl_program program = plan_->original
                                 ? kernel.own_program(device.index)
                                 : kernel.build->sub_kernel_program_on(*kernel.program->context, device.index);
  if (!program) return CL_DEVICE_NOT_AVAILABLE;  // only where the first device is lost
  SmallVector<RealKernel::Held, 4> held;
  for (const BufferAccess& access : launch_.plan_->accesses)
    if (access.is_held()) held.push_back({access.storage.get(), access.held_by});
  return real_kernel(device).prepare(program, kernel.name, device, *launch_.request_.arguments,
                                     {held.data(), held.size()});
}

cl_int KernelLaunch::SubLaunch::enqueue(RealDevice& device, const GroupBox& piece, const EventWanted& wanted) {
  const LaunchPlan& plan = *plan_;
  const cl_kernel real = real_kernel(device).get();
  if (launch_.is_all_) event_->note_given();
  if (!plan.original)
    return enqueue_piece(launch_.kernel(), real, device, plan.ndrange, piece, plan.pass_local, wanted);
  return enqueue_items(real, device, plan.ndrange, {plan.ndrange.offset, plan.ndrange.global}, plan.pass_local, wanted);
}

const SubKernel::Slicing* KernelLaunch::SubLaunch::slicing() const {
  return !plan_->original && launch_.kernel().translation->may_slice ? &slicing_ : nullptr;
}

std::optional<SubKernel::Shared> KernelLaunch::SubLaunch::shared() const {
  if (!launch_.shared_) return std::nullopt;
  return Shared{*launch_.shared_, index_};
}

cl_int KernelLaunch::SubLaunch::bring_for_others() {
  return launch_.taking_over_ ? launch_.taking_over_->bring(index_) : CL_SUCCESS;
}

uint64_t KernelLaunch::SubLaunch::work_items(const GroupBox& piece) const {
  const Ndrange& all = plan_->ndrange;
  return plan_->original ? samcl::work_items(all) : piece.total() * all.local[0] * all.local[1] * all.local[2];
}

Giving::Times KernelLaunch::SubLaunch::times_wanted() const {
  if (launch_.timed_ || launch_.learns_work_ || launch_.learns_speeds_) return Giving::Times::at_end;
  if (!event_->observed || (event_->queue && !event_->has_times)) return Giving::Times::never;
  return launch_.is_all_ ? Giving::Times::late : Giving::Times::at_end;
}

// The next one is to be timed, then.
void KernelLaunch::SubLaunch::need_no_time() {
  if (launch_.timed_.exchange(false)) {
    const auto ran = launch_.plan_->is_split() ? KernelTimes::Ran::in_parts : KernelTimes::Ran::whole;
    launch_.kernel().cost_model->times.was_not_timed(launch_.busy_items_, ran);
  }
  launch_.learns_work_ = false;
  launch_.learns_speeds_ = false;
}

bool KernelLaunch::SubLaunch::is_asked_for() const { return event_->needs_drivers_event(); }

void KernelLaunch::SubLaunch::ran(const RealDevice& device, const RunTimes& run) {
  const uint64_t took = launch_.following_.ran(run.ended - run.began, launch_.predicted_ns_,
                                               device.is_asynchronous() && !run.ended_before && !device.has_strands());
  if (!launch_.safety_.empty()) launch_.safety_[index_]->ran = true;
  launch_.kernel().record.launch_ns += took;
  const uint64_t computing = run.computed > 0 ? run.computed : took;
  const LaunchPlan& plan = *launch_.plan_;
  if (CostModel* const known = launch_.kernel().cost_model; known && device.computes_in_caller && run.computed > 0)
    raise(known->compiling_ns, took - std::min(took, run.computed));
  // What it would have taken on the first device.
  launch_.computing_ns_ +=
      plan.speeds.empty() ? computing : static_cast<uint64_t>(plan.speeds[index_] * static_cast<double>(computing));
  // A driver that runs kernels by itself tells their time only where it is asked to.
  if (launch_.shared_) {
    const SharedWork::OwnPiece own = launch_.shared_->own(index_);
    if (own.box.total() > 0) {
      if (!plan.speeds.empty()) learn_speed(device, own.box, own.ns);
      const double all = static_cast<double>(box().total()) / static_cast<double>(own.box.total());
      launch_.part_ns_[index_] = static_cast<uint64_t>(all * static_cast<double>(own.ns));
    }
    launch_.kernel().record.taken_over_groups += launch_.shared_->taken_over(index_);
  } else if (run.computed > 0 || !device.is_asynchronous()) {
    if (!plan.speeds.empty()) learn_speed(device, box(), computing);
    if (!launch_.part_ns_.empty()) launch_.part_ns_[index_] = computing;
  }
  if (run.computed == 0 && device.is_asynchronous()) launch_.is_measured_ = false;
  if (run.late) event_->set_late_times(run.late);
  if (run.computed > 0) event_->note_start(run.began);
  event_->note_end(run.ended);
}

void KernelLaunch::SubLaunch::took_longer() {
  SubKernel::took_longer();
  launch_.following_.took_longer(launch_.plan_->parts[index_].device);
}

void KernelLaunch::SubLaunch::learn_speed(const RealDevice& device, const GroupBox& box, uint64_t ns) const {
  CostModel& known = *launch_.kernel().cost_model;
  DeviceSpeeds& speeds = launch_.plan_->is_held() ? known.held_speeds : known.speeds;
  speeds.took(device.index, work_items(box), ns, launch_.plan_->covered(box));
}

KernelLaunch::KernelLaunch(LaunchRequest request, Context& context)
    : request_(std::move(request)), options_(find_options(context)) {}

KernelLaunch::KernelLaunch(const LaunchRequest& request, const LaunchPlan& lost, std::vector<Part> parts, Again how)
    : request_(request), is_again_(true), is_left_there_(how == Again::left_there) {
  LaunchPlan& plan = options_.whole;
  plan = lost;
  plan.speeds.clear();
  plan.parts.assign(parts.begin(), parts.end());
  if (!lost.original && lost.is_split()) partition(plan.accesses, kernel(), *request_.arguments, plan.ndrange, parts);
}

// What parts would cost is not found out for each launch where that takes as long as the launch, and all run whole. In
// one memory each launch can, wherever the one before ran.
LaunchOptions KernelLaunch::find_options(Context& context) {
  CostModel* const known = kernel().cost_model;
  const OnePiece piece = one_piece(context);
  const bool in_parts = parts_are_of_interest(context, piece);
  const bool in_one_memory = context.shares_host_memory();
  const bool may_pass = known && in_parts && !context.splits_always() && expected_whole_ns() > 0 &&
                        (in_one_memory || context.ways.taken() == Ways::Way::whole);
  if (!may_pass) return options_of(request_, context, in_parts ? Interest::parts : Interest::whole, piece);
  is_judged_ = (in_one_memory && known->judging.parts_pay()) ||
               known->judging.is_due(expected_whole_ns(), hides_judging(context));
  if (!is_judged_) {
    known->judging.passed();
    return options_of(request_, context, Interest::whole, piece);
  }
  const uint64_t began = now_ns();
  LaunchOptions options = options_of(request_, context, Interest::parts, piece);
  known->judging.took(now_ns() - began);
  return options;
}

uint64_t KernelLaunch::expected_whole_ns() const {
  return kernel().cost_model->times.expect(work_items(request_.ndrange)).whole;
}

// Where its kernel is known to be long enough for parts, and these are built or worth building; where it has to be cut,
// also before anything is known.
bool KernelLaunch::parts_are_of_interest(Context& context, OnePiece piece) const {
  const bool is_cut = piece == OnePiece::sliced;
  if (context.is_managed() && !is_cut && context.devices_in_use().size() == 1) return false;
  const CostModel* const known = kernel().cost_model;
  if (!known) return true;
  if (context.splits_always()) return true;
  const uint64_t whole_ns = expected_whole_ns();
  if (context.homes.were_many() && !kernel().build->has_sub_kernel_programs()) return false;
  if (is_cut && whole_ns == 0) return true;
  if (whole_ns < 2 * kHandOver) return false;
  if (!context.shares_host_memory() && beside::leaves_idle(request_, *context.devices[0])) return false;
  const bool is_foreseen = std::ranges::any_of(*request_.arguments, [](const Argument& argument) {
    return argument.buffer && argument.buffer->storage->is_placed();
  });
  return Build::parts_pay(kernel().build, context, *known, whole_ns, is_foreseen);
}

// Under a manager it is cut unless it is known to take no longer than a slice; while no other program is connected that
// is longer, and it may have to be cut after all, by the time that it runs. On another device than the program's own
// kernel runs on, it is always one that can be.
OnePiece KernelLaunch::one_piece(const Context& context) const {
  if (!context.is_managed()) return OnePiece::original;
  if (context.devices_in_use()[0] != kernel().build->fallback_device) return OnePiece::sliced;
  const RealDevice& device = *context.devices[kernel().build->fallback_device];
  const uint64_t items = work_items(request_.ndrange), ns = request_.kernel->in_one_piece_ns(device.index, items);
  if (ns == 0 || !device.takes_in_one_piece(ns)) return OnePiece::sliced;
  request_.kernel->expects(device.index, items, ns);
  return ns > RunAhead::kSliceNs ? OnePiece::may_be_sliced : OnePiece::original;
}

KernelLaunch::~KernelLaunch() = default;

// Takes the plan that is cheaper, as far as can be known.
void KernelLaunch::decide(Context& context) {
  LaunchOptions& options = options_;
  if (is_again_) {
    plan_ = &options.whole;
    return;
  }
  CostModel* const known = kernel().cost_model;
  const bool is_judged = known && !context.splits_always();
  const bool may_be_split = may_have_parts();
  busy_items_ = work_items(request_.ndrange);
  if (is_judged && options.split) {
    const SmallVector<uint64_t, 1>& written = options.split->written;
    if (!written.empty())
      busy_items_ = known->times.busy_items(busy_items_, std::accumulate(written.begin(), written.end(), uint64_t{0}));
  }
  bool splits = options.split != nullptr;
  if (is_judged) {
    const ComputingTimes times = known->times.expect(busy_items_);
    splits = context.shares_host_memory() ? parts_pay(context, times) : choose_way(context, times);
    const bool is_early =
        options.split && options.split->is_held() && options.split->is_tried && known->took_ns / 2 < kTryingHeldNs;
    splits = splits && !is_early;
    predicted_ns_ = splits ? times.parts : times.whole;
    if (splits) known->times.runs_in_parts(busy_items_);
    if (options.split && !splits && times.parts > times.whole) known->times.kept_whole(busy_items_);
    if (options.split && !splits && options.split->is_held() && !is_early) known->held_speeds.kept_whole();
  }
  if (options.split && !splits) options.why_not_split = kWholeIsFaster;
  if (options.split) expect_holding(*options.split);
  if (splits && !kernel().build->make_sub_kernel_programs(context)) {
    splits = false;
    options.why_not_split = kDoNotBuild;
  }
  if (splits && context.device->is_mixed() && !fits_all_kinds()) {
    splits = false;
    options.why_not_split = "its work-groups or buffers are too large for one of the devices, which are not alike";
  }
  if (splits && merges_what_is_mapped(*options.split)) {
    splits = false;
    options.why_not_split = "part of what it may write is mapped to be written by the program";
  }
  if (splits && context.survives() && !can_be_made_safe(*options.split)) {
    splits = false;
    options.why_not_split = "writes images or what would be merged, which a lost device could not be survived in";
  }
  if (splits && context.device->joins_exactly()) splits = joins_kinds(context);
  if (splits && !hold(*options.split)) {
    splits = false;
    options.why_not_split = kNotHeld;
  }
  if (splits && may_overlap(context)) cut_layers(*options.split, request_);
  plan_ = splits ? options.split.get() : &options.whole;
  // What follows one that is timed may take twice as long, and of these all is known that matters.
  const bool is_known_to_pay = splits && context.ways.splits_faster();
  // What parts take together is known where it is known how fast their devices are.
  const bool may_have_home = !may_be_split && context.devices.size() > 1 && context.devices[0]->has_strands();
  const bool may_go_beside = !may_be_split && known && kernel().translation->may_have_parts() &&
                             beside::may_pay(request_, context, *context.devices[plan_->parts[0].device]) &&
                             context.devices_in_use().size() == 1;
  timed_ = is_judged && (may_be_split || may_have_home || may_go_beside) && !is_known_to_pay && !plan_->is_tried &&
           known->times.wants_time(busy_items_, splits ? KernelTimes::Ran::in_parts : KernelTimes::Ran::whole);
  learns_work_ = is_judged && splits && (timed_ || known->uneven_work.wants_times()) && plan_->layers == 0 &&
                 plan_->speeds.empty() && !context.device->is_mixed() && !context.shares_host_memory();
  learns_speeds_ = !plan_->speeds.empty() && (!plan_->is_held() || (is_judged && known->held_speeds.wants_times()));
}

// Of a launch that is timed: what takes long is found out when its device has it, and not of what is known to be short.
uint64_t KernelLaunch::find_timed_items(const Context& context) const {
  if (!timed_ || options_.split) return busy_items_;
  const uint64_t expected = expected_whole_ns();
  if (expected > 0 && expected < 2 * kHandOver) return busy_items_;
  const uint64_t written = written_by(request_, context);
  return written > 0 ? kernel().cost_model->times.busy_items(busy_items_, written) : busy_items_;
}

// Whether its parts are long enough for two launches more to count little.
bool KernelLaunch::may_overlap(const Context& context) const {
  const LaunchPlan& split = *options_.split;
  return split.may_overlap && (context.splits_always() || predicted_ns_ / split.parts.size() >= kLeastOverlapped);
}

// Where all devices compute in one memory: no bytes have to move.
bool KernelLaunch::parts_pay(const Context& context, ComputingTimes times) const {
  if (!options_.split || times.whole < 2 * kHandOver) return false;
  const auto computing = static_cast<uint64_t>(static_cast<double>(times.parts) * longest_share(*options_.split, 0));
  const bool pay = computing + kHandOver + awaited_judging_ns(context) < times.whole;
  kernel().cost_model->judging.found(pay ? Judging::Found::parts_cost_less : Judging::Found::parts_cost_more);
  return pay;
}

// What judging a launch of the kernel adds to it.
uint64_t KernelLaunch::awaited_judging_ns(const Context& context) const {
  return hides_judging(context) ? 0 : kernel().cost_model->judging.ns();
}

// A local size that is the driver's to choose fits.
bool KernelLaunch::fits_all_kinds() const {
  Ndrange asked = options_.split->ndrange;
  if (!options_.split->pass_local) asked.local = {1, 1, 1};
  return request_.kernel->fits_all_kinds(asked, *request_.arguments);
}

// Whether the launch may use the kinds of devices that it could be split over (cost/self_tests.h). Perhaps it is
// tested.
bool KernelLaunch::joins_kinds(const Context& context) {
  const std::vector<unsigned>& kinds = context.device->kinds;
  std::vector<unsigned> others, tested{options_.split->parts[0].device};
  for (const Part& part : options_.split->parts) {
    const unsigned kind = kinds[part.device];
    if (kind == 0 || std::find(others.begin(), others.end(), kind) != others.end()) continue;
    others.push_back(kind);
    tested.push_back(part.device);
  }
  if (others.empty()) return true;
  const SelfTests::Next next = kernel().cost_model->self_tests.next(work_items(request_.ndrange), others);
  if (next == SelfTests::Next::join) return true;
  options_.why_not_split = next == SelfTests::Next::test ? kTested : kNotTested;
  if (next == SelfTests::Next::test) tested_on_ = std::move(tested);
  return false;
}

// On the same device as here, and over as many as the machines have.
void KernelLaunch::follow_on_imagined(const Context& context) {
  WhatIf* const what_if = WhatIf::wanted();
  if (!what_if) return;
  CostModel* const known = kernel().cost_model;
  const uint64_t expected = known ? known->times.expect(busy_items_).whole : 0;
  imagined_ = std::make_unique<WhatIf::Launch>(what_if->follow(request_, options_.whole, context, expected));
  timed_ = known != nullptr;
}

// Whether it is split on the way that is taken.
bool KernelLaunch::choose_way(Context& context, ComputingTimes times) {
  const LaunchOptions& options = options_;
  Ways& ways = context.ways;
  const DirectoryOf here = [](Storage& storage) -> Directory& { return storage.directory(); };
  const DirectoryOf there = [&ways](Storage& storage) -> Directory& { return storage.other_directory(ways.epoch()); };
  const Index3& local = (options.split ? *options.split : options.whole).ndrange.local;
  const uint64_t busy = context.devices[0]->busy_groups(local[0] * local[1] * local[2]);
  // On the split way it would run as the ones that were judged.
  if (!is_judged_ && ways.taken() == Ways::Way::whole) {
    if (ways.differ()) ways.add({times.whole, times.whole}, Ways::kNotHere);
    return false;
  }
  if (!options.split)
    return samcl::choose_way(ways, options.whole, nullptr, nullptr, times, busy, context.rates(), here, there).splits;
  expect_order(context, times, busy);
  CostModel& known = *kernel().cost_model;
  TransferRates rates = context.rates();
  rates.hand_over += awaited_judging_ns(context);
  if (context.may_be_narrower() && times.whole >= 2 * kHandOver) {
    const bool is_split = ways.taken() == Ways::Way::split;
    const auto costs = costs_on(context.width.all(), *options.split, times, busy, rates, is_split ? here : there);
    const double bytes = is_split ? static_cast<double>(used_bytes(*options.split)) : 0;
    if (context.width.add({costs.data(), costs.size()}, static_cast<uint64_t>(bytes / rates.exchange)))
      ways.parts_change();
  }
  const Choice choice =
      samcl::choose_way(ways, options.whole, options.split.get(), &known.moving, times, busy, rates, here, there);
  known.judging.found(choice.parts);
  return choice.splits;
}

// Where devices would wait for each other, and with that parts would take less than the whole once each device has what
// it needs: they get what it takes.
void KernelLaunch::expect_order(Context& context, const ComputingTimes& times, uint64_t busy_groups) const {
  const TransferRates* const rates = context.rates_in_order();
  if (!rates || context.orders_itself() || times.whole < 2 * kHandOver) return;
  const double computing = static_cast<double>(times.parts) * longest_share(*options_.split, busy_groups);
  if (computing + static_cast<double>(rates->hand_over + rates->latency) < static_cast<double>(times.whole))
    context.timelines->prepare();
}

// Where queues are at work beside each other, each perhaps on a device of its own (objects/homes.h).
void KernelLaunch::find_home(const Event& event, const Planner& planner) {
  Context& context = *event.context;
  const std::shared_ptr<const Build>& build = kernel().build;
  const uint64_t ns = kernel().cost_model && event.queue ? expected_whole_ns() : 0;
  const RealDevice& first = *context.devices[0];
  if (is_again_ || ns == 0 || !event.queue->in_order() || !first.has_strands() || !first.may_have_strands()) return;
  LaunchPlan& whole = options_.whole;
  if (!whole.original || whole.is_bound || build->fallback_device != 0 || !build->is_movable || kernel().may_print() ||
      context.splits_always() || context.survives() || uses_untracked()) {
    return;
  }
  HomeUse& use = event.queue->home_use();
  const auto moving_ns = [&](unsigned device) {
    uint64_t bytes = 0;
    for (const BufferAccess& access : whole.accesses) bytes += bytes_elsewhere(access, context, device);
    const TransferRates& rates = context.rates();
    return bytes > 0 ? rates.latency + static_cast<uint64_t>(static_cast<double>(bytes) / rates.exchange) : 0;
  };
  const auto is_ready = [&](unsigned device, uint64_t worth_ns) {
    RealDevice& other = *context.devices[device];
    if (build->is_on(device) && other.is_open()) return !other.cannot_be_opened();
    if (worth_ns >= build->built_ns + (other.is_open() ? 0 : kOpening)) Build::make_beside_on(build, context, device);
    return false;
  };
  unseen_ns_ = use.unseen_ns;
  const Strands::Set its = Strands::only(planner.strand(use.device)) | Strands::kForBeside;
  const bool meets_others =
      planner.has_busy_strands(use.device, its) && !beside::leaves_idle(request_, *context.devices[0]);
  const auto devices = context.devices_in_use();
  const unsigned home =
      context.homes.of(use, {ns, meets_others, moving_ns, is_ready}, {devices.data(), devices.size()});
  if (is_ready(home, 0)) whole.parts[0].device = home;
  is_beside_others_ = context.homes.are_many(use);
  if (!is_beside_others_ || !options_.split) return;
  options_.split.reset();
  options_.why_not_split = kBesideOthers;
}

// Where it does not fill its device, it runs beside what it needs nothing of.
void KernelLaunch::find_strand(const Event& event, Planner& planner) {
  Context& context = *event.context;
  const unsigned device = plan_->parts[0].device;
  RealDevice& on = *context.devices[device];
  const bool is_seen_when = event.has_times && event.observed;
  const auto is_there = [&](const BufferAccess& access) { return bytes_elsewhere(access, context, device) == 0; };
  if (may_have_strand() && beside::pays(request_, context, on) && !is_seen_when &&
      std::ranges::all_of(plan_->accesses, is_there)) {
    Planner::Accesses accesses;
    add_accesses(accesses, device, 0);
    const unsigned wanted =
        Strands::beside(planner.strand(device), planner.strands_before(accesses, device), planner.loads(device));
    if (!on.strand(wanted)) context.make_strands_for_beside(device);
    if (on.strand(wanted)) planner.goes_to(wanted);
  }
  const Strands::Set its = Strands::only(strand(planner));
  const bool is_beside = (its & Strands::kForBeside) != 0;
  if (is_beside) ++kernel().record.launches_beside;
  // Beside others it would seem to take longer.
  if (timed_ && (may_have_parts() || is_beside) && planner.has_busy_strands(device, its)) timed_ = false;
}

// Where devices may be lost, that is asked for before it is planned (uses()).
void KernelLaunch::prepare(Context& context) {
  plan_without_lost_devices(context);
  if (!plan_) decide(context);
}

void KernelLaunch::uses(Uses& uses) {
  Context& context = *kernel().program->context;
  prepare(context);
  find_runs(context);
  uses.runs_are(runs_);
  if (uses_untracked()) uses.may_be_anything();
  for (const BufferAccess& access : plan_->accesses) {
    for (size_t p = 0; p < plan_->parts.size(); ++p) {
      uses.read(access.storage, access.needs(p), plan_->parts[p].device);
      if (access.written) uses.write(access.storage, access.writes(p));
    }
  }
}

cl_int KernelLaunch::plan(Planner& planner, const std::shared_ptr<Event>& event) {
  if (!plan_) find_home(*event, planner);
  prepare(*event->context);
  find_strand(*event, planner);
  follow_on_imagined(*event->context);
  Ways& ways = event->context->ways;
  ways.planned(work_items(request_.ndrange), ways.begins() ? now_ns() : 0);
  count(*event);
  if (!tested_on_.empty()) SelfTest::enter(planner, event, request_, *options_.split, tested_on_, predicted_ns_);
  foresee(event->context);
  note_use();
  goes_ahead_ = may_go_ahead(*event);
  remember_before();
  begin_runs(event->context->lineage);
  bring_bytes(planner);
  run_parts(planner, event);
  note_written();
  if (event->context->timelines) foresee_halos(planner);
  make_safe(planner, *event->context);
  merge(planner, *event->context);
  timed_items_ = find_timed_items(*event->context);
  return CL_SUCCESS;
}

Places KernelLaunch::devices_used() const {
  Places used = 0;
  for (const Part& part : plan_->parts) used |= only(part.device);
  return used;
}

void KernelLaunch::count(const Event& event) const {
  KernelRecord& record = kernel().record;
  if (is_again_) {
    record.repeated_parts += plan_->parts.size();
    return;
  }
  ++record.launches;
  if (!options_.why_not_split.empty()) record.set_reason(options_.why_not_split);
  if (plan_->is_split()) ++record.split_launches;
  raise(record.devices, static_cast<unsigned>(std::popcount(devices_used())));
  if (trace::observes()) trace::name_command(event.number, kernel().name, std::string(options_.why_not_split));
}

// Learns for other processes what this one has to do without.
void KernelLaunch::foresee(const std::shared_ptr<Context>& context) {
  foresees_ = placing::planned(options_.whole, *context);
  const bool is_known_whole = options_.why_not_split == kWholeIsFaster && predicted_ns_ >= placing::kLeastNs;
  if (!foresees_ && is_known_whole) placing::failed(*plan_, context);
}

// What was lost since it was enqueued.
void KernelLaunch::plan_without_lost_devices(Context& context) {
  const auto uses_lost = [&](const LaunchPlan& plan) {
    return std::ranges::any_of(plan.parts, [&](const Part& part) { return contains(context.lost(), part.device); });
  };
  if (context.lost() == 0 || is_again_) return;
  if (!uses_lost(options_.whole) && !(options_.split && uses_lost(*options_.split))) return;
  options_ = options_of(request_, context, Interest::parts, one_piece(context));
  plan_ = nullptr;
}

// So that bytes from the host go at once to where the next such launch will need them.
void KernelLaunch::note_use() const {
  const Places used = devices_used();
  for (const BufferAccess& access : plan_->accesses) {
    if (access.shares.empty() || plan_->original) {
      access.storage->used_on(access.is_held() ? only(access.held_by) : used);
      continue;
    }
    const auto needs = needs_of(access, *plan_);
    access.storage->used_on(access.range, {needs.data(), needs.size()});
  }
}

void KernelLaunch::bring_bytes(Planner& planner) const {
  Traffic& traffic = kernel().record.traffic;
  const auto& parts = plan_->parts;
  for (const BufferAccess& access : plan_->accesses) {
    if (access.to_merge(parts.size())) {
      planner.define(access.storage, access.range);
      planner.bring(access.storage, {&access.range, 1}, kHost, &traffic);
    }
    for (size_t p = 0; p < parts.size(); ++p) {
      planner.bring(access.storage, access.needs(p), access.place_for(parts[p].device), &traffic);
    }
  }
}

// Where it is long enough for more launches to count little, which is taken for granted only of devices that are not
// alike. Each part then may use what any of them uses.
void KernelLaunch::share_parts(Context& context) {
  const LaunchPlan& plan = *plan_;
  if (learns_work_) part_ns_ = std::vector<std::atomic<uint64_t>>(plan.parts.size());
  if (!plan.may_share || !plan.is_split() || is_again_) return;
  part_ns_ = std::vector<std::atomic<uint64_t>>(plan.parts.size());
  if (kernel().cost_model->even_ends.are_expected()) return;
  const auto is_long = [&](uint64_t piece_ns) {
    if (predicted_ns_ == 0) return !plan.speeds.empty();
    return predicted_ns_ >= kLeastPieces * piece_ns * plan.parts.size();
  };
  if (!is_long(SharedWork::kLeastNs)) return;
  SharedWork::Moving moving;
  const bool in_one_memory =
      std::ranges::all_of(plan.accesses, [](const BufferAccess& access) { return access.storage->shared(); });
  if (!in_one_memory) {
    auto taking_over = std::make_unique<TakingOver>(request_, plan, context);
    moving = taking_over->moving();
    if (!is_long(moving.least_ns)) return;
    taking_over_ = std::move(taking_over);
  }
  shared_ = std::make_unique<SharedWork>(std::span(plan.parts.data(), plan.parts.size()), plan.cut_dimension(),
                                         std::move(moving));
}

// Whether it uses memory of which only the driver knows what it is.
bool KernelLaunch::uses_untracked() const {
  return std::ranges::any_of(*request_.arguments, [](const Argument& argument) {
    return (argument.is_svm && !argument.buffer) || argument.kept;
  });
}

// Parts of several devices wait for each other where they do so in the first strand. What prints, or uses variables of
// its program, does so one after another there.
bool KernelLaunch::may_have_strand() const {
  const bool is_one = plan_->original || kernel().program->context->is_managed();  // which may have to be cut
  return is_one && !plan_->is_split() && !is_again_ && !uses_untracked() && !kernel().shows_its_turn();
}

unsigned KernelLaunch::strand(const Planner& planner) const {
  return may_have_strand() ? planner.strand(plan_->parts[0].device) : 0;
}

void KernelLaunch::run_parts(Planner& planner, const std::shared_ptr<Event>& event) {
  const auto& parts = plan_->parts;
  const bool untracked = uses_untracked();
  is_all_ = parts.size() == 1 && planner.operations() == 0 && !is_again_;
  const unsigned its_strand = strand(planner);
  if (is_all_) event->runs_only_on(event->context->at({LaneKind::compute, parts[0].device, its_strand}));
  share_parts(*event->context);
  Planner::Together together;
  parts_.reserve(parts.size());  // they stay where they are
  for (size_t p = 0; p < parts.size(); ++p) {
    RealDevice& device = event->context->at({LaneKind::compute, parts[p].device, its_strand});
    Planner::Planned planned;
    planned.lane = {LaneKind::compute, parts[p].device, its_strand};
    planned.is_handed_on = p < plan_->layers || plan_->is_held();
    planned.has_own_end = goes_ahead_;
    parts_.emplace_back(*this, event, p, device);
    planned.operation = engine::RunKernel{std::shared_ptr<SubKernel>(shared_from_this(), &parts_.back())};
    const bool uses_all = shared_ && !taking_over_;
    for (size_t of = uses_all ? 0 : p; of < (uses_all ? parts.size() : p + 1); ++of)
      add_accesses(planned.accesses, parts[p].device, of);
    if (taking_over_) taking_over_->add_accesses(planned.accesses, p);
    if (untracked) planned.accesses.push_back(Planner::untracked());
    together.push_back(std::move(planned));
  }
  const auto nodes = planner.add(std::move(together));
  if (nodes.size() == 1) node_ = nodes[0];
  if (taking_over_) bring_back_taken(planner);
}

// To each device what others wrote of its part.
void KernelLaunch::bring_back_taken(Planner& planner) {
  for (size_t p = 0; p < plan_->parts.size(); ++p) {
    Planner::Accesses accesses;
    taking_over_->add_accesses_to_bring_back(accesses, p);
    if (accesses.empty()) continue;
    planner.add({LaneKind::up, plan_->parts[p].device},
                engine::HostCall{[self = shared_from_this(), p] { return self->taking_over_->bring_back(p); }},
                std::move(accesses));
  }
}

// What a device uses that runs that part.
void KernelLaunch::add_accesses(Planner::Accesses& accesses, unsigned device, size_t part) const {
  for (const BufferAccess& access : plan_->accesses) {
    const Place place = access.place_for(device);
    const auto add = [&](std::span<const Range> ranges, bool writes) {
      for (const Range& range : tracked(access, ranges)) accesses.push_back({access.storage, place, range, writes});
    };
    if (!access.written || !std::ranges::equal(access.needs(part), access.writes(part))) add(access.needs(part), false);
    if (access.written) add(access.writes(part), true);
  }
}

// Where it runs as others would that are as short, and is not timed.
bool KernelLaunch::may_be_followed(const Event& event, bool is_latest) const {
  if (!plan_ || !plan_->original || timed_ || survives() || imagined_) return false;
  const engine::NodePtr node = node_.lock();
  if (!node || !node->issued || node->ended || !node->after_end.empty()) return false;
  RealDevice& device = kernel().program->context->at(node->lane);
  const RunAhead* const ahead = device.run_ahead();
  if (!device.is_asynchronous() && !ahead) return false;
  const bool is_in_drivers_queue = !ahead || ahead->entries() == 0;
  return is_latest || (is_in_drivers_queue && device.completions().is_last(&event, nullptr));
}

void KernelLaunch::leave_untold(Event& event) {
  const engine::NodePtr node = node_.lock();
  RealDevice& device = kernel().program->context->at(node->lane);
  if (auto own = device.completions().own_end(*node)) event.has_own_end(device, std::move(own));
}

bool KernelLaunch::is_followed_by(const LaunchRequest& launch, const std::shared_ptr<Event>& seen) {
  return following_.add(launch, *kernel().program->context, node_.lock(), seen);
}

bool KernelLaunch::is_followed_by(const Command& next, const std::shared_ptr<Event>& seen,
                                  engine::AccessMap& program_memory) {
  return following_.add(next, *kernel().program->context, node_.lock(), seen, program_memory);
}

bool KernelLaunch::is_followed_by(const Command& next, const std::shared_ptr<Event>& seen,
                                  engine::AccessMap& program_memory, Arriving& arriving) {
  return following_.add(next, *kernel().program->context, node_.lock(), seen, program_memory, arriving, request_);
}

bool KernelLaunch::does_at_once(const Command& next, engine::AccessMap& program_memory) {
  return following_.do_at_once(next, *kernel().program->context, node_.lock(), program_memory);
}

std::vector<std::shared_ptr<Buffer>> KernelLaunch::let_go() {
  const engine::NodePtr node = node_.lock();
  if (!node || !kernel().program->context->at(node->lane).completions().has_untold_end_of_all()) return {};
  return following_.take_objects();
}

void KernelLaunch::merge(Planner& planner, Context& context) {
  std::vector<Merged> objects;
  for (const BufferAccess& access : plan_->accesses) {
    if (!access.to_merge(plan_->parts.size())) continue;
    objects.push_back({access.storage, access.range, access.width, access.accumulates, access.storage->version()});
  }
  if (objects.empty()) return;
  std::vector<unsigned> devices;
  for (const Part& part : plan_->parts) devices.push_back(part.device);
  KernelRecord& record = kernel().record;
  merging_ = std::make_shared<Merging>(context, std::move(devices), std::move(objects), record.traffic);
  Planner::Together together;
  for (size_t worker = 0; worker < merging_->workers(); ++worker) {
    const unsigned device = merging_->devices()[worker];
    Planner::Planned planned;
    planned.lane = {LaneKind::down, device};
    planned.operation = engine::HostCall{[self = shared_from_this(), worker, device] {
      const trace::Span span(trace::Activity::merge, device);
      const cl_ulong start = now_ns();
      const cl_int error = self->merging_->merge_chunks(worker);
      self->kernel().record.merge_ns += now_ns() - start;
      return error;
    }};
    for (const Merged& merged : merging_->objects()) {
      for (unsigned from : merging_->devices()) planned.accesses.push_back({merged.memory, from, merged.range, false});
      planned.accesses.push_back({merged.memory, kHost, merged.range, true});
    }
    together.push_back(std::move(planned));
  }
  planner.add(std::move(together));
}

void KernelLaunch::remember_before() {
  if (!survives()) return;
  for (size_t p = 0; p < plan_->parts.size(); ++p) safety_.push_back(std::make_unique<Safety>());
  for (const BufferAccess& access : plan_->accesses)
    if (access.written) before_.emplace_back(access.storage, access.storage->directory());
}

// What a part wrote is taken to the host copy, as it may be lost with its device: all of it, or nothing, so that what
// the part began with stays there until then. Images and shared virtual memory stay with the first device.
void KernelLaunch::make_safe(Planner& planner, const Context& context) {
  if (is_left_there_) return;
  for (size_t p = 0; p < safety_.size(); ++p) {
    std::vector<Bytes> all = written(*plan_, p);
    std::erase_if(all, [](const Bytes& bytes) { return bytes.memory->layout() || bytes.memory->svm(); });
    if (all.empty()) continue;
    for (const Bytes& bytes : all)
      for (const Range& range : bytes.ranges) bytes.memory->directory().copied(range, kHost);
    safety_[p]->is_unsafe = true;
    bring_at_once(planner, context, plan_->parts[p].device, std::move(all), kernel().record.traffic,
                  [self = shared_from_this(), p] { self->safety_[p]->is_unsafe = false; });
  }
}

// Whether it, made again, depends on nothing but what it reads. Memory that the program frees when it has released the
// object is not read later.
bool KernelLaunch::may_be_computed_again(const Context& context) const {
  const LaunchPlan& plan = *plan_;
  if (!survives() || is_again_ || plan.is_bound || context.is_managed() || context.device->joins_exactly() ||
      kernel().keeps_outputs || !kernel().translation || !context.lineage.is_at_work())
    return false;
  if (kernel().may_print() || (plan.original && !kernel().build->is_movable)) return false;
  const bool is_own = std::ranges::all_of(*request_.arguments, [](const Argument& argument) {
    return !argument.is_svm && !argument.kept && (!argument.buffer || !(argument.buffer->flags & CL_MEM_USE_HOST_PTR));
  });
  return is_own && std::ranges::all_of(plan.accesses, [&](const BufferAccess& access) {
           return !access.storage->layout() && !access.storage->svm() && !access.storage->shared() &&
                  (!access.shares.empty() || !plan.is_split());
         });
}

// If what it writes is left on its devices: all parts, none of which uses what another one writes. Parts are proven to
// depend on what they read alone; what runs whole may be a kernel whose atomics come in another order the next time.
void KernelLaunch::find_runs(const Context& context) {
  runs_.clear();
  if (!may_be_computed_again(context)) return;
  const auto is_long = [](const Bytes& bytes) { return bytes.ranges.size() > kMostFollowed; };
  const auto producer = std::make_shared<Launched>(request_, *plan_);
  for (size_t p = 0; p < plan_->parts.size(); ++p) {
    Run run{producer, p, plan_->parts[p].device, plan_->is_split(), needed(*plan_, p), written(*plan_, p)};
    const bool is_apart = std::ranges::none_of(
        runs_, [&](const Run& other) { return overlap(run.reads, other.writes) || overlap(run.writes, other.reads); });
    if (!is_apart || std::ranges::any_of(run.reads, is_long) || std::ranges::any_of(run.writes, is_long))
      return runs_.clear();
    runs_.push_back(std::move(run));
  }
  std::erase_if(runs_, [](const Run& run) { return run.writes.empty(); });
}

void KernelLaunch::begin_runs(Lineage& lineage) {
  if (runs_.empty()) return;
  is_left_there_ = true;
  try {
    begun_ = lineage.begin(runs_);
  } catch (...) {  // no memory
    lineage.give_up();
  }
}

// Of the parts for which that holds.
template <typename IsDone>
void KernelLaunch::end_runs(IsDone is_done) {
  Lineage& lineage = kernel().program->context->lineage;
  for (size_t i = 0; i < begun_.size(); ++i) lineage.ended(begun_[i], is_done(runs_[i].part));
  begun_.clear();
}

// Whether a part's outputs are not lost with its device.
bool KernelLaunch::is_done(size_t part) const {
  if (!safety_[part]->ran || safety_[part]->is_unsafe) return false;
  return !is_left_there_ || !contains(kernel().program->context->lost(), plan_->parts[part].device);
}

// The parts that ran on lost devices and are not safe. What they need is as it was before: a launch is only split where
// no part reads what another writes.
std::shared_ptr<Command> KernelLaunch::again() {
  Context& context = *kernel().program->context;
  const Places lost = context.lost();
  const auto devices = context.devices_in_use();
  if (safety_.empty() || lost == 0 || contains(lost, devices[0]) || context.has_lost_device) return nullptr;
  if (plan_->is_bound || (plan_->original && !kernel().build->is_movable)) return nullptr;
  std::vector<Part> missing;
  for (size_t p = 0; p < plan_->parts.size(); ++p) {
    const Part& part = plan_->parts[p];
    if (is_done(p)) continue;
    if (!contains(lost, part.device)) return nullptr;
    missing.push_back(part);
    for (const auto& [storage, before] : before_) {
      for (const BufferAccess& access : plan_->accesses) {
        if (access.storage != storage) continue;
        for (const Range& range : access.writes(p))
          for (const auto& piece : before.pieces(range)) storage->written(piece.range, piece.valid & ~lost);
      }
    }
  }
  if (missing.empty()) return nullptr;
  end_runs([this](size_t p) { return is_done(p); });
  for (size_t i = 0; i < missing.size(); ++i) missing[i].device = devices[i % devices.size()];
  return std::make_shared<KernelLaunch>(request_, *plan_, std::move(missing), Again::kept_at_once);
}

// What is merged is planned to be valid at the host, until the merging has found out more.
void KernelLaunch::note_written() const {
  const auto& parts = plan_->parts;
  for (const BufferAccess& access : plan_->accesses) {
    if (!access.written) continue;
    if (access.shares.empty())
      access.storage->written(access.range,
                              access.to_merge(parts.size()) ? only(kHost) : only(access.device_for(parts[0].device)));
    for (size_t p = 0; p < access.shares.size(); ++p) {
      for (const Range& range : tracked(access, access.shares[p].writes))
        access.storage->written(range, only(parts[p].device));
    }
  }
}

// Whether what the next launch needs may pass while the program waits for this one, as it does for each.
bool KernelLaunch::may_go_ahead(const Event& event) const {
  Context& context = *event.context;
  return context.timelines && context.has_waited() && context.orders_itself() && event.turn().line &&
         plan_->is_split() && std::ranges::any_of(plan_->accesses, [](const BufferAccess& access) {
           return access.written && access.storage->halo().is_foreseen();
         });
}

// What passed between devices for this launch, and is likely to for the next.
void KernelLaunch::foresee_halos(const Planner& planner) {
  if (!plan_->is_split() || is_again_) return;
  for (const BufferAccess& access : plan_->accesses) {
    if (access.shares.empty() || access.storage->shared()) continue;
    const auto needs = needs_of(access, *plan_);
    access.storage->halo().used(planner.first_group(), {needs.data(), needs.size()});
  }
  for (const BufferAccess& access : plan_->accesses) {
    if (!access.written || access.shares.empty() || access.storage->shared()) continue;
    const std::span<const Halo::Pass> passes = access.storage->halo().written(planner.first_group());
    if (passes.empty() || !goes_ahead_) continue;
    if (!ahead_) ahead_ = std::make_shared<BringAhead>(request_.kernel);
    ahead_->add(access.storage, {passes.begin(), passes.end()});
  }
}

void KernelLaunch::learn_from_parts(CostModel& known) const {
  const SmallVector<uint64_t, 8> ns(part_ns_.begin(), part_ns_.end());  // in place: the launch has to end
  if (!learns_work_) return known.even_ends.took({ns.data(), ns.size()});
  SmallVector<Covered, 8> covered;
  for (const Part& part : plan_->parts) covered.push_back(plan_->covered(part.box));
  const double moving_ns = static_cast<double>(used_bytes(*plan_)) / kernel().program->context->rates().exchange;
  known.uneven_work.took({covered.data(), covered.size()}, {ns.data(), ns.size()}, static_cast<uint64_t>(moving_ns));
}

void KernelLaunch::ended(cl_int error) {
  end_runs([error](size_t) { return error == CL_SUCCESS; });
  if (error != CL_SUCCESS) return;
  if (merging_) merging_->note_valid();
  if (predicted_ns_ > 0 && is_measured_) {
    KernelRecord& record = kernel().record;
    ++record.predicted_launches;
    record.predicted_ns += predicted_ns_;
    record.took_ns += computing_ns_;
  }
  if (imagined_) WhatIf::wanted()->took(*imagined_, computing_ns_);
  CostModel* const known = kernel().cost_model;
  if (known && std::ranges::all_of(part_ns_, [](const auto& ns) { return ns > 0; })) learn_from_parts(*known);
  if (foresees_) placing::took(request_, options_.whole, kernel().program->context, computing_ns_);
  if (timed_) {
    const auto ran = plan_->is_split() ? KernelTimes::Ran::in_parts : KernelTimes::Ran::whole;
    known->times.took(timed_items_, computing_ns_, ran);
  }
  if (!known) return;
  using Launched = Build::Launched;
  const bool might_have = plan_->is_split() || options_.why_not_split == kPartsMayNotPay;
  const Launched how = is_beside_others_                              ? Launched::beside_others
                       : computing_ns_ < 2 * kHandOver || !might_have ? Launched::otherwise
                       : plan_->is_split()                            ? Launched::in_parts
                                                                      : Launched::as_promising;
  const uint64_t unseen = is_beside_others_ ? unseen_ns_ : 0;
  Build::took(kernel().build, *kernel().program->context, *known, computing_ns_ + unseen, how);
}

}  // namespace samcl
