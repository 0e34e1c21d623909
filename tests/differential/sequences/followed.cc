#include "tests/differential/sequences/followed.h"

#include "tests/differential/sequences/contents.h"
#include "tests/differential/sequences/wrong.h"

namespace sequences {
namespace {

constexpr cl_int kFailed = -1;

bench::Queue loose_queue(cl_context context, cl_device_id device) {
  static constexpr cl_queue_properties kLoose[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int status = CL_SUCCESS;
  bench::Queue made(clCreateCommandQueueWithProperties(context, device, kLoose, &status));
  must_succeed(status, "clCreateCommandQueueWithProperties");
  return made;
}

}  // namespace

Followed::Followed(cl_context context, cl_device_id device, cl_mem buffer, const Step& step)
    : context_(context), device_(device), step_(step), fills_(1 + step.seed % 3) {
  cl_int status = CL_SUCCESS;
  done_ = bench::Handle<cl_event, clReleaseEvent>(clCreateUserEvent(context, &status));
  must_succeed(status, "clCreateUserEvent");
  MUST(clRetainMemObject(buffer));
  buffer_ = bench::Buffer(buffer);
  if (step.seed % 2) queue_ = loose_queue(context, device);
}

void Followed::begin(cl_event before) { MUST(clSetEventCallback(before, CL_COMPLETE, next, this)); }

void CL_CALLBACK Followed::next(cl_event, cl_int status, void* self) {
  auto* followed = static_cast<Followed*>(self);
  try {
    if (status != CL_COMPLETE) throw Wrong{"a callback that enqueues got status " + std::to_string(status)};
    if (followed->filled_ == followed->fills_) return followed->end("");
    followed->fill();
  } catch (const Wrong& wrong) {
    followed->end(wrong.what);
  }
}

void Followed::fill() {
  // The last one's pattern is the one that counts.
  ++filled_;
  const auto pattern = random_bytes(step_.seed + fills_ - filled_, step_.pattern);
  if (queue_.get()) MUST(clRetainCommandQueue(queue_.get()));
  const bench::Queue queue = queue_.get() ? bench::Queue(queue_.get()) : loose_queue(context_, device_);
  cl_event event = nullptr;
  MUST(clEnqueueFillBuffer(queue.get(), buffer_.get(), pattern.data(), step_.pattern, step_.offset, step_.bytes, 0,
                           nullptr, &event));
  const bench::Handle<cl_event, clReleaseEvent> filled(event);
  MUST(clFlush(queue.get()));
  MUST(clSetEventCallback(event, CL_COMPLETE, next, this));  // which may come at once, and be the last
}

void Followed::end(const std::string& wrong) {
  wrong_ = wrong;
  buffer_ = bench::Buffer();
  queue_ = bench::Queue();
  const cl_int status = clSetUserEventStatus(done_.get(), wrong.empty() ? CL_COMPLETE : kFailed);
  if (status != CL_SUCCESS && wrong.empty())
    wrong_ = "clSetUserEventStatus in a callback gave " + std::to_string(status);
  over_ = true;
}

}  // namespace sequences
