#include "libsamcl/device/real_device.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/copy_rows.h"
#include "libsamcl/device/one_context.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/observe/trace.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// A chunk keeps a more urgent task waiting for less than 0.2 ms at the 54 GB/s of a present PCIe link, and
// for about 1 ms from pageable memory. While no other program is connected they are longer, not a task's
// (lease::Client::runs_far()).
constexpr uint64_t kChunk = 8 << 20, kFarChunk = 64 << 20;

class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<uint64_t>& sum) : sum_(sum), start_(now_ns()) {}
  ~Stopwatch() { sum_ += now_ns() - start_; }

 private:
  std::atomic<uint64_t>& sum_;
  cl_ulong start_;
};

std::string numbered(unsigned device, unsigned strand) {
  return std::to_string(device) + (strand > 0 ? "." + std::to_string(strand) : "");
}

// OpenCL does not tell it: GPUs hold at least two of the largest work-groups on a unit.
uint64_t items_at_once(cl_device_id id) {
  return driver::is_gpu(id) ? 2 * driver::value<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, 0) : 0;
}

}  // namespace

RealDevice::RealDevice(unsigned device_index, cl_device_id device_id, std::vector<cl_context_properties> properties,
                       LeaseTarget lease_target, std::shared_ptr<OneContext> shared_context, const RealDevice* of,
                       unsigned strand_number)
    : index(device_index),
      strand_index(strand_number),
      id(device_id),
      lease(lease_target),
      one_context(std::move(shared_context)),
      computes_in_caller(driver::computes_in_caller(device_id)),
      is_remote(driver::is_remote(device_id)),
      server(driver::server_address(device_id)),
      packs_host_rows(driver::packs_host_rows(device_id)),
      compiles_for_each_local_size(driver::vendor_facts(device_id).compiles_for_each_local_size),
      of_(of),
      pace_(lease_target.share),
      gives_a_core_(!of && driver::is_gpu(device_id) && std::thread::hardware_concurrency() >= 4),
      units_(driver::value<cl_uint>(device_id, CL_DEVICE_MAX_COMPUTE_UNITS, 1)),
      work_items_at_once_(items_at_once(device_id)),
      properties_(std::move(properties)),
      uploads_beside_(computes_in_caller ? 0 : uploads_beside(device_id)) {
  const auto attach_thread = [target = lease] {
    if (target.client) target.client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
  };
  if (lease.client && !computes_in_caller && lease.share == 1)
    run_ahead_ = std::make_unique<RunAhead>(of ? of->run_ahead_->work()
                                               : std::make_shared<GrantedWork>(*lease.client, lease.index));
  submissions_ = std::make_unique<SubmissionQueue>("samcl-submit" + numbered(index, strand_index));
  completions_ = std::make_unique<CompletionQueue>(
      compute_queues_.in_use(), queues_[index_of(engine::LaneKind::compute)].calls,
      "samcl-end" + numbered(index, strand_index),
      CompletionQueue::Device{driver::vendor_facts(id).fails_for_good, submissions_.get()}, attach_thread);
  constexpr std::array kNames{"samcl-gpu", "samcl-up", "samcl-down"};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    workers_[lane] = std::make_unique<Worker>(kNames[lane] + numbered(index, strand_index), attach_thread);
  }
  maker_ = std::make_unique<Worker>("samcl-make" + numbered(index, strand_index));
}

cl_int RealDevice::open() const {
  if (is_open()) return opening_error_;
  const std::lock_guard lock(opening_);
  if (is_open()) return opening_error_;
  try {
    opening_error_ = create_context_and_queues();
    is_open_ = true;
    if (expects_transfers_) prepare_rings();
  } catch (...) {  // no memory, no thread
    if (!is_open()) opening_error_ = CL_OUT_OF_HOST_MEMORY;
    is_open_ = true;
  }
  return opening_error_;
}

