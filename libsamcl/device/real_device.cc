#include "libsamcl/device/real_device.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "libsamcl/device/row_commands.h"
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
// for about 1 ms from pageable memory.
constexpr uint64_t kChunk = 8 << 20;

class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<uint64_t>& sum) : sum_(sum), start_(now_ns()) {}
  ~Stopwatch() { sum_ += now_ns() - start_; }

 private:
  std::atomic<uint64_t>& sum_;
  cl_ulong start_;
};

// Calls move(block, bytes before it) for the blocks of a range until one fails.
template <typename Move>
cl_int for_each_block(const ImageLayout& image, Range range, Move move) {
  for (const ImageBlock& block : blocks_of(image, range)) {
    cl_int error = move(block, block.range.begin - range.begin);
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

// OpenCL does not tell it: GPUs hold at least two of the largest work-groups on a unit.
uint64_t items_at_once(cl_device_id id) {
  const bool is_gpu = driver::value<cl_device_type>(id, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_GPU;
  return is_gpu ? 2 * driver::value<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, 0) : 0;
}

// Where host memory is not the device's own.
bool gains_by_pinned_chunks(cl_device_id id) {
  if (Config::get().transport == Config::Transport::staged) return true;
  return (driver::value<cl_device_type>(id, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_GPU) &&
         !driver::value<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE);
}

}  // namespace

RealDevice::RealDevice(unsigned device_index, cl_device_id device_id, const cl_context_properties* properties,
                       LeaseTarget lease_target, cl_int* error)
    : index(device_index),
      id(device_id),
      lease(lease_target),
      computes_in_caller(driver::computes_in_caller(device_id)),
      is_remote(driver::is_remote(device_id)),
      pace_(lease_target.share),
      gives_a_core_((driver::value<cl_device_type>(device_id, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_GPU) &&
                    std::thread::hardware_concurrency() >= 4),
      units_(driver::value<cl_uint>(device_id, CL_DEVICE_MAX_COMPUTE_UNITS, 1)),
      work_items_at_once_(items_at_once(device_id)) {
  const auto& cl = driver::real();
  context_ = cl.clCreateContext(properties, 1, &id, nullptr, nullptr, error);
  if (*error != CL_SUCCESS) return;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    // Only kernels whose time counts have an event whose times are asked for.
    const bool tells_times = !computes_in_caller && lane == index_of(engine::LaneKind::compute);
    queues_[lane].real = cl.clCreateCommandQueue(context_, id, tells_times ? CL_QUEUE_PROFILING_ENABLE : 0, error);
    if (*error != CL_SUCCESS) return;
  }
  const auto attach_thread = [target = lease] {
    if (target.client) target.client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
  };
  if (lease.client && !computes_in_caller && lease.share == 1)
    run_ahead_ = std::make_unique<RunAhead>(*lease.client, lease.index);
  completions_ = std::make_unique<CompletionQueue>(
      compute_queue(), queue(engine::LaneKind::compute).calls, "samcl-end" + std::to_string(index),
      run_ahead_ ? CompletionQueue::Device::leased : CompletionQueue::Device::own, attach_thread);
  submissions_ = std::make_unique<SubmissionQueue>("samcl-submit" + std::to_string(index));
  if (is_asynchronous() && gains_by_pinned_chunks(id)) {
    for (engine::LaneKind lane : {engine::LaneKind::up, engine::LaneKind::down}) {
      queue(lane).ring = std::make_unique<PinnedRing>(context_, queue(lane).real);
    }
  }
  constexpr std::array kNames{"samcl-gpu", "samcl-up", "samcl-down"};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    workers_[lane] = std::make_unique<Worker>(kNames[lane] + std::to_string(index), attach_thread);
  }
}

RealDevice::~RealDevice() {
  submissions_.reset();                          // its last job still uses what follows,
  for (auto& worker : workers_) worker.reset();  // and theirs the queues
  completions_.reset();
  const auto& cl = driver::real();
  for (Queue& queue : queues_) {
    queue.ring.reset();
    if (queue.real) cl.clReleaseCommandQueue(queue.real);
  }
  if (context_) cl.clReleaseContext(context_);
}

bool RealDevice::submits_on_thread() {
  // Fewer would be submitted before the thread is awake; and for few a new thread does not pay.
  constexpr size_t kBusy = 16;
  constexpr uint32_t kMany = 400;
  switch (Config::get().submission) {
    case Config::Submission::thread: return true;
    case Config::Submission::caller: return false;
    default: break;
  }
  if (!gives_a_core_ || completions_->pending() < kBusy) return false;
  return came_while_busy_ >= kMany || ++came_while_busy_ >= kMany;
}

uint64_t RealDevice::groups_at_once(uint64_t work_items) const {
  return units_ * std::max<uint64_t>(1, work_items_at_once_ / std::max<uint64_t>(1, work_items));
}

uint64_t RealDevice::busy_groups(uint64_t work_items) const {
  return work_items_at_once_ > 0 ? (groups_at_once(work_items) + 3) / 4 : units_;
}

void RealDevice::rest() const {
  const uint64_t now = now_ns(), until = pace_.rests_until();
  if (until > now) std::this_thread::sleep_for(std::chrono::nanoseconds(until - now));
}

bool RealDevice::drain(int milliseconds) {
  const cl_ulong until = now_ns() + static_cast<cl_ulong>(milliseconds) * 1'000'000;
  auto left = [until] {
    const cl_ulong now = now_ns();
    return now < until ? static_cast<int>((until - now) / 1'000'000) : 0;
  };
  bool idle = true;
  submissions_->drain();
  for (auto& worker : workers_) idle &= worker->drain(left());
  return (!completions_ || completions_->drain(left())) && idle;
}

