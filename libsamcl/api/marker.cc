// Markers and barriers: commands that do nothing but take a place in their queue's order.
#include <CL/cl.h>

#include <algorithm>
#include <memory>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/queue.h"
#include "libsamcl/observe/trace.h"

namespace samcl::api {
namespace {

cl_int enqueue_empty(cl_command_queue queue, cl_command_type type, Order order, cl_uint wait_count,
                     const cl_event* waits, cl_event* event) {
  const auto ours = find<Queue>(queue);
  if (!ours) return CL_INVALID_COMMAND_QUEUE;
  Waits before = wait_list(*ours->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  const auto is_of_it = [&](const std::shared_ptr<Event>& each) { return ours->in_order() && each->queue == ours; };
  const bool changes_nothing = !event && !trace::observes() && !ours->context->has_lost_device &&
                               std::ranges::all_of(before.events, is_of_it) &&
                               ours->context->graph.is_ordered(ours, order);
  if (changes_nothing) return CL_SUCCESS;
  return enqueue(ours, type, std::make_unique<EmptyCommand>(), before.events, event, false, order);
}

}  // namespace

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event* waits,
                                               cl_event* event) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clEnqueueMarkerWithWaitList(queue, wait_count, waits, event);
  return enqueue_empty(queue, CL_COMMAND_MARKER, Order::marker, wait_count, waits, event);
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event* waits,
                                                cl_event* event) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clEnqueueBarrierWithWaitList(queue, wait_count, waits, event);
  return enqueue_empty(queue, CL_COMMAND_BARRIER, Order::barrier, wait_count, waits, event);
}

// The three below are of OpenCL 1.0; in 1.1 and later they are the two above.
cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event* event) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clEnqueueMarker(queue, event);
  if (!find<Queue>(queue)) return CL_INVALID_COMMAND_QUEUE;
  if (!event) return CL_INVALID_VALUE;
  return enqueue_empty(queue, CL_COMMAND_MARKER, Order::marker, 0, nullptr, event);
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clEnqueueBarrier(queue);
  return enqueue_empty(queue, CL_COMMAND_BARRIER, Order::barrier, 0, nullptr, nullptr);
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events, const cl_event* events) {
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  if (!is_virtual(queue)) return driver::real().clEnqueueWaitForEvents(queue, num_events, events);
  if (!find<Queue>(queue)) return CL_INVALID_COMMAND_QUEUE;
  if (num_events == 0 || !events) return CL_INVALID_VALUE;
  const cl_int error = enqueue_empty(queue, CL_COMMAND_BARRIER, Order::barrier, num_events, events, nullptr);
  return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
}

}  // namespace samcl::api
