#include "libsamcl/runtime/launch.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

#include "libsamcl/atomic_max.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/local_size.h"
#include "libsamcl/merge/accumulate.h"
#include "libsamcl/merge/diff.h"
#include "libsamcl/runtime/config.h"
#include "libsamcl/runtime/gather.h"
#include "libsamcl/runtime/trace.h"

namespace samcl {
namespace {

constexpr uint64_t kMergeChunk = 1 << 20;
// How finely the directory knows who changed what.
constexpr uint64_t kGranule = 4096;
// Work-items that stay together where the local size is the driver's to choose.
constexpr uint64_t kFreeGroup = 64;
constexpr double kSliceNs = 500'000;
constexpr char kWholeIsFaster[] = "faster on one device";
constexpr char kMixed[] = "uses atomics on memory that another argument shows, too";

// Images of the driver's own and shared virtual memory are the first device's.
bool bound_to_first_device(const Arguments& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& argument) { return argument.is_svm || argument.kept; });
}

uint64_t work_items(const Ndrange& ndrange) { return ndrange.global[0] * ndrange.global[1] * ndrange.global[2]; }

// The devices whose replica is still right where `changed` wrote: the only writer.
Places still_valid(Places changed) { return std::popcount(changed) == 1 ? changed : Places{0}; }

}  // namespace

KernelLaunch::KernelLaunch(LaunchRequest request, const Context& context)
    : request_(std::move(request)),
      ndrange_(request_.ndrange),
      touches_(touches_of(*request_.kernel, *request_.arguments)) {
  const bool managed = context.devices[0]->lease.client != nullptr;
  is_judged_ = !managed && !Config::get().always_split;
  reason_ = decide(context);
  if (!decided_) timed_ = parts_.size() > 1 && is_judged_;
}

// Whether the parts of the NDRange can be given the local size that the whole would have got.
bool KernelLaunch::choose_local_size(const Context& context) {
  pass_local_ = true;
  if (request_.has_local) return true;
  const KernelTranslation& known = *request_.kernel->translation;
  if (known.required_work_group_size) {
    for (unsigned d = 0; d < 3; ++d) ndrange_.local[d] = (*known.required_work_group_size)[d];
    return true;
  }
  if (!known.depends_on_local_size) {
    pass_local_ = false;
    ndrange_.local = {std::min(kFreeGroup, ndrange_.global[0]), 1, 1};
    return true;
  }
  std::array<size_t, 3> offset{}, global{};
  std::copy(ndrange_.offset.begin(), ndrange_.offset.end(), offset.begin());
  std::copy(ndrange_.global.begin(), ndrange_.global.end(), global.begin());
  auto chosen = driver::local_size_choice(context.devices[0]->compute_queue(), request_.kernel->checked,
                                          ndrange_.dimensions, offset.data(), global.data());
  if (!chosen) return false;
  std::copy(chosen->begin(), chosen->end(), ndrange_.local.begin());
  return true;
}

std::string KernelLaunch::decide(const Context& context) {
  const Kernel& kernel = *request_.kernel;
  pass_local_ = request_.has_local;
  const bool bound = bound_to_first_device(*request_.arguments);
  everything_ = {bound ? 0 : kernel.build->whole_device, {{0, 0, 0}, {1, 1, 1}}};
  parts_ = {everything_};
  whole_ = true;
  const std::vector<unsigned> devices = context.devices_in_use();
  const bool managed = context.devices[0]->lease.client != nullptr;
  if (!kernel.build->why_one_device.empty()) return kernel.build->why_one_device;
  if (!kernel.translation) return "the translator does not know this kernel";
  if (kernel.parts.empty()) {
    return kernel.translation->why_not_split.empty() ? "not built for several devices" : kernel.translation->why_not_split;
  }
  for (const Argument& argument : *request_.arguments) {
    if (argument.is_svm) return "uses shared virtual memory";
  }
  const bool mixed = std::any_of(touches_.begin(), touches_.end(), [](const Touch& touch) { return touch.is_mixed; });
  const bool split_it = kernel.translation->may_split && devices.size() > 1 && !bound && !mixed;
  if (!split_it && !(managed && kernel.translation->may_slice)) {
    if (mixed) return kMixed;
    return kernel.translation->may_split ? "its mode is one device" : kernel.translation->why_not_split;
  }
  // Cutting takes longer than a short kernel. If what is known now is not known any more when the launch starts, it is
  // only one launch that is whole.
  if (split_it && is_judged_ && !kernel.splitting->choice.split(work_items(ndrange_))) {
    decided_ = true;
    timed_ = kernel.splitting->choice.wants_time(work_items(ndrange_));
    return kWholeIsFaster;
  }
  if (!choose_local_size(context)) {
    pass_local_ = false;
    ndrange_ = request_.ndrange;
    return "local size left to the driver, which does not tell it";
  }
  cut(bound ? std::vector{0u} : split_it ? devices : std::vector{devices[0]});
  whole_ = false;
  if (parts_.size() == 1 && !managed) {
    give_up_splitting();
    return "fewer work-groups than devices";
  }
  if (mixed) return kMixed;
  if (!split_it) return kernel.translation->may_split ? "its mode is one device" : kernel.translation->why_not_split;
  return "";
}