cl_int RealDevice::create_context_and_queues() const {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  if (of_) {
    context_ = of_->context();
    error = context_ ? cl.clRetainContext(context_) : CL_INVALID_CONTEXT;
  } else if (one_context) {
    context_ = one_context->context();
    error = cl.clRetainContext(context_);
  } else {
    const auto* const properties = properties_.empty() ? nullptr : properties_.data();
    context_ = cl.clCreateContext(properties, 1, &id, nullptr, nullptr, &error);
  }
  if (error != CL_SUCCESS) return error;
  // A server is not asked twice as much, for what its network takes much longer; and a device that computes in the
  // calling thread takes as long with times, without which what its driver compiles for a launch counts as the launch.
  error = compute_queues_.create(context_, id, true, !computes_in_caller && !is_remote);
  if (of_) return error;
  for (const engine::LaneKind lane : {engine::LaneKind::up, engine::LaneKind::down}) {
    Queue& its = queues_[index_of(lane)];
    if (error == CL_SUCCESS) its.real = cl.clCreateCommandQueue(context_, id, 0, &error);
    if (error == CL_SUCCESS && !computes_in_caller && gains_by_pinned_chunks(id))
      its.ring = std::make_unique<PinnedRing>(context_, its.real, true);
  }
  return error;
}

RealDevice::~RealDevice() {
  submissions_.reset();  // its last job still uses what follows,
  maker_.reset();        // and this one's the queues, or makes strands
  for (auto& worker : workers_) worker.reset();
  each_further_strand([](const RealDevice& strand) { delete &strand; });
  completions_.reset();
  const auto& cl = driver::real();
  pinned_place_.release();
  compute_queues_.release();
  for (Queue& queue : queues_) {
    queue.ring.reset();
    if (queue.real) cl.clReleaseCommandQueue(queue.real);
  }
  if (context_) cl.clReleaseContext(context_);
}

// A task's launches run one after another, as its model has them.
bool RealDevice::may_have_strands() const {
  return Config::get().strands != Config::Strands::never && !computes_in_caller && !is_remote && !one_context &&
         lease.share == 1 && !is_of_task();
}

bool RealDevice::make_strand(unsigned number) {
  if (strands_[number].load(std::memory_order_relaxed)) return true;
  std::unique_ptr<RealDevice> made(new RealDevice(index, id, {}, lease, nullptr, this, number));
  if (made->open() != CL_SUCCESS) return false;
  if (program_asks_times()) made->program_may_ask_times();
  has_strands_ = true;
  strands_[number].store(made.release(), std::memory_order_release);
  return true;
}

void RealDevice::expect_launches() {
  if (expects_launches_.exchange(true)) return;
  completions_->begin_thread();
  if (!computes_in_caller && may_submit_on_thread()) submissions_->thread().post([] {});
  if (run_ahead_) worker(engine::LaneKind::compute).post([] {});
}

// NVIDIA's driver takes 0.4 ms to pin it, in which it lets nobody else call it for a part of that.
PinnedPlace::Held RealDevice::pinned_place(uint64_t bytes) {
  constexpr unsigned kPays = 8;
  if (bytes <= PinnedPlace::kBytes && ++short_reads_ == kPays && gains_by_pinned_chunks(id)) {
    maker_->post([this] { pinned_place_.prepare(context_); });
  }
  return pinned_place_.take(bytes);
}

size_t RealDevice::on_their_way() const {
  return submissions_->entries() + completions_->in_flight() + (run_ahead_ ? run_ahead_->entries() : 0);
}

bool RealDevice::takes_upload(uint64_t bytes) {
  return (is_asynchronous() || may_run_far()) && uploads_beside_.take(bytes, on_their_way());
}

bool RealDevice::may_submit_on_thread() const {
  const Config::Submission submission = Config::get().submission;
  return submission == Config::Submission::thread || (submission == Config::Submission::automatic && gives_a_core_);
}

