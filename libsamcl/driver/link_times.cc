#include "libsamcl/driver/link_times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/event_end.h"
#include "libsamcl/driver/owned.h"

namespace samcl::driver {
namespace {

constexpr int kTries = 3;  // the fastest counts: what else goes on only adds to it
constexpr auto kMovesWithin = std::chrono::milliseconds(500);

// move(bytes): moves them, waits, and returns the driver's code.
template <typename Move>
std::optional<uint64_t> least_ns(size_t bytes, const Move& move) {
  uint64_t least = UINT64_MAX;
  // The first one is not counted: some drivers provide the memory with it.
  for (int i = 0; i <= kTries; ++i) {
    const uint64_t begun = now_ns();
    if (move(bytes) != CL_SUCCESS) return std::nullopt;
    if (i > 0) least = std::min(least, now_ns() - begun);
  }
  return least;
}

template <typename Move>
std::optional<LinkTimes> times_of(const Move& move) {
  const auto few = least_ns(LinkTimes::kFew, move);
  const auto many = few ? least_ns(LinkTimes::kMany, move) : std::nullopt;
  return many ? std::optional(LinkTimes{*few, *many}) : std::nullopt;
}

Owned<cl_mem> make_buffer(cl_context context, size_t bytes) {
  cl_int error;
  return {real().clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &error), real().clReleaseMemObject};
}

// Two devices of one context, and what is moved between them.
class Pair {
 public:
  Pair(cl_device_id from, cl_device_id to) : from_(from), to_(to) {}

  bool is_made() const {
    return context_ && from_queue_ && to_queue_ && source_ && target_ && little_ && much_ &&
           real().clEnqueueWriteBuffer(from_queue_.get(), source_.get(), CL_TRUE, 0, LinkTimes::kMany, memory_.data(),
                                       0, nullptr, nullptr) == CL_SUCCESS;
  }

  cl_int through_host(size_t bytes) {
    const auto& cl = real();
    const cl_int read = cl.clEnqueueReadBuffer(from_queue_.get(), source_.get(), CL_TRUE, 0, bytes, memory_.data(), 0,
                                               nullptr, nullptr);
    if (read != CL_SUCCESS) return read;
    return cl.clEnqueueWriteBuffer(to_queue_.get(), target_.get(), CL_TRUE, 0, bytes, memory_.data(), 0, nullptr,
                                   nullptr);
  }

  // By the commands that device/one_context.h gives. *moved: the end of the last.
  cl_int move(size_t bytes, cl_event* moved) const {
    const auto& cl = real();
    const cl_mem staging = (bytes == LinkTimes::kFew ? little_ : much_).get();
    cl_event event = nullptr;
    cl_int error = cl.clEnqueueCopyBuffer(from_queue_.get(), source_.get(), staging, 0, 0, bytes, 0, nullptr, &event);
    if (error != CL_SUCCESS) return error;
    const Owned<cl_event> copied(event, cl.clReleaseEvent);
    cl.clFlush(from_queue_.get());
    error = cl.clEnqueueMigrateMemObjects(to_queue_.get(), 1, &staging, 0, 1, &event, nullptr);
    if (error != CL_SUCCESS) return error;
    error = cl.clEnqueueCopyBuffer(to_queue_.get(), staging, target_.get(), 0, 0, bytes, 0, nullptr, moved);
    cl.clFlush(to_queue_.get());
    return error;
  }

  // Whether the driver does that at all.
  bool moves() const {
    cl_event event = nullptr;
    if (move(LinkTimes::kFew, &event) != CL_SUCCESS) return false;
    const Owned<cl_event> moved(event, real().clReleaseEvent);
    return ends_well(event, kMovesWithin);
  }

  cl_int in_one_context(size_t bytes) const {
    cl_event event = nullptr;
    const cl_int error = move(bytes, &event);
    if (error != CL_SUCCESS) return error;
    const Owned<cl_event> moved(event, real().clReleaseEvent);
    return real().clWaitForEvents(1, &event);
  }

 private:
  Owned<cl_context> make_context() const {
    const std::array both{from_, to_};
    cl_int error;
    return {real().clCreateContext(nullptr, 2, both.data(), nullptr, nullptr, &error), real().clReleaseContext};
  }
  Owned<cl_command_queue> make_queue(cl_device_id device) const {
    cl_int error;
    return {real().clCreateCommandQueue(context_.get(), device, 0, &error), real().clReleaseCommandQueue};
  }

  const cl_device_id from_, to_;
  const Owned<cl_context> context_ = make_context();
  const Owned<cl_command_queue> from_queue_ = make_queue(from_), to_queue_ = make_queue(to_);
  const Owned<cl_mem> source_ = make_buffer(context_.get(), LinkTimes::kMany);
  const Owned<cl_mem> target_ = make_buffer(context_.get(), LinkTimes::kMany);
  const Owned<cl_mem> little_ = make_buffer(context_.get(), LinkTimes::kFew);
  const Owned<cl_mem> much_ = make_buffer(context_.get(), LinkTimes::kMany);
  std::vector<std::byte> memory_ = std::vector<std::byte>(LinkTimes::kMany);
};

}  // namespace

std::optional<LinkTimes> measure_link(cl_context context, cl_command_queue queue) {
  const Owned<cl_mem> buffer = make_buffer(context, LinkTimes::kMany);
  if (!buffer) return std::nullopt;
  const std::vector<std::byte> memory(LinkTimes::kMany);
  return times_of([&](size_t bytes) {
    return real().clEnqueueWriteBuffer(queue, buffer.get(), CL_TRUE, 0, bytes, memory.data(), 0, nullptr, nullptr);
  });
}

std::optional<uint64_t> ExchangeTimes::least_in_one_context() const {
  if (!is_faster_in_one_context(kPiece)) return std::nullopt;
  const double later = in_one_context.ns(0) - through_host.ns(0);                             // than through the host
  const double gained = 1 / through_host.bytes_per_ns() - 1 / in_one_context.bytes_per_ns();  // ns, by each byte
  return later > 0 ? static_cast<uint64_t>(later / gained) + 1 : 0;
}

std::optional<ExchangeTimes> measure_exchange(cl_device_id from, cl_device_id to) {
  auto pair = std::make_unique<Pair>(from, to);
  if (!pair->is_made()) return std::nullopt;
  if (!pair->moves()) {
    static_cast<void>(pair.release());  // a driver that has lost a command may wait for it when its queue goes
    return std::nullopt;
  }
  const auto through_host = times_of([&](size_t bytes) { return pair->through_host(bytes); });
  const auto in_one_context = times_of([&](size_t bytes) { return pair->in_one_context(bytes); });
  if (!through_host || !in_one_context) return std::nullopt;
  return ExchangeTimes{*through_host, *in_one_context};
}

}  // namespace samcl::driver