// Along the dimension that leaves least to merge, and the fewest ranges to move.
void KernelLaunch::cut(const std::vector<unsigned>& devices) {
  const std::vector<double> shares(devices.size(), 1.0);
  auto cut_along = [&](unsigned dimension) {
    std::vector<Part> parts = split(ndrange_, shares, dimension);
    for (Part& part : parts) part.device = devices[part.device];
    return parts;
  };
  const std::vector<unsigned> dimensions = good_dimensions(ndrange_, static_cast<unsigned>(devices.size()));
  parts_ = cut_along(dimensions[0]);
  if (parts_.size() == 1) return;
  const Kernel& kernel = *request_.kernel;
  Fit best = share_out(touches_, kernel, *request_.arguments, ndrange_, parts_);
  for (size_t i = 1; i < dimensions.size() && best > Fit{0, 2 * touches_.size() * parts_.size()}; ++i) {
    std::vector<Part> parts = cut_along(dimensions[i]);
    std::vector<Touch> touches = touches_;
    const Fit fit = share_out(touches, kernel, *request_.arguments, ndrange_, parts);
    if (fit >= best) continue;
    best = fit;
    parts_ = std::move(parts);
    touches_ = std::move(touches);
  }
}

void KernelLaunch::give_up_splitting() {
  whole_ = true;
  ndrange_ = request_.ndrange;
  pass_local_ = request_.has_local;
  parts_ = {everything_};
  for (Touch& touch : touches_) touch.shares.clear();
}

void KernelLaunch::count() const {
  KernelRecord& record = request_.kernel->record;
  ++record.launches;
  if (!reason_.empty()) record.set_reason(reason_);
  if (parts_.size() > 1) ++record.split_launches;
  const unsigned used = static_cast<unsigned>(parts_.size());
  raise(record.devices, used);
}

std::vector<Use> KernelLaunch::uses() {
  if (!decided_ && timed_) {
    SplitChoice& choice = request_.kernel->splitting->choice;
    if (!choice.split(work_items(ndrange_))) {
      give_up_splitting();
      reason_ = kWholeIsFaster;
    }
    timed_ = choice.wants_time(work_items(ndrange_));
  }
  decided_ = true;
  issues_ = can_be_issued(*request_.kernel->program->context);
  moves_ = false;
  std::vector<Use> uses;
  for (const Touch& touch : touches_) {
    bool missing = false;
    for (size_t p = 0; p < parts_.size() && !missing; ++p) {
      for (const Range& range : touch.needs(p)) missing |= touch.storage->missing_bytes(range, parts_[p].device) > 0;
    }
    moves_ |= missing || touch.to_merge(parts_.size());
    uses.push_back({touch.storage, touch.written || missing});
  }
  return uses;
}

// So that bytes from the host go at once to where the next such launch will need them.
void KernelLaunch::note_use() const {
  Places used = 0;
  for (const Part& part : parts_) used |= only(part.device);
  for (const Touch& touch : touches_) {
    if (touch.shares.empty()) {
      touch.storage->used_on(used);
      continue;
    }
    std::vector<std::pair<unsigned, std::vector<Range>>> needs;
    for (size_t p = 0; p < parts_.size(); ++p) needs.emplace_back(parts_[p].device, touch.shares[p].needs);
    touch.storage->used_on(touch.range, needs);
  }
}

void KernelLaunch::start(const std::shared_ptr<Event>& event, Starter starter) {
  count();
  trace::name_command(*event, request_.kernel->name);
  start_ns_ = now_ns();
  note_use();
  if (issues_) return issue(event);
  Context& context = *event->context;
  run_on_workers(context, gather_merged(), Starter::another_command, [this, event, &context, starter](cl_int error) {
    if (error != CL_SUCCESS) return end(event, error);
    std::vector<Step> steps;
    for (size_t p = 0; p < parts_.size(); ++p) {
      steps.push_back({parts_[p].device, [this, event, p] { return execute(event, p); }});
    }
    run_on_workers(context, std::move(steps), starter, [this, event](cl_int result) {
      if (result != CL_SUCCESS || !merges()) return end(event, result);
      merge(event);
    });
  });
}