bool RealDevice::submits_on_thread(bool others_work) {
  // For fewer a new thread does not pay.
  constexpr uint32_t kMany = 100;
  if (Config::get().submission == Config::Submission::thread) return true;
  if (others_work || !may_submit_on_thread() || !is_busy()) return false;
  return came_while_busy_ >= kMany || ++came_while_busy_ >= kMany;
}

uint64_t RealDevice::groups_at_once(uint64_t work_items) const {
  return units_ * std::max<uint64_t>(1, work_items_at_once_ / std::max<uint64_t>(1, work_items));
}

uint64_t RealDevice::busy_groups(uint64_t work_items) const {
  return work_items_at_once_ > 0 ? (groups_at_once(work_items) + 3) / 4 : units_;
}

cl_int RealDevice::launch(const LaunchRing::Launch& launch, uint32_t count) {
  for (cl_uint i = 0; i < launch.changes; ++i) {
    const LaunchRing::Change& change = launch.changed[i];
    const cl_int error = driver::real().clSetKernelArg(launch.kernel, change.index, change.size, change.value.data());
    if (error == CL_SUCCESS) continue;
    *launch.is_doubtful = true;
    return error;
  }
  return count == 1 ? enqueue(launch.kernel, launch, 1) : launch_gathered(launch, count);
}

cl_int RealDevice::enqueue(cl_kernel kernel, const LaunchRing::Launch& launch, uint32_t count) {
  std::array<size_t, 3> size = launch.size;
  if (count > 1) size[2] = count;
  Queue& compute = queue(engine::LaneKind::compute);
  std::lock_guard one_at_a_time(compute.calls);
  return driver::real().clEnqueueNDRangeKernel(compute_queue(ComputeQueues::Use::either), kernel,
                                               count > 1 ? 3 : launch.dimensions,
                                               launch.has_offset ? launch.offset.data() : nullptr, size.data(),
                                               launch.has_local ? launch.local.data() : nullptr, 0, nullptr, nullptr);
}

cl_int RealDevice::launch_gathered(const LaunchRing::Launch& launch, uint32_t count) {
  const LaunchRing::Gathered& gathered = launch.gathered;
  cl_int error = CL_SUCCESS;
  for (cl_uint i = 0; i < gathered.growing && error == CL_SUCCESS; ++i) {
    const LaunchRing::Growing& growing = gathered.values[i];
    error = driver::real().clSetKernelArg(gathered.kernel, growing.index, growing.size, &growing.first);
  }
  if (error == CL_SUCCESS) error = enqueue(gathered.kernel, launch, count);
  return error == CL_SUCCESS ? CL_SUCCESS : launch_one_by_one(launch, count);
}

// What the driver refuses together. The kernel has the first one's values again in the end: who puts launches here
// counts on that.
cl_int RealDevice::launch_one_by_one(const LaunchRing::Launch& launch, uint32_t count) {
  cl_int error = CL_SUCCESS;
  for (uint32_t number = 0; number < count && error == CL_SUCCESS; ++number) {
    error = set_growing(launch, number);
    if (error == CL_SUCCESS) error = enqueue(launch.kernel, launch, 1);
  }
  if (set_growing(launch, 0) != CL_SUCCESS) *launch.is_doubtful = true;
  return error;
}

cl_int RealDevice::set_growing(const LaunchRing::Launch& launch, uint32_t number) {
  cl_int error = CL_SUCCESS;
  for (cl_uint i = 0; i < launch.gathered.growing && error == CL_SUCCESS; ++i) {
    const LaunchRing::Growing& growing = launch.gathered.values[i];
    const uint64_t value = growing.first + number * growing.step;
    error = driver::real().clSetKernelArg(launch.kernel, growing.index, growing.size, &value);
  }
  return error;
}

void RealDevice::rest() const {
  const uint64_t now = now_ns(), until = pace_.rests_until();
  if (until > now) std::this_thread::sleep_for(std::chrono::nanoseconds(until - now));
}

