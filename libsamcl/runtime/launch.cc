#include "libsamcl/runtime/launch.h"

#include <algorithm>
#include <utility>

#include "base/atomic_max.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/merge/merging.h"
#include "libsamcl/runtime/config.h"
#include "libsamcl/runtime/trace.h"

namespace samcl {
namespace {

using engine::Lane;
using engine::LaneKind;


}  // namespace

struct KernelLaunch::State {
  LaunchRequest request;
  LaunchOptions options;
  LaunchPlan plan;  // the one that was taken
  bool timed = false;
  uint64_t predicted_ns = 0;  // of all parts together; 0: nothing is known yet
  std::shared_ptr<Merging> merging;
  std::atomic<uint64_t> computing_ns{0};  // of all parts

  const Kernel& kernel() const { return *request.kernel; }
};

class KernelLaunch::SubLaunch : public SubKernel {
 public:
  SubLaunch(std::shared_ptr<State> state, std::shared_ptr<Event> event, size_t index, const RealDevice& device)
      : state_(std::move(state)),
        event_(std::move(event)),
        index_(index),
        slicing_{real_kernel(device).ns_per_group, least_groups(device), state_->kernel().record.slices} {}

  cl_int prepare(RealDevice& device) override {
    const Kernel& kernel = state_->kernel();
    const cl_program original = device.index == 0 ? kernel.program->original : kernel.build->whole;
    const cl_program program = state_->plan.original ? original : kernel.build->parts[device.index];
    return real_kernel(device).prepare(program, kernel.name, device, *state_->request.arguments);
  }

  cl_int enqueue(RealDevice& device, const GroupBox& piece, cl_event* event) override {
    const auto& cl = driver::real();
    const LaunchPlan& plan = state_->plan;
    const Ndrange& all = plan.ndrange;
    const cl_kernel kernel = real_kernel(device).get();
    if (!plan.original && state_->kernel().translation->needs_ndrange_argument) {
      NdrangeArgument argument;
      for (unsigned d = 0; d < 3; ++d) {
        argument.group_offset[d] = piece.first[d];
        argument.num_groups[d] = all.groups(d);
        argument.global_size[d] = all.global[d];
        argument.global_offset[d] = all.offset[d];
      }
      cl_int error = cl.clSetKernelArg(kernel, state_->kernel().argument_count, sizeof argument, &argument);
      if (error != CL_SUCCESS) return error;
    }
    const BoxLaunch launch = plan.original ? BoxLaunch{all.offset, all.global} : launch_of(all, piece);
    size_t offset[3], size[3], local[3];
    bool any_offset = false;
    for (unsigned d = 0; d < 3; ++d) {
      offset[d] = launch.offset[d];
      size[d] = launch.size[d];
      local[d] = all.local[d];
      any_offset |= offset[d] != 0;
    }
    return cl.clEnqueueNDRangeKernel(device.compute_queue(), kernel, all.dimensions, any_offset ? offset : nullptr,
                                     size, plan.pass_local ? local : nullptr, 0, nullptr, event);
  }

  GroupBox box() const override { return state_->plan.parts[index_].box; }

  const Slicing* slicing() const override {
    return !state_->plan.original && state_->kernel().translation->may_slice ? &slicing_ : nullptr;
  }

  bool is_timed() const override { return state_->timed; }

  void began(const RunTimes& run) override { event_->set_running(run.began); }

  void ran(const RealDevice&, const RunTimes& run) override {
    const uint64_t took = run.ended - run.began;
    state_->kernel().record.launch_ns += took;
    state_->computing_ns += run.computed > 0 ? run.computed : took;
    event_->note_end(run.ended);
  }

 private:
  RealKernel& real_kernel(const RealDevice& device) const {
    Kernel& kernel = *state_->request.kernel;
    if (!state_->plan.original) return *kernel.parts[device.index];
    return device.index == 0 ? kernel.whole : kernel.whole_elsewhere;
  }
  uint64_t least_groups(const RealDevice& device) const {
    const Index3& local = state_->plan.ndrange.local;
    return device.groups_at_once(local[0] * local[1] * local[2]);
  }