bool KernelLaunch::merges() const {
  return std::any_of(touches_.begin(), touches_.end(),
                     [this](const Touch& touch) { return touch.to_merge(parts_.size()); });
}

// A device that computes in the calling thread does nothing until somebody waits.
bool KernelLaunch::can_be_issued(const Context& context) const {
  const RealDevice& device = *context.devices[0];
  return !device.lease.client && !device.computes_in_caller && !merges();
}

void KernelLaunch::issue(const std::shared_ptr<Event>& event) {
  unended_ = parts_.size() + 1;
  std::vector<Step> steps;
  for (size_t p = 0; p < parts_.size(); ++p) {
    steps.push_back({parts_[p].device, [this, event, p] { return issue_part(event, p); }});
  }
  auto then = [this, event](cl_int error) {
    if (error == CL_SUCCESS) {
      note_written();
      event->context->graph.issued(event);
    }
    one_ended(event, error);
  };
  if (moves_) return run_on_workers(*event->context, std::move(steps), Starter::another_command, then);
  run_at_once(*event->context, std::move(steps), then);
}

cl_int KernelLaunch::issue_part(const std::shared_ptr<Event>& event, size_t index) {
  RealDevice& device = *event->context->devices[parts_[index].device];
  RealKernel* kernel = nullptr;
  cl_event done = nullptr;
  cl_int error = prepare(index, kernel);
  const bool exactly = event->observed || timed_ || trace::on();
  if (exactly) device.separate_awaited();
  if (error == CL_SUCCESS)
    error = enqueue_box(device, kernel->get(), parts_[index].box, exactly ? &done : nullptr);
  if (error != CL_SUCCESS) {
    one_ended(event, error);
    return error;
  }
  std::function<void(const RealDevice::Run&)> begins;
  if (event->observed) begins = [event](const RealDevice::Run& run) { event->set_running(run.began); };
  device.await(
      done, std::move(begins),
      [this, event, device = device.index](const RealDevice::Run& run, cl_int status) {
        request_.kernel->record.launch_ns += run.ended - run.began;
        trace::add_kernel(*event, device, run.began, run.ended);
        computing_ns_ += run.ended - run.began;
        raise(behind_ns_, run.began - run.enqueued);
        event->note_end(run.ended);
        one_ended(event, status);
      });
  return CL_SUCCESS;
}