bool RealDevice::finish_untold(const engine::Owner* owner) {
  InFlight ended;
  const bool is_finished = completions_->finish_untold(owner, ended, program_asks_times());
  note_ended(ended);
  return is_finished;
}

void RealDevice::note_ended(const InFlight& ended) {
  if (run_ahead_) run_ahead_->ended(ended.commands, ended.ns, now_ns());
}

bool RealDevice::drain(int milliseconds) {
  const cl_ulong until = now_ns() + static_cast<cl_ulong>(milliseconds) * 1'000'000;
  auto left = [until] {
    const cl_ulong now = now_ns();
    return now < until ? static_cast<int>((until - now) / 1'000'000) : 0;
  };
  bool idle = true;
  submissions_->drain(SubmissionQueue::Lock::free);
  idle &= submissions_->thread().drain(left());  // it may be making room for what another thread has submitted since
  for (auto& worker : workers_) idle &= worker->drain(left());
  idle &= maker_->drain(left());
  each_further_strand([&](RealDevice& strand) { idle &= strand.drain(left()); });
  return (!completions_ || completions_->drain(left())) && idle;
}

void RealDevice::wake_threads() {
  submissions_->thread().post([] {});
  for (auto& worker : workers_) worker->post([] {});
  maker_->post([] {});
  if (completions_) completions_->wake_thread();
  each_further_strand([](RealDevice& strand) { strand.wake_threads(); });
}

lease::Lease RealDevice::link_lease() const {
  return trace::waiting("wait for the link",
                        [this] { return lease::Lease(lease.client, lease::ResourceKind::link, lease.index); });
}

void RealDevice::prepare_ring(engine::LaneKind lane) const {
  if (PinnedRing* const ring = queues_[index_of(lane)].ring.get()) maker_->post([ring] { ring->prepare(); });
}

void RealDevice::prepare_rings() const {
  prepare_ring(engine::LaneKind::up);
  prepare_ring(engine::LaneKind::down);
}

void RealDevice::expect_transfers(uint64_t bytes) {
  if (is_of_task()) return;
  // Devices beside the first one only get parts of what there is.
  if (bytes < PinnedRing::kPays * (index == 0 ? 1 : 2) || expects_transfers_.exchange(true)) return;
  if (is_open()) prepare_rings();
}

// What is always split is measured for a task's profile (sam-profile).
bool RealDevice::is_of_task() const { return lease.client && (Config::get().always_split || lease.client->is_task()); }

bool RealDevice::may_run_far() const { return run_ahead_ && !is_of_task() && run_ahead_->may_run_far(); }

// Asked for each launch: who has the device is looked up only for long ones.
bool RealDevice::takes_in_one_piece(uint64_t ns) const {
  return ns <= RunAhead::kSliceNs || (run_ahead_ && !is_of_task() && run_ahead_->takes_in_one_piece(ns));
}

// Where there is none yet, it is made once it would have paid. Not for tasks: the copying threads do not run at their
// priority, and their plans do not count them.
PinnedRing* RealDevice::ring_for(engine::LaneKind lane, uint64_t bytes) {
  Queue& on = queue(lane);
  if (bytes < PinnedRing::kLeast || !on.ring || is_of_task()) return nullptr;
  if (on.ring->is_ready() || (bytes >= 2 * PinnedRing::kPays && on.ring->prepare())) return on.ring.get();
  const uint64_t before = on.without_ring.fetch_add(bytes);
  if (before < PinnedRing::kPays && before + bytes >= PinnedRing::kPays) prepare_ring(lane);
  return nullptr;
}