void RealDevice::wake_threads() {
  submissions_->thread().post([] {});
  for (auto& worker : workers_) worker->post([] {});
  if (completions_) completions_->wake_thread();
}

lease::Lease RealDevice::link_lease() const {
  return trace::waiting("wait for the link",
                        [this] { return lease::Lease(lease.client, lease::ResourceKind::link, lease.index); });
}

template <typename Move>
cl_int RealDevice::in_chunks(engine::LaneKind lane, trace::Activity activity, uint64_t bytes, Move move) {
  lease::Lease link = link_lease();
  trace::Span span(activity, index, bytes);
  const uint64_t chunk = lease.client ? kChunk : bytes;
  for (uint64_t done = 0; done < bytes; done += chunk) {
    if (done > 0 && link.revoke_requested()) trace::waiting("give way", [&] { link.yield_if_revoked(); });
    Queue& on = queue(lane);
    std::lock_guard one_at_a_time(on.mutex);
    const cl_ulong begun = trace::on() ? now_ns() : 0;
    cl_int error = move(on.real, done, std::min(chunk, bytes - done));
    span.piece_since(begun);
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

void RealDevice::expect_transfers(uint64_t bytes) {
  // Devices beside the first one only get parts of what there is.
  if (bytes < PinnedRing::kLeast * (index == 0 ? 1 : 16) || expects_transfers_.exchange(true)) return;
  for (const engine::LaneKind lane : {engine::LaneKind::up, engine::LaneKind::down}) {
    if (queue(lane).ring) worker(lane).post([this, lane] { ring_for(lane, PinnedRing::kLeast, false); });
  }
}

PinnedRing* RealDevice::ring_for(engine::LaneKind lane, uint64_t bytes, bool goes_directly) {
  Queue& on = queue(lane);
  if (goes_directly || bytes < PinnedRing::kLeast || !on.ring) return nullptr;
  std::lock_guard one_at_a_time(on.mutex);
  return on.ring->is_ready() ? on.ring.get() : nullptr;
}

cl_int RealDevice::upload(engine::LaneKind lane, cl_mem to, Range range, const std::byte* from, Traffic& traffic,
                          const ImageLayout* image, bool is_locked) {
  const Stopwatch watch(traffic.upload_ns);
  traffic.uploaded_bytes += range.size();
  report::device(index).uploaded_bytes += range.size();
  if (PinnedRing* ring = ring_for(lane, range.size(), image || is_locked)) {
    const trace::Span span(trace::Activity::upload, index, range.size());
    std::lock_guard one_at_a_time(queue(lane).mutex);
    return ring->upload(to, range, from);
  }
  const auto& cl = driver::real();
  return in_chunks(lane, trace::Activity::upload, range.size(), [&](cl_command_queue on, uint64_t at, uint64_t length) {
    const uint64_t begin = range.begin + at;
    if (!image) return cl.clEnqueueWriteBuffer(on, to, CL_TRUE, begin, length, from + at, 0, nullptr, nullptr);
    return for_each_block(*image, {begin, begin + length}, [&](const ImageBlock& block, uint64_t done) {
      return cl.clEnqueueWriteImage(on, to, CL_TRUE, block.origin.data(), block.region.data(), 0, 0, from + at + done,
                                    0, nullptr, nullptr);
    });
  });
}

cl_int RealDevice::download(engine::LaneKind lane, cl_mem from, Range range, std::byte* to, Traffic& traffic,
                            const ImageLayout* image, bool is_locked) {
  const Stopwatch watch(traffic.download_ns);
  traffic.downloaded_bytes += range.size();
  report::device(index).downloaded_bytes += range.size();
  if (PinnedRing* ring = ring_for(lane, range.size(), image || is_locked)) {
    const trace::Span span(trace::Activity::download, index, range.size());
    std::lock_guard one_at_a_time(queue(lane).mutex);
    return ring->download(from, range, to);
  }
  const auto& cl = driver::real();
  return in_chunks(
      lane, trace::Activity::download, range.size(), [&](cl_command_queue on, uint64_t at, uint64_t length) {
        const uint64_t begin = range.begin + at;
        if (!image) return cl.clEnqueueReadBuffer(on, from, CL_TRUE, begin, length, to + at, 0, nullptr, nullptr);
        return for_each_block(*image, {begin, begin + length}, [&](const ImageBlock& block, uint64_t done) {
          return cl.clEnqueueReadImage(on, from, CL_TRUE, block.origin.data(), block.region.data(), 0, 0,
                                       to + at + done, 0, nullptr, nullptr);
        });
      });
}

cl_int RealDevice::upload_rows(engine::LaneKind lane, cl_mem to, const Rectangle& rows, const std::byte* from,
                               const Rectangle& host, Traffic& traffic) {
  const Stopwatch watch(traffic.upload_ns);
  traffic.uploaded_bytes += rows.bytes();
  report::device(index).uploaded_bytes += rows.bytes();
  return run_over_link(lane, trace::Activity::upload, rows.bytes(), [&](cl_command_queue on, cl_event* event) {
    return enqueue_rows(on, true, to, rows, const_cast<std::byte*>(from), host, event);
  });
}

cl_int RealDevice::download_rows(engine::LaneKind lane, cl_mem from, const Rectangle& rows, std::byte* to,
                                 const Rectangle& host, Traffic& traffic) {
  const Stopwatch watch(traffic.download_ns);
  traffic.downloaded_bytes += rows.bytes();
  report::device(index).downloaded_bytes += rows.bytes();
  return run_over_link(lane, trace::Activity::download, rows.bytes(), [&](cl_command_queue on, cl_event* event) {
    return enqueue_rows(on, false, from, rows, to, host, event);
  });
}

}  // namespace samcl