void KernelLaunch::one_ended(const std::shared_ptr<Event>& event, cl_int error) {
  cl_int none = CL_SUCCESS;
  if (error != CL_SUCCESS) error_.compare_exchange_strong(none, error);
  if (unended_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const cl_int result = error_.load();
  if (result == CL_SUCCESS) note_time();
  event->context->graph.finish(event, result);
}

std::vector<Step> KernelLaunch::gather_merged() {
  std::vector<Step> steps;
  for (const Touch& touch : touches_) {
    if (!touch.to_merge(parts_.size())) continue;
    touch.storage->define(touch.range);
    std::vector<Step> more = gather(touch.storage, touch.range, request_.kernel->record.traffic);
    std::move(more.begin(), more.end(), std::back_inserter(steps));
  }
  return steps;
}

// On the part's device: what it needs is there, and the real kernel has its arguments.
cl_int KernelLaunch::prepare(size_t index, RealKernel*& real) {
  const Part& part = parts_[index];
  Kernel& kernel = *request_.kernel;
  for (const Touch& touch : touches_) {
    for (const Range& range : touch.needs(index)) {
      cl_int error = touch.storage->make_valid(range, part.device, kernel.record.traffic);
      if (error != CL_SUCCESS) return error;
    }
  }
  RealKernel& whole = part.device == 0 ? kernel.whole : kernel.whole_elsewhere;
  real = whole_ ? &whole : kernel.parts[part.device].get();
  const cl_program original = part.device == 0 ? kernel.program->original : kernel.build->whole;
  const cl_program program = whole_ ? original : kernel.build->parts[part.device];
  return real->prepare(program, kernel.name, *kernel.program->context->devices[part.device], request_.arguments);
}

cl_int KernelLaunch::execute(const std::shared_ptr<Event>& event, size_t index) {
  RealKernel* kernel = nullptr;
  cl_int error = prepare(index, kernel);
  if (error != CL_SUCCESS) return error;
  event->set_running();
  const cl_ulong start = now_ns();
  error = run_box(*event->context->devices[parts_[index].device], *kernel, parts_[index].box);
  const uint64_t took = now_ns() - start;
  request_.kernel->record.launch_ns += took;
  computing_ns_ += took;
  return error;
}

cl_int KernelLaunch::run_box(RealDevice& device, RealKernel& kernel, const GroupBox& box) {
  if (device.lease.client && !whole_ && request_.kernel->translation->may_slice) {
    return run_slices(device, kernel, box);
  }
  lease::Lease lease(device.lease.client, lease::ResourceKind::gpu, device.lease.index);
  const trace::Span span(trace::Activity::kernel, device.index);
  cl_event done = nullptr;
  if (cl_int error = enqueue_box(device, kernel.get(), box, &done); error != CL_SUCCESS) return error;
  return device.wait_for(done);
}

// Two slices in flight keep the device busy; a more urgent task waits for those two at most.
cl_int KernelLaunch::run_slices(RealDevice& device, RealKernel& kernel, const GroupBox& box) {
  const double ns_per_group = kernel.ns_per_group.load(std::memory_order_relaxed);
  // Nothing is known before the first launch: sixteen slices then.
  const uint64_t wanted = ns_per_group > 0 ? static_cast<uint64_t>(std::min(kSliceNs / ns_per_group, 1e15))
                                           : (box.total() + 15) / 16;
  // Where a work-group takes longer than a slice should, smaller ones would leave the device idle and end no sooner.
  const uint64_t least = device.groups_at_once(ndrange_.local[0] * ndrange_.local[1] * ndrange_.local[2]);
  const std::vector<GroupBox> slices = slice(box, std::max(wanted, least));
  lease::Lease lease(device.lease.client, lease::ResourceKind::gpu, device.lease.index);
  trace::Span span(trace::Activity::kernel, device.index);
  const cl_ulong start = now_ns();
  cl_ulong begun = start;  // when the slice in flight could begin
  cl_ulong away = 0;
  cl_event before = nullptr;
  cl_int error = CL_SUCCESS;
  auto finish_before = [&] {
    if (!before) return;
    const cl_int result = device.wait_for(std::exchange(before, nullptr));
    if (error == CL_SUCCESS) error = result;
    span.piece_since(std::exchange(begun, now_ns()));
  };
  for (const GroupBox& piece : slices) {
    if (error == CL_SUCCESS && lease.revoke_requested()) {
      finish_before();
      const cl_ulong left = now_ns();
      lease.yield_if_revoked();
      begun = now_ns();
      away += begun - left;
    }
    cl_event current = nullptr;
    if (error == CL_SUCCESS) error = enqueue_box(device, kernel.get(), piece, &current);
    finish_before();
    before = current;
    ++request_.kernel->record.slices;
  }
  finish_before();
  const double measured = static_cast<double>(now_ns() - start - away) / static_cast<double>(box.total());
  kernel.ns_per_group = ns_per_group > 0 ? 0.75 * ns_per_group + 0.25 * measured : measured;
  return error;
}

cl_int KernelLaunch::enqueue_box(RealDevice& device, cl_kernel kernel, const GroupBox& box, cl_event* event) {
  const auto& cl = driver::real();
  BoxLaunch launch = whole_ ? BoxLaunch{ndrange_.offset, ndrange_.global} : launch_of(ndrange_, box);
  if (!whole_ && request_.kernel->translation->needs_ndrange_argument) {
    NdrangeArgument argument;
    for (unsigned d = 0; d < 3; ++d) {
      argument.group_offset[d] = box.first[d];
      argument.num_groups[d] = ndrange_.groups(d);
      argument.global_size[d] = ndrange_.global[d];
      argument.global_offset[d] = ndrange_.offset[d];
    }
    cl_int error = cl.clSetKernelArg(kernel, request_.kernel->argument_count, sizeof argument, &argument);
    if (error != CL_SUCCESS) return error;
  }
  size_t offset[3], size[3], local[3];
  bool any_offset = false;
  for (unsigned d = 0; d < 3; ++d) {
    offset[d] = launch.offset[d];
    size[d] = launch.size[d];
    local[d] = ndrange_.local[d];
    any_offset |= offset[d] != 0;
  }
  return cl.clEnqueueNDRangeKernel(device.compute_queue(), kernel, ndrange_.dimensions,
                                   any_offset ? offset : nullptr, size, pass_local_ ? local : nullptr, 0, nullptr,
                                   event);
}

void KernelLaunch::merge(const std::shared_ptr<Event>& event) {
  Context& context = *event->context;
  auto changes = std::make_shared<std::vector<std::vector<Change>>>(parts_.size() * touches_.size());
  std::vector<Step> steps;
  for (size_t worker = 0; worker < parts_.size(); ++worker) {
    steps.push_back({parts_[worker].device, [this, worker, changes] {
                       const trace::Span span(trace::Activity::merge, parts_[worker].device);
                       const cl_ulong start = now_ns();
                       cl_int error = merge_chunks(worker, *changes);
                       request_.kernel->record.merge_ns += now_ns() - start;
                       return error;
                     }});
  }
  run_on_workers(context, std::move(steps), Starter::another_command, [this, event, changes](cl_int error) {
    for (size_t i = 0; i < changes->size(); ++i) {
      for (const Change& change : (*changes)[i]) {
        touches_[i % touches_.size()].storage->written(change.range, only(kHost) | still_valid(change.devices));
      }
    }
    end(event, error);
  });
}

// Every worker takes each parts_.size()-th chunk, from all devices.
cl_int KernelLaunch::merge_chunks(size_t worker, std::vector<std::vector<Change>>& changes) {
  std::vector<std::vector<std::byte>> staging(parts_.size(), std::vector<std::byte>(kMergeChunk));
  for (size_t t = 0; t < touches_.size(); ++t) {
    const Touch& touch = touches_[t];
    if (!touch.to_merge(parts_.size())) continue;
    std::vector<Change>& found = changes[worker * touches_.size() + t];
    const unsigned width =
        static_cast<unsigned>(std::gcd(std::gcd<uint64_t>(touch.width, touch.range.begin), touch.range.size()));
    std::byte* host = touch.storage->host();
    if (!host) return CL_OUT_OF_HOST_MEMORY;
    for (uint64_t at = touch.range.begin + worker * kMergeChunk; at < touch.range.end;
         at += parts_.size() * kMergeChunk) {
      const uint64_t bytes = std::min(kMergeChunk, touch.range.end - at);
      for (size_t p = 0; p < parts_.size(); ++p) {
        cl_int error = touch.storage->download(parts_[p].device, {at, at + bytes}, staging[p].data(),
                                               request_.kernel->record.traffic);
        if (error != CL_SUCCESS) return error;
      }
      for (uint64_t done = 0; done < bytes; done += kGranule) {
        const uint64_t length = std::min(kGranule, bytes - done);
        const std::byte* outputs[kMaxDevices];
        for (size_t p = 0; p < parts_.size(); ++p) outputs[p] = staging[p].data() + done;
        const unsigned count = static_cast<unsigned>(parts_.size());
        const uint32_t changed =
            touch.accumulates == Accumulation::none
                ? merge_changes(host + at + done, outputs, count, length, width)
                : combine_changes(host + at + done, outputs, count, length, touch.width, touch.accumulates);
        if (changed == 0) continue;
        Places devices = 0;
        for (size_t p = 0; p < parts_.size(); ++p) {
          if ((changed >> p) & 1) devices |= only(parts_[p].device);
        }
        const Range range{at + done, at + done + length};
        if (!found.empty() && found.back().range.end == range.begin && found.back().devices == devices) {
          found.back().range.end = range.end;
        } else {
          found.push_back({range, devices});
        }
      }
    }
  }
  return CL_SUCCESS;
}

// What is not merged is valid where it was written.
void KernelLaunch::note_written() const {
  for (const Touch& touch : touches_) {
    if (!touch.written || touch.to_merge(parts_.size())) continue;
    if (touch.shares.empty()) touch.storage->written(touch.range, only(parts_[0].device));
    for (size_t p = 0; p < touch.shares.size(); ++p) {
      for (const Range& range : touch.shares[p].writes) touch.storage->written(range, only(parts_[p].device));
    }
  }
}

void KernelLaunch::note_time() const {
  if (!timed_) return;
  SplitChoice& choice = request_.kernel->splitting->choice;
  const uint64_t total = now_ns() - start_ns_ - behind_ns_;
  whole_ ? choice.whole_took(work_items(ndrange_), total)
         : choice.split_took(work_items(ndrange_), total, computing_ns_, moves_);
}

void KernelLaunch::end(const std::shared_ptr<Event>& event, cl_int error) {
  if (error == CL_SUCCESS) {
    note_written();
    note_time();
  }
  event->context->graph.finish(event, error);
}

}  // namespace samcl
