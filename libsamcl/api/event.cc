// Events: waiting for them, asking them, being called by them, and setting those of the program itself.
#include "libsamcl/objects/event.h"

#include <CL/cl.h>

#include <algorithm>
#include <memory>
#include <span>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/api/info.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/queue.h"

namespace samcl::api {
namespace {

// The context of a real event: ours if one of our contexts made it, for an image say, else the driver's.
// nullptr if it is no event.
cl_context context_of_real(cl_event event) {
  cl_context real = nullptr;
  if (driver::real().clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(real), &real, nullptr) != CL_SUCCESS)
    return nullptr;
  return Context::to_program(real);
}

// CL_COMPLETE or a negative error.
cl_int wait_for_real(cl_event event) {
  const cl_int error = driver::real().clWaitForEvents(1, &event);
  return error < 0 ? error : CL_COMPLETE;
}

cl_int wait_for_all(std::span<const cl_event> events) {
  std::vector<std::shared_ptr<Event>> ours(events.size());
  cl_context context = nullptr;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!events[i]) return CL_INVALID_EVENT;
    if (is_virtual(events[i])) ours[i] = find<Event>(events[i]);
    if (is_virtual(events[i]) && !ours[i]) return CL_INVALID_EVENT;
    const cl_context its = ours[i] ? ours[i]->context->api() : context_of_real(events[i]);
    if (!its) return CL_INVALID_EVENT;
    if (context && its != context) return CL_INVALID_CONTEXT;
    context = its;
  }
  cl_int result = CL_SUCCESS;
  for (size_t i = events.size(); i-- > 0;) {  // when the last has ended those before it mostly have, too
    const cl_int status = ours[i] ? wait_for(*ours[i]) : wait_for_real(events[i]);
    if (status < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return result;
}

}  // namespace

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int* errcode_ret) {
  if (!context) return failed(errcode_ret, CL_INVALID_CONTEXT);
  if (!is_virtual(context)) return driver::real().clCreateUserEvent(context, errcode_ret);
  auto ours = find<Context>(context);
  if (!ours) return failed(errcode_ret, CL_INVALID_CONTEXT);
  return created(errcode_ret, Event::hand_out(Event::make_shared(std::move(ours), nullptr, CL_COMMAND_USER)));
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
  if (!event) return CL_INVALID_EVENT;
  if (!is_virtual(event)) return driver::real().clSetUserEventStatus(event, status);
  const auto ours = find<Event>(event);
  if (!ours || ours->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
  if (status > CL_COMPLETE) return CL_INVALID_VALUE;
  if (!ours->claim_user_status()) return CL_INVALID_OPERATION;
  ours->context->graph.finish(ours, status);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clWaitForEvents(cl_uint num_events, const cl_event* event_list) {
  if (num_events == 0 || !event_list) return CL_INVALID_VALUE;
  const std::span events(event_list, num_events);
  if (std::none_of(events.begin(), events.end(), [](cl_event event) { return is_virtual(event); }))
    return driver::real().clWaitForEvents(num_events, event_list);
  return wait_for_all(events);
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void* value, size_t* size_ret) {
  if (!event) return CL_INVALID_EVENT;
  const Answer answer{size, value, size_ret};
  if (!is_virtual(event)) {
    if (name != CL_EVENT_CONTEXT) return driver::real().clGetEventInfo(event, name, size, value, size_ret);
    const cl_context context = context_of_real(event);
    return context ? answer.with<cl_context>(context) : CL_INVALID_EVENT;
  }
  const auto ours = find<Event>(event);
  if (!ours) return CL_INVALID_EVENT;
  switch (name) {
    case CL_EVENT_COMMAND_QUEUE: return answer.with<cl_command_queue>(ours->queue ? ours->queue->api() : nullptr);
    case CL_EVENT_CONTEXT: return answer.with<cl_context>(ours->context->api());
    case CL_EVENT_COMMAND_TYPE: return answer.with<cl_command_type>(ours->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
      Worker::run_stranded_at_end();  // it may be how the program waits
      return answer.with<cl_int>(ours->look());
    case CL_EVENT_REFERENCE_COUNT: return answer.with<cl_uint>(ours->references());
    default: return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL clRetainEvent(cl_event event) {
  if (!event) return CL_INVALID_EVENT;
  if (!is_virtual(event)) return driver::real().clRetainEvent(event);
  const auto ours = find<Event>(event);
  if (!ours) return CL_INVALID_EVENT;
  ours->retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  if (!event) return CL_INVALID_EVENT;
  if (!is_virtual(event)) return driver::real().clReleaseEvent(event);
  const auto ours = find<Event>(event);
  if (!ours) return CL_INVALID_EVENT;
  ours->release();
  return CL_SUCCESS;
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int at, Event::Callback callback, void* user_data) {
  if (!event) return CL_INVALID_EVENT;
  if (!is_virtual(event)) return driver::real().clSetEventCallback(event, at, callback, user_data);
  const auto ours = find<Event>(event);
  if (!ours) return CL_INVALID_EVENT;
  if (!callback || (at != CL_SUBMITTED && at != CL_RUNNING && at != CL_COMPLETE)) return CL_INVALID_VALUE;
  ours->add_callback(at, callback, user_data);
  return CL_SUCCESS;
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void* value,
                                           size_t* size_ret) {
  if (!event) return CL_INVALID_EVENT;
  if (!is_virtual(event)) return driver::real().clGetEventProfilingInfo(event, name, size, value, size_ret);
  const auto ours = find<Event>(event);
  if (!ours) return CL_INVALID_EVENT;
  if (!ours->has_times || ours->present_status() != CL_COMPLETE) return CL_PROFILING_INFO_NOT_AVAILABLE;
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
    case CL_PROFILING_COMMAND_SUBMIT:
    case CL_PROFILING_COMMAND_START:
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: return Answer{size, value, size_ret}.with<cl_ulong>(ours->time(name));
    default: return CL_INVALID_VALUE;
  }
}

}  // namespace samcl::api