  const std::shared_ptr<State> state_;
  const std::shared_ptr<Event> event_;
  const size_t index_;
  const Slicing slicing_;
};

KernelLaunch::KernelLaunch(LaunchRequest request, const Context& context) : state_(std::make_shared<State>()) {
  state_->options = options_of(request, context, parts_are_of_interest(request, context));
  state_->request = std::move(request);
}

// Not where its kernel is too short to be split, nor, where bytes would have to move for it, before its time is known.
bool KernelLaunch::parts_are_of_interest(const LaunchRequest& request, const Context& context) {
  if (!request.kernel->splitting || context.splits_always()) return true;
  const uint64_t whole_ns = request.kernel->splitting->times.expect(work_items(request.ndrange));
  if (whole_ns == 0) return context.shares_host_memory();
  return whole_ns >= 2 * kHandOver;
}

KernelLaunch::~KernelLaunch() = default;

// Takes the plan that is cheaper, as far as can be known.
void KernelLaunch::decide(Context& context) {
  LaunchOptions& options = state_->options;
  const uint64_t items = work_items(state_->request.ndrange);
  Splitting* const known = state_->kernel().splitting;
  const bool is_judged = known && !context.splits_always();
  const uint64_t whole_ns = is_judged ? known->times.expect(items) : 0;
  state_->predicted_ns = whole_ns;
  state_->timed = is_judged && (options.split || options.why_not_split == kWholeIsFaster) && known->times.wants_time(items);
  bool splits = options.split.has_value();
  if (is_judged && context.shares_host_memory()) {
    splits = splits && (whole_ns == 0 || whole_ns >= 2 * kHandOver);
  } else if (is_judged) {
    splits = choose_way(context, whole_ns);
  }
  if (options.split && !splits) options.why_not_split = kWholeIsFaster;
  if (splits && !state_->kernel().build->make_parts(context)) {
    splits = false;
    options.why_not_split = kDoNotBuild;
  }
  state_->plan = splits ? *std::move(options.split) : std::move(options.whole);
}

// Follows the launch on both ways (cost/ways.h); whether it is split on the one that is taken. A launch of which nothing
// is known yet runs whole: what it takes is then known.
bool KernelLaunch::choose_way(Context& context, uint64_t whole_ns) {
  LaunchOptions& options = state_->options;
  Ways& ways = context.ways;
  if (!options.split && !ways.differ()) return false;
  if (!ways.differ() && whole_ns < 2 * kHandOver) return false;
  const DirectoryOf here = [](Storage& storage) -> Directory& { return storage.directory(); };
  const DirectoryOf there = [&ways](Storage& storage) -> Directory& { return storage.other_directory(ways.epoch()); };
  const bool split_is_here = ways.taken() == Ways::Way::split;
  const DirectoryOf &on_whole = split_is_here ? there : here, &on_split = split_is_here ? here : there;
  const TransferRates& rates = context.rates();
  LaunchCosts costs;
  costs.whole = launch_ns(options.whole, whole_ns, rates, on_whole);
  costs.split = launch_ns(options.whole, whole_ns, rates, on_split);
  bool splits = false;
  if (options.split && whole_ns >= 2 * kHandOver) {
    // Half of what has to move is taken to be of use later, too.
    const uint64_t in_parts = launch_ns(*options.split, whole_ns, rates, on_split);
    splits = in_parts - moving_ns(*options.split, rates, on_split) / 2 < costs.split;
    if (splits) costs.split = in_parts;
  }
  if (splits) ways.split_way_splits();
  const LaunchPlan& other = splits && !split_is_here ? *options.split : options.whole;
  simulate(other, there);
  ways.add(costs, splits ? moving_ns(other, rates, here) : Ways::kNotHere);
  return splits && ways.taken() == Ways::Way::split;
}

cl_int KernelLaunch::plan(Planner& planner, const std::shared_ptr<Event>& event) {
  decide(*event->context);
  event->context->ways.planned(work_items(state_->request.ndrange), now_ns());
  count(*event);
  note_use();
  bring_bytes(planner);
  run_parts(planner, event);
  note_written();
  merge(planner, *event->context);
  return CL_SUCCESS;
}

void KernelLaunch::count(const Event& event) const {
  KernelRecord& record = state_->kernel().record;
  ++record.launches;
  if (!state_->options.why_not_split.empty()) record.set_reason(state_->options.why_not_split);
  if (state_->plan.is_split()) ++record.split_launches;
  raise(record.devices, static_cast<unsigned>(state_->plan.parts.size()));
  trace::name_command(event, state_->kernel().name, state_->options.why_not_split);
}

// So that bytes from the host go at once to where the next such launch will need them.
void KernelLaunch::note_use() const {
  const auto& parts = state_->plan.parts;
  Places used = 0;
  for (const Part& part : parts) used |= only(part.device);
  for (const BufferAccess& access : state_->plan.accesses) {
    if (access.shares.empty()) {
      access.storage->used_on(used);
      continue;
    }
    std::vector<std::pair<unsigned, std::vector<Range>>> needs;
    for (size_t p = 0; p < parts.size(); ++p) needs.emplace_back(parts[p].device, access.shares[p].needs);
    access.storage->used_on(access.range, needs);
  }
}

void KernelLaunch::bring_bytes(Planner& planner) const {
  Traffic& traffic = state_->kernel().record.traffic;
  const auto& parts = state_->plan.parts;
  for (const BufferAccess& access : state_->plan.accesses) {
    if (access.to_merge(parts.size())) {
      planner.define(access.storage, access.range);
      planner.bring(access.storage, {&access.range, 1}, kHost, &traffic);
    }
    for (size_t p = 0; p < parts.size(); ++p) {
      planner.bring(access.storage, access.needs(p), access.storage->place_of(parts[p].device), &traffic);
    }
  }
}

void KernelLaunch::run_parts(Planner& planner, const std::shared_ptr<Event>& event) const {
  const auto& parts = state_->plan.parts;
  const auto& arguments = *state_->request.arguments;
  const bool untracked = std::any_of(arguments.begin(), arguments.end(),
                                     [](const Argument& argument) { return argument.is_svm || argument.kept; });
  std::vector<Planner::Planned> together;
  for (size_t p = 0; p < parts.size(); ++p) {
    RealDevice& device = *event->context->devices[parts[p].device];
    Planner::Planned planned;
    planned.lane = {LaneKind::compute, parts[p].device};
    planned.operation = engine::RunKernel{std::make_shared<SubLaunch>(state_, event, p, device)};
    for (const BufferAccess& access : state_->plan.accesses) {
      const Place place = access.storage->place_of(parts[p].device);
      for (const Range& range : access.needs(p)) planned.accesses.push_back({access.storage, place, range, false});
      if (!access.written) continue;
      if (access.shares.empty()) {
        planned.accesses.push_back({access.storage, place, access.range, true});
      } else {
        for (const Range& range : access.shares[p].writes) planned.accesses.push_back({access.storage, place, range, true});
      }
    }
    if (untracked) planned.accesses.push_back(Planner::untracked());
    together.push_back(std::move(planned));
  }
  planner.add(std::move(together));
}

void KernelLaunch::merge(Planner& planner, Context& context) const {
  std::vector<Merged> objects;
  for (const BufferAccess& access : state_->plan.accesses) {
    if (!access.to_merge(state_->plan.parts.size())) continue;
    objects.push_back({access.storage, access.range, access.width, access.accumulates, access.storage->version()});
  }
  if (objects.empty()) return;
  std::vector<unsigned> devices;
  for (const Part& part : state_->plan.parts) devices.push_back(part.device);
  KernelRecord& record = state_->kernel().record;
  state_->merging = std::make_shared<Merging>(context, std::move(devices), std::move(objects), record.traffic);
  std::vector<Planner::Planned> together;
  for (size_t worker = 0; worker < state_->merging->workers(); ++worker) {
    const unsigned device = state_->merging->devices()[worker];
    Planner::Planned planned;
    planned.lane = {LaneKind::down, device};
    planned.operation = engine::HostCall{[state = state_, worker, device] {
      const trace::Span span(trace::Activity::merge, device);
      const cl_ulong start = now_ns();
      const cl_int error = state->merging->merge_chunks(worker);
      state->kernel().record.merge_ns += now_ns() - start;
      return error;
    }};
    for (const Merged& merged : state_->merging->objects()) {
      for (unsigned from : state_->merging->devices()) planned.accesses.push_back({merged.memory, from, merged.range, false});
      planned.accesses.push_back({merged.memory, kHost, merged.range, true});
    }
    together.push_back(std::move(planned));
  }
  planner.add(std::move(together));
}

bool KernelLaunch::tells_what_will_be() const { return !state_->merging; }

// What is merged is planned to be valid at the host, until the merging has found out more.
void KernelLaunch::note_written() const {
  const auto& parts = state_->plan.parts;
  for (const BufferAccess& access : state_->plan.accesses) {
    if (!access.written) continue;
    if (access.shares.empty()) access.storage->written(access.range, access.to_merge(parts.size()) ? only(kHost) : only(parts[0].device));
    for (size_t p = 0; p < access.shares.size(); ++p) {
      for (const Range& range : access.shares[p].writes) access.storage->written(range, only(parts[p].device));
    }
  }
}

void KernelLaunch::ended(cl_int error) {
  if (error != CL_SUCCESS) return;
  if (state_->merging) state_->merging->note_valid();
  if (state_->predicted_ns > 0) {
    KernelRecord& record = state_->kernel().record;
    ++record.predicted_launches;
    record.predicted_ns += state_->predicted_ns;
    record.took_ns += state_->computing_ns;
  }
  if (state_->timed) state_->kernel().splitting->times.took(work_items(state_->plan.ndrange), state_->computing_ns);
}

}  // namespace samcl
