#include "libsamcl/device/timelines.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "libsamcl/device/peer_memory.h"
#include "libsamcl/device/range_copies.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/owned.h"
#include "libsamcl/driver/vendor.h"

namespace samcl {
namespace {

constexpr char kSource[] = R"(
kernel void samcl_tell(global volatile ulong* word, ulong position) { *word = position; }

kernel void samcl_wait(global volatile const ulong* word, ulong position) {
  while (*word < position) {}
}
)";

constexpr uint64_t kBytes = 256 << 10;  // the least that is given
// What the work-groups of one run copy about as fast as a command does, and those of one kernel.
constexpr uint64_t kLongestRun = 4 << 20, kMostCopied = 8 << 20;
constexpr cl_ulong kLetGo = std::numeric_limits<cl_ulong>::max();
constexpr size_t kOne = 1;

}  // namespace

Timelines::Timelines(const Devices& devices, std::shared_ptr<PeerMemory> memory)
    : devices_(devices),
      memory_(std::move(memory)),
      copies_wait_(driver::is_gpu(devices[0]->id)),
      lines_(devices.size()) {
  for (Line& line : lines_) {
    line.awaited.resize(devices.size());
    line.wait.resize(devices.size());
    line.words.resize(devices.size());
  }
}

Timelines::~Timelines() {
  const auto& cl = driver::real();
  for (const Line& line : lines_) {
    if (line.tell) cl.clReleaseKernel(line.tell);
    for (const cl_kernel wait : line.wait) {
      if (wait) cl.clReleaseKernel(wait);
    }
  }
}

void Timelines::prepare() {
  State unasked = State::unasked;
  if (state_.load(std::memory_order_relaxed) != unasked ||
      !state_.compare_exchange_strong(unasked, State::being_made)) {
    return;
  }
  try {
    // Under a lease the compute lane's thread gives the device what it has to do.
    const bool feeds = devices_[0]->run_ahead() != nullptr;
    devices_[0]->worker(feeds ? engine::LaneKind::down : engine::LaneKind::compute).post([this] { make(); });
  } catch (...) {  // no thread, no memory
    state_ = State::unable;
  }
}

void Timelines::make() {
  bool made = true;
  try {
    for (const auto& device : devices_) made = made && make_line(*device);
    for (const auto& device : devices_) made = made && sees_others(*device);
    for (const auto& device : devices_) made = made && clear_word(*device);
  } catch (...) {  // no memory
    made = false;
  }
  State being_made = State::being_made;
  state_.compare_exchange_strong(being_made, made ? State::made : State::unable);
}

// With all that it takes on that device; its word is told once, to be seen.
bool Timelines::make_line(RealDevice& device) {
  const auto& cl = driver::real();
  const char* text = kSource;
  cl_int error = CL_SUCCESS;
  Line& line = lines_[device.index];
  line.word = memory_->allocate(device.index, kBytes, PeerMemory::Size::worth_it);
  const cl_mem word = line.word ? line.word->seen_by(device.index) : nullptr;
  const driver::Owned<cl_program> program(cl.clCreateProgramWithSource(device.context(), 1, &text, nullptr, &error),
                                          cl.clReleaseProgram);
  if (!word || !program || cl.clBuildProgram(program.get(), 1, &device.id, "", nullptr, nullptr) != CL_SUCCESS)
    return false;
  line.tell = cl.clCreateKernel(program.get(), "samcl_tell", &error);
  if (!line.tell || cl.clSetKernelArg(line.tell, 0, sizeof word, &word) != CL_SUCCESS) return false;
  line.copies = std::make_unique<RangeCopies>(device);
  if (!line.copies->build()) line.copies.reset();
  for (cl_kernel& wait : line.wait) {
    wait = cl.clCreateKernel(program.get(), "samcl_wait", &error);
    if (!wait) return false;
  }
  if (!clear_word(device)) return false;
  const cl_ulong first = 1;
  RealDevice::Queue& up = device.queue(engine::LaneKind::up);
  const std::lock_guard one_at_a_time(up.mutex);
  return cl.clSetKernelArg(line.tell, 1, sizeof first, &first) == CL_SUCCESS &&
         cl.clEnqueueNDRangeKernel(up.real, line.tell, 1, nullptr, &kOne, &kOne, 0, nullptr, nullptr) == CL_SUCCESS &&
         cl.clFinish(up.real) == CL_SUCCESS;
}

// It tells of nothing yet.
bool Timelines::clear_word(RealDevice& device) const {
  const cl_ulong zero = 0;
  const cl_mem word = lines_[device.index].word->seen_by(device.index);
  RealDevice::Queue& up = device.queue(engine::LaneKind::up);
  const std::lock_guard one_at_a_time(up.mutex);
  return driver::real().clEnqueueWriteBuffer(up.real, word, CL_TRUE, 0, sizeof zero, &zero, 0, nullptr, nullptr) ==
         CL_SUCCESS;
}

