#include "libsamcl/api/semaphore_command.h"

#include <CL/cl_ext.h>

#include <optional>
#include <utility>

#include "libsamcl/api/enqueue.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/hurry.h"
#include "libsamcl/objects/planner.h"

namespace samcl::api {
namespace {

using EventPtr = std::shared_ptr<Event>;

class SemaphoreCommand : public Command {
 public:
  SemaphoreCommand(Queue& queue, cl_command_queue real, bool waits, SemaphoreCall call)
      : context_(*queue.context), real_(real), waits_(waits), call_(std::move(call)) {
    if (waits) held_.emplace();
  }
  ~SemaphoreCommand() override {
    // An event of its wait list has failed: so does it.
    if (gate_) open(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    if (done_) driver::real().clReleaseEvent(done_);
  }

  bool comes_after_ends() const override { return true; }
  bool tells_what_will_be() const override { return !waits_; }

  cl_int offer(bool is_next) override {
    const auto& cl = driver::real();
    cl_int error = CL_SUCCESS;
    if (!is_next) {
      gate_ = cl.clCreateUserEvent(context_.devices[0]->context(), &error);
      if (error != CL_SUCCESS) return error;
      hurry_.emplace(context_);
    }
    error = std::exchange(call_, nullptr)(real_, gate_ ? 1 : 0, gate_ ? &gate_ : nullptr, &done_);
    if (error == CL_SUCCESS) cl.clFlush(real_);
    return error;
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    auto told = std::make_unique<EventPtr>(event);
    hurry_.reset();
    if (gate_) {
      if (const cl_int error = open(CL_COMPLETE); error != CL_SUCCESS) return error;
      driver::real().clFlush(real_);
    }
    event->set_running();
    const cl_int error = driver::real().clSetEventCallback(done_, CL_COMPLETE, tell_end, told.get());
    if (error != CL_SUCCESS) return error;
    static_cast<void>(told.release());  // tell_end() has it
    planner.await();
    return CL_SUCCESS;
  }

 private:
  cl_int open(cl_int status) {
    const cl_event gate = std::exchange(gate_, nullptr);
    const cl_int error = driver::real().clSetUserEventStatus(gate, status);
    driver::real().clReleaseEvent(gate);
    return error;
  }

  // Perhaps on a thread of ours that holds the graph's lock.
  static void CL_CALLBACK tell_end(cl_event, cl_int status, void* told) {
    const std::unique_ptr<EventPtr> event(static_cast<EventPtr*>(told));
    Context& context = *(*event)->context;
    try {
      context.semaphores.post([event = std::move(*event), status] {
        event->context->graph.awaited_ended(event, status < 0 ? status : CL_SUCCESS);
      });
    } catch (...) {  // no memory, nor anybody to tell: to the program it is a semaphore that nobody signals
    }
  }

  Context& context_;             // its event holds it
  const cl_command_queue real_;  // and the queue
  const bool waits_;
  SemaphoreCall call_;
  cl_event gate_ = nullptr, done_ = nullptr;
  std::optional<Hurry> hurry_;  // while it waits for what comes before it
  std::optional<Event::HeldByProgram> held_;
};

}  // namespace

cl_int enqueue_semaphore_command(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                                 const cl_event* waits, const std::vector<EventPtr>& after, cl_event* event,
                                 SemaphoreCall call, EventPtr& entered) {
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  before.events.insert(before.events.end(), after.begin(), after.end());
  cl_int error = CL_SUCCESS;
  const cl_command_queue real = queue->for_semaphores(&error);
  if (!real) return error;
  const bool is_wait = type == CL_COMMAND_SEMAPHORE_WAIT_KHR;
  cl_event handle = nullptr;
  error = enqueue(queue, type, std::make_unique<SemaphoreCommand>(*queue, real, is_wait, std::move(call)),
                  before.events, &handle, false);
  if (error != CL_SUCCESS) return error;
  entered = find<Event>(handle);
  if (event) {
    *event = handle;
  } else {
    entered->release();
  }
  return CL_SUCCESS;
}

}  // namespace samcl::api
