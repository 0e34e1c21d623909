#include "libsamcl/api/enqueue.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "libsamcl/device/run_ahead.h"
#include "libsamcl/objects/arriving.h"
#include "libsamcl/plan/what_if.h"
#include "libsamcl/threads/spin.h"

namespace samcl::api {
namespace {

// For how long a thread of the program waits for a feeder, in spin_until()s.
constexpr int kLooks = 10;
constexpr uint64_t kLongestWaitForRoomNs = 100'000'000;
constexpr std::chrono::microseconds kBetweenLooks{50};

// A thread that gives work to a managed device is part of its task: the task's priority holds for it too, or
// less urgent tasks that compute on the CPU would keep it from releasing its next job.
void attach_calling_thread(const Context& context) {
  thread_local lease::Client* attached_to = nullptr;
  lease::Client* client = context.devices[0]->lease.client;
  if (!client || client == attached_to) return;
  attached_to = client;
  client->attach_thread(static_cast<int>(syscall(SYS_gettid)));
}

// The job under way may have a GPU to itself, on which its commands are planned. Our own threads, which call the
// program back, never wait: what they keep from going on may have what others wait for.
void await_gpu(const Context& context) {
  lease::Client* client = context.devices[0]->lease.client;
  if (client && !Worker::is_own_thread()) client->await_gpu();
}

// What comes when the devices have all that they may have at a time would wait for other devices' in the host, which
// takes as long as a short launch. So the program waits before.
void wait_for_room(const Context& context) {
  std::optional<uint64_t> until;
  for (const auto& device : context.devices) {
    while (device->run_ahead() && device->run_ahead()->is_full_of_short_ones()) {
      if (!until) until = now_ns() + kLongestWaitForRoomNs;
      if (now_ns() >= *until) return;
      if (!device->completions().help(nullptr)) std::this_thread::sleep_for(kBetweenLooks);
    }
  }
}

}  // namespace

void join_task(const Context& context) {
  attach_calling_thread(context);
  await_gpu(context);
  if (!context.is_managed() || Worker::is_own_thread()) return;
  if (context.orders_itself()) wait_for_room(context);
  for (const auto& device : context.devices) {
    const RunAhead* const ahead = device->run_ahead();
    for (int looks = 0; ahead && ahead->catches_up() && looks < kLooks; ++looks)
      spin_until([&] { return !ahead->catches_up(); });
  }
}

namespace {

void take_back(Event& event, cl_event* event_out) {
  *event_out = nullptr;
  event.release();
}

}  // namespace

namespace {

// wait: called when all that this thread has to do for it is done.
template <typename Is, typename Wait>
void wait_until(const Event& event, const Is& is_done, const Wait& wait) {
  Worker::run_stranded();
  while (Worker::ends_process_here()) {
    Worker::run_stranded_at_end();
    if (is_done()) break;
    // What runs on our threads still may leave more to do.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  wait();
  event.context->program_waited();
  if (WhatIf* const what_if = WhatIf::wanted()) event.context->graph.locked([&] { what_if->waited(); });
}

}  // namespace

cl_int wait_for(Event& event) {
  cl_int status = CL_COMPLETE;
  wait_until(event, [&] { return event.ended(); }, [&] { status = event.wait(); });
  return status;
}

void finish(const Queue& queue) {
  Context& context = *queue.context;
  const std::shared_ptr<Event> followed = context.may_leave_untold() ? context.graph.followed(queue) : nullptr;
  if (followed && !Worker::ends_process_here() && followed->wait_untold()) return context.program_waited();
  for (const auto& event : context.graph.outstanding(queue))
    wait_until(*event, [&] { return event->is_over(); }, [&] { event->wait_until_over(); });
}

Waits wait_list(const Context& context, cl_uint count, const cl_event* list) {
  Waits waits;
  if ((count == 0) != (list == nullptr)) return {CL_INVALID_EVENT_WAIT_LIST, {}};
  for (cl_uint i = 0; i < count; ++i) {
    auto event = find<Event>(list[i]);
    if (!event) return {CL_INVALID_EVENT_WAIT_LIST, {}};
    if (event->context.get() != &context) return {CL_INVALID_CONTEXT, {}};
    waits.events.push_back(std::move(event));
  }
  return waits;
}

namespace {

// What a short read brings, when that operation is over.
cl_int await(Arriving& arriving, Event& operation) {
  Context& context = *operation.context;
  cl_int error = CL_SUCCESS;
  if (operation.wait_untold()) {
    context.program_waited();
  } else {
    wait_until(operation, [&] { return operation.is_over(); }, [&] { operation.wait_until_over(); });
    error = context.graph.error_of(operation);
  }
  if (error == CL_SUCCESS) arriving.take();
  return error;
}

// A short transfer that the program waits for, behind launches that are all there is: one more command of the same
// operation, at once or when these have run, or a few bytes of the host's. nullopt: it has to be submitted.
std::optional<cl_int> transfer_behind(const std::shared_ptr<Queue>& queue, cl_command_type type, const Command& command,
                                      std::span<const std::shared_ptr<Event>> waits) {
  Context& context = *queue->context;
  const bool is_map = type == CL_COMMAND_MAP_BUFFER;
  if (!queue->in_order() || (type != CL_COMMAND_READ_BUFFER && type != CL_COMMAND_WRITE_BUFFER && !is_map))
    return std::nullopt;
  if (!command.on_device(0) || !context.may_leave_untold() || Worker::ends_process_here()) return std::nullopt;
  const auto follow = [&]() -> std::optional<cl_int> {
    Arriving arriving;
    const auto operation = context.graph.follow(queue, type, command, waits, arriving, nullptr);
    if (!operation) return std::nullopt;
    return arriving.awaits_any() ? await(arriving, *operation) : CL_SUCCESS;
  };
  if (const auto done = follow()) return done;
  const std::shared_ptr<Event> followed = context.graph.followed(*queue);
  if (!followed || !followed->wait_untold()) return std::nullopt;
  if (context.graph.do_at_once(queue, command, waits)) {
    context.program_waited();
    return CL_SUCCESS;
  }
  if (const auto done = follow()) {
    context.program_waited();
    return done;
  }
  std::shared_ptr<Event> event;
  if (is_map || !context.graph.follow(queue, type, command, waits, &event)) return std::nullopt;
  return wait_for(*event);
}

// The same where the program gets its event: one that is asked for by itself, and has come.
std::optional<cl_int> transfer_seen_behind(const std::shared_ptr<Queue>& queue, cl_command_type type,
                                           const Command& command, std::span<const std::shared_ptr<Event>> waits,
                                           cl_event* event_out) {
  if (!queue->in_order() || (type != CL_COMMAND_READ_BUFFER && type != CL_COMMAND_WRITE_BUFFER)) return std::nullopt;
  if (Worker::ends_process_here()) return std::nullopt;
  Arriving arriving;
  std::shared_ptr<Event> seen;
  Graph& graph = queue->context->graph;
  const bool arrives =
      type == CL_COMMAND_READ_BUFFER && graph.follow(queue, type, command, waits, arriving, &seen) != nullptr;
  if (!arrives && !graph.follow(queue, type, command, waits, &seen)) return std::nullopt;
  const cl_int status = wait_for(*seen);
  if (status == CL_COMPLETE && arrives) arriving.take();
  *event_out = Event::hand_out(std::move(seen));
  return status;
}

}  // namespace

cl_int enqueue(const std::shared_ptr<Queue>& queue, cl_command_type type, CommandPtr command,
               std::span<const std::shared_ptr<Event>> waits, cl_event* event_out, bool blocking, Order order) {
  if (queue->context->has_lost_device) return CL_DEVICE_NOT_AVAILABLE;
  join_task(*queue->context);
  if (blocking) {
    const auto done = event_out ? transfer_seen_behind(queue, type, *command, waits, event_out)
                                : transfer_behind(queue, type, *command, waits);
    if (done) return *done;
  }
  if (std::shared_ptr<Event> seen;
      !blocking && queue->context->graph.follow(queue, type, *command, waits, event_out ? &seen : nullptr)) {
    if (event_out) *event_out = Event::hand_out(std::move(seen));
    return CL_SUCCESS;
  }
  auto event = Event::make_shared(queue->context, queue, type);
  event->observed = event_out != nullptr;
  event->awaited = blocking;
  if (event_out) *event_out = Event::hand_out(event);
  try {
    using Role = DeviceBackend::HelpingThread::Role;
    const DeviceBackend::HelpingThread help(blocking ? Role::waiting_program : Role::program);
    const cl_int error = queue->context->graph.submit(event, std::move(command), waits, order);
    if (error != CL_SUCCESS) {
      if (event_out) take_back(*event, event_out);
      return error;
    }
  } catch (...) {
    // Memory is short. Whatever the queue knows of it already must end.
    queue->context->graph.finish(event, CL_OUT_OF_HOST_MEMORY);
    if (event_out) take_back(*event, event_out);
    throw;
  }
  return blocking ? wait_for(*event) : CL_SUCCESS;
}

}  // namespace samcl::api