// What each told. Waits get the words that they look at.
bool Timelines::sees_others(RealDevice& device) {
  const auto& cl = driver::real();
  Line& line = lines_[device.index];
  RealDevice::Queue& up = device.queue(engine::LaneKind::up);
  const std::lock_guard one_at_a_time(up.mutex);
  for (size_t other = 0; other < lines_.size(); ++other) {
    const cl_mem word = line.words[other] = lines_[other].word->seen_by(device.index);
    cl_ulong told = 0;
    if (!word ||
        cl.clEnqueueReadBuffer(up.real, word, CL_TRUE, 0, sizeof told, &told, 0, nullptr, nullptr) != CL_SUCCESS)
      return false;
    if (told != 1 || cl.clSetKernelArg(line.wait[other], 0, sizeof word, &word) != CL_SUCCESS) return false;
  }
  return true;
}

bool Timelines::begins_to_wait(unsigned device, const Reached& after) {
  uint64_t& awaited = lines_[device].awaited[after.device];
  if (awaited >= after.position) return false;
  awaited = after.position;
  return true;
}

void Timelines::tell(RealDevice& on, uint64_t position) {
  const auto& cl = driver::real();
  Line& line = lines_[on.index];
  const std::lock_guard one_at_a_time(on.queue(engine::LaneKind::compute).calls);
  if (line.told.load(std::memory_order_relaxed) >= position) return;
  const cl_ulong value = position;
  const cl_command_queue queue = on.compute_queue();
  cl_int error = cl.clSetKernelArg(line.tell, 1, sizeof value, &value);
  if (error == CL_SUCCESS)
    error = cl.clEnqueueNDRangeKernel(queue, line.tell, 1, nullptr, &kOne, &kOne, 0, nullptr, nullptr);
  if (error == CL_SUCCESS) error = cl.clFlush(queue);
  // The driver takes no such kernel now: the host waits, and tells. A queue that cannot even be waited for is lost.
  if (error != CL_SUCCESS) write_word(on.index, cl.clFinish(queue) == CL_SUCCESS ? value : kLetGo);
  line.told.store(position, std::memory_order_release);
}

void Timelines::have_told(const Reached& after) {
  Line& line = lines_[after.device];
  if (line.told.load(std::memory_order_acquire) >= after.position) return;
  tell(*devices_[after.device], line.given.load(std::memory_order_acquire));
}

cl_int Timelines::wait(RealDevice& on, const Reached& after, bool is_timed) {
  const auto& cl = driver::real();
  have_told(after);
  const cl_ulong value = after.position;
  const cl_kernel wait = lines_[on.index].wait[after.device];
  const std::lock_guard one_at_a_time(on.queue(engine::LaneKind::compute).calls);
  const cl_command_queue queue = is_timed ? on.compute_queue(ComputeQueues::Use::timed) : on.compute_queue();
  const cl_int error = cl.clSetKernelArg(wait, 1, sizeof value, &value);
  return error != CL_SUCCESS ? error
                             : cl.clEnqueueNDRangeKernel(queue, wait, 1, nullptr, &kOne, &kOne, 0, nullptr, nullptr);
}

std::optional<cl_int> Timelines::copy(RealDevice& on, const Reached* after, cl_mem from, cl_mem to,
                                      const RectanglePairs& runs, const EventWanted& wanted) {
  Line& line = lines_[on.index];
  if (!line.copies || (after && !copies_wait_) || runs.size() > RangeCopies::kMost) return std::nullopt;
  uint64_t bytes = 0, longest = 0;
  for (const auto& [source, target] : runs) {
    longest = std::max(longest, source.bytes());
    bytes += source.bytes();
  }
  if (longest > kLongestRun || bytes > kMostCopied) return std::nullopt;
  if (after) have_told(*after);
  const std::lock_guard one_at_a_time(on.queue(engine::LaneKind::compute).calls);
  RangeCopies::InOrder order;
  order.position = line.given.load(std::memory_order_relaxed);
  if (line.told.load(std::memory_order_relaxed) < order.position) order.own = line.words[on.index];
  if (after) order.other = line.words[after->device];
  if (after) order.awaited = after->position;
  const cl_command_queue queue = on.compute_queue(ComputeQueues::use_for(wanted));
  const auto error = line.copies->enqueue(queue, from, to, runs, wanted.event, &order);
  if (error != CL_SUCCESS || !order.own) return error;
  if (driver::real().clFlush(queue) == CL_SUCCESS) line.told.store(order.position, std::memory_order_release);
  return error;
}

void Timelines::let_go(unsigned device) {
  const State before = state_.exchange(State::unable);
  if (before != State::unasked && before != State::being_made) write_word(device, kLetGo);
}

// By the queue of another device, which sees it too.
void Timelines::write_word(unsigned device, const cl_ulong& value) const {
  const auto& cl = driver::real();
  for (const auto& other : devices_) {
    const cl_mem word = other->index == device ? nullptr : lines_[other->index].words[device];
    if (!word) continue;
    RealDevice::Queue& up = other->queue(engine::LaneKind::up);
    const std::lock_guard one_at_a_time(up.calls);
    if (cl.clEnqueueWriteBuffer(up.real, word, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr) == CL_SUCCESS)
      return;
  }
}

}  // namespace samcl