// With the mutex of a transfer lane. Others give the compute queue commands meanwhile.
cl_int RealDevice::transfer_piece(engine::LaneKind lane, Direction direction, const DeviceMemory& memory,
                                  const Rectangle& rows, std::byte* host, const Rectangle& host_rows, bool is_locked) {
  if (lane == engine::LaneKind::compute) {
    const bool has_place = direction == Direction::down && !is_locked;
    const PinnedPlace::Held place = has_place ? pinned_place(rows.bytes()) : PinnedPlace::Held();
    std::byte* const to = place.memory() ? place.memory() : host;
    const Rectangle its_rows = place.memory() ? rows.dense() : host_rows;
    const cl_int error = run(lane, [&](cl_command_queue on, cl_event* done) {
      return enqueue_transfer(on, direction, memory, rows, to, its_rows, false, done);
    });
    if (error == CL_SUCCESS && place.memory()) copy_rows(host, host_rows, to, its_rows);
    return error;
  }
  return enqueue_transfer(queue(lane).real, direction, memory, rows, host, host_rows, true, nullptr);
}

cl_int RealDevice::transfer(engine::LaneKind lane, Direction direction, const DeviceMemory& memory,
                            const Rectangle& rows, std::byte* host, const Rectangle& host_rows, Traffic& traffic,
                            bool is_locked) {
  const bool up = direction == Direction::up;
  const Stopwatch watch(up ? traffic.upload_ns : traffic.download_ns);
  Traffic& link_traffic = report::device(index);
  (up ? traffic.uploaded_bytes : traffic.downloaded_bytes) += rows.bytes();
  (up ? link_traffic.uploaded_bytes : link_traffic.downloaded_bytes) += rows.bytes();
  const auto activity = up ? trace::Activity::upload : trace::Activity::download;
  Queue& on = queue(lane);
  std::unique_lock one_at_a_time(on.mutex, std::defer_lock);
  if (lane != engine::LaneKind::compute) one_at_a_time.lock();
  if (PinnedRing* const ring = is_locked ? nullptr : ring_for(lane, rows.bytes())) {
    const auto give = [&](const Rectangle& piece, std::byte* chunk, cl_event* moved) {
      return enqueue_transfer(on.real, direction, memory, piece, chunk, piece.dense(), false, moved);
    };
    lease::Lease link = link_lease();
    trace::Span span(activity, index, rows.bytes());
    cl_ulong since = now_ns();  // it last could give way
    const PinnedRing::Pause pause{.is_due =
                                      [&] {
                                        span.piece_since(since);
                                        since = now_ns();
                                        return link.revoke_requested();
                                      },
                                  .runs_far = [&] { return link.may_run_far(); },
                                  .take =
                                      [&] {
                                        link.ends_run_far();
                                        trace::waiting("give way", [&] { link.yield_if_revoked(); });
                                        since = now_ns();
                                      }};
    const PinnedRing::Pause* const pauses = lease.client ? &pause : nullptr;
    const cl_int error =
        up ? ring->upload(rows, host, host_rows, give, pauses) : ring->download(rows, host, host_rows, give, pauses);
    if (pauses) span.piece_since(since);
    return error;
  }
  lease::Lease link = link_lease();
  trace::Span span(activity, index, rows.bytes());
  const auto chunk = [&] {
    if (!lease.client) return rows.bytes();
    if (!is_of_task() && link.may_run_far()) return kFarChunk;
    link.ends_run_far();
    return kChunk;
  };
  bool is_first = true;
  for (const auto& [far_piece, far_host_piece] : cut(rows, host_rows, chunk()))
    for (const auto& [piece, host_piece] : cut(far_piece, far_host_piece, chunk())) {
      if (!std::exchange(is_first, false) && link.revoke_requested()) {
        trace::waiting("give way", [&] { link.yield_if_revoked(); });
      }
      const cl_ulong begun = trace::on() ? now_ns() : 0;
      const cl_int error = transfer_piece(lane, direction, memory, piece, host, host_piece, is_locked);
      span.piece_since(begun);
      if (error != CL_SUCCESS) return error;
    }
  return CL_SUCCESS;
}

}  // namespace samcl
