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
    if (done_) driver::real().clReleaseEvent(done_);
  }

  bool comes_after_ends() const override { return true; }
  bool tells_what_will_be() const override { return !waits_; }

  cl_int offer(bool is_next) override {
    if (is_next) return give();
    hurry_.emplace(context_);
    return CL_SUCCESS;
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    auto told = std::make_unique<EventPtr>(event);
    hurry_.reset();
    cl_int error = call_ ? give() : CL_SUCCESS;
    if (error != CL_SUCCESS) return error;
    event->set_running();
    error = driver::real().clSetEventCallback(done_, CL_COMPLETE, tell_end, told.get());
    if (error != CL_SUCCESS) return error;
    static_cast<void>(told.release());  // tell_end() has it
    planner.await();
    return CL_SUCCESS;
  }

 private:
  cl_int give() {
    const cl_int error = std::exchange(call_, nullptr)(real_, &done_);
    if (error == CL_SUCCESS) driver::real().clFlush(real_);
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
  cl_event done_ = nullptr;
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
