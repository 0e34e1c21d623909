#include "libsamcl/objects/graph.h"

#include <algorithm>
#include <utility>

#include "base/atomic_max.h"
#include "libsamcl/engine/reset_at_end.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/objects/queue.h"
#include "libsamcl/observe/trace.h"

namespace samcl {
namespace {

void tell_end(const Event& event) {
  trace::command_ended({event.number, event.status(), event.context->devices[0]->lease.client != nullptr,
                        event.time(CL_PROFILING_COMMAND_QUEUED), event.time(CL_PROFILING_COMMAND_SUBMIT),
                        event.time(CL_PROFILING_COMMAND_START), event.time(CL_PROFILING_COMMAND_END)});
}

}  // namespace

Graph::Graph(engine::Backend& backend)
    : engine_(backend, [this](const engine::Node& node, cl_int status) {
        const auto event = std::static_pointer_cast<Event>(node.owner);
        try {
          if (status < 0 && node.lane.kind != engine::LaneKind::host)
            event->context->operation_failed(node.lane.device, status);
        } catch (...) {  // no memory to tell what is left
          event->context->has_lost_device = true;
        }
        operation_ended(event, status);
      }) {}

cl_int Graph::submit(const std::shared_ptr<Event>& event, std::shared_ptr<Command> command,
                     std::span<const std::shared_ptr<Event>> waits, Order order) {
  Outcome outcome;
  event->set_queued();
  std::lock_guard lock(mutex_);
  engine_.look();
  const bool after_ends = command->comes_after_ends();
  if (after_ends) {
    const cl_int error = command->offer(all_ended_well(*event->queue, waits));
    if (error != CL_SUCCESS) {
      collect(outcome);
      return error;
    }
  }
  event->number = trace::submitted(event->type);
  event->command_ = std::move(command);
  auto depend = [&](const std::shared_ptr<Event>& on, bool passes_errors) {
    // What follows one that is in a wait list need not be waited for, but what follows one of the queue's.
    if (passes_errors ? !on->ended() : !on->is_over()) {
      if (on->queue != event->queue) on->leader().is_awaited_by_others_ = true;
      on->dependents_.push_back({event, passes_errors, after_ends});
      ++event->unmet_;
      event->unplanned_ += on->planned_ && !after_ends ? 0 : 1;
    } else if (passes_errors && on->status() < 0) {
      event->inherited_ = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
  };
  for (const auto& on : waits) depend(on, true);
  for (const auto& on : event->queue->enter(event, order, !waits.empty())) depend(on, false);
  event->number_.store(++last_turn_, std::memory_order_relaxed);
  if (event->unmet_ == 0) event->set_free();
  if (event->unplanned_ == 0) plan(event);
  collect(outcome);
  return CL_SUCCESS;
}

std::shared_ptr<Event> Graph::followed_locked(const Queue& queue) const {
  std::shared_ptr<Event> last = queue.last_planned_.lock();
  if (!last) return nullptr;
  const bool is_latest = last_planned_.lock() == last;
  if (queue.in_order() && last != queue.last_) return nullptr;
  if (last->leader_) last = last->leader_;
  // The last barrier, if it came after what may be followed.
  if (!queue.in_order() && queue.last_ && queue.last_->number_ > last->number_) return nullptr;
  const bool may_grow = last->command_ && last->open_ == 1 && last->inherited_ == CL_COMPLETE &&
                        last->error_ == CL_SUCCESS && !last->is_watched() && !last->is_awaited_by_others_;
  const bool is_followed = may_grow && last->command_->may_be_followed(*last, is_latest);
  return is_followed ? last : nullptr;
}

bool Graph::follow(const std::shared_ptr<Queue>& queue, const LaunchRequest& launch,
                   std::span<const std::shared_ptr<Event>> waits, std::shared_ptr<Event>* seen) {
  return follow(queue, CL_COMMAND_NDRANGE_KERNEL, waits, seen,
                [&](Command& first, const std::shared_ptr<Event>& its) { return first.is_followed_by(launch, its); });
}

bool Graph::follow(const std::shared_ptr<Queue>& queue, cl_command_type type, const Command& command,
                   std::span<const std::shared_ptr<Event>> waits, std::shared_ptr<Event>* seen) {
  return follow(queue, type, waits, seen, [&](Command& first, const std::shared_ptr<Event>& its) {
    return first.is_followed_by(command, its, program_memory_);
  });
}

std::shared_ptr<Event> Graph::follow(const std::shared_ptr<Queue>& queue, cl_command_type type, const Command& command,
                                     std::span<const std::shared_ptr<Event>> waits, Arriving& arriving,
                                     std::shared_ptr<Event>* seen) {
  std::shared_ptr<Event> operation;
  const bool is_taken = follow(queue, type, waits, seen, [&](Command& first, const std::shared_ptr<Event>& its) {
    operation = followed_locked(*queue);
    return operation->unmet_ == 0 && first.is_followed_by(command, its, program_memory_, arriving);
  });
  return is_taken ? operation : nullptr;
}

cl_int Graph::error_of(const Event& event) {
  std::lock_guard lock(mutex_);
  return event.error_;
}

bool Graph::do_at_once(const std::shared_ptr<Queue>& queue, const Command& command,
                       std::span<const std::shared_ptr<Event>> waits) {
  return follow(queue, CL_COMMAND_USER, waits, nullptr, [&](Command& first, const std::shared_ptr<Event>&) {
    return first.does_at_once(command, program_memory_);
  });
}

template <typename Take>
bool Graph::follow(const std::shared_ptr<Queue>& queue, cl_command_type type,
                   std::span<const std::shared_ptr<Event>> waits, std::shared_ptr<Event>* seen, const Take& take) {
  std::lock_guard lock(mutex_);
  const std::shared_ptr<Event> first = followed_locked(*queue);
  if (!first) return false;
  const auto is_before = [&](const std::shared_ptr<Event>& each) {
    return each->status() == CL_COMPLETE || &each->leader() == first.get();
  };
  if (!std::ranges::all_of(waits, is_before)) return false;
  if (!seen) return take(*first->command_, nullptr);
  auto event = Event::make_shared(queue->context, queue, type);
  first->followers_.push_back(event);
  if (!take(*first->command_, event)) {
    first->followers_.pop_back();
    return false;
  }
  event->number_.store(++last_turn_, std::memory_order_relaxed);
  if (queue->in_order()) queue->last_ = event;
  last_planned_ = queue->last_planned_ = event;
  *seen = std::move(event);
  return true;
}

void Graph::leave_untold(Event& event) {
  std::lock_guard lock(mutex_);
  if (followed_locked(*event.queue).get() != &event) return;
  event.command_->leave_untold(event);
}

void Graph::let_go(const Event& event) {
  std::vector<std::shared_ptr<Buffer>> given_back;  // without the lock
  std::lock_guard lock(mutex_);
  if (event.command_) given_back = event.command_->let_go();
}

std::shared_ptr<Event> Graph::followed(const Queue& queue) {
  std::lock_guard lock(mutex_);
  const std::shared_ptr<Event> last = followed_locked(queue);
  return last && queue.waits_only_for(*last) ? last : nullptr;
}

bool Graph::is_ordered(const std::shared_ptr<Queue>& queue, Order order) {
  std::lock_guard lock(mutex_);
  return queue->is_ordered(order);
}

void Graph::enter(const std::shared_ptr<Event>& event, std::shared_ptr<Command> command) {
  Outcome outcome;
  std::lock_guard lock(mutex_);
  make_ready(*event, std::move(command));
  plan(event);
  collect(outcome);
}

// A command of ours: it waits for nothing.
void Graph::make_ready(Event& event, std::shared_ptr<Command> command) {
  event.set_queued();
  event.number = trace::submitted(event.type);
  event.command_ = std::move(command);
  event.set_free();
}

bool Graph::all_ended_well(const Queue& queue, std::span<const std::shared_ptr<Event>> waits) {
  return queue.outstanding().empty() &&
         std::all_of(waits.begin(), waits.end(), [](const auto& event) { return event->status() == CL_COMPLETE; });
}

void Graph::change(Queue& queue, cl_command_queue_properties properties) {
  std::lock_guard lock(mutex_);
  queue.change(properties);
}

std::vector<std::shared_ptr<Event>> Graph::outstanding(const Queue& queue) {
  std::lock_guard lock(mutex_);
  return queue.outstanding();
}

void Graph::finish(const std::shared_ptr<Event>& event, cl_int status) {
  Outcome outcome;
  std::lock_guard lock(mutex_);
  end(event, status);
  collect(outcome);
}

void Graph::awaited_ended(const std::shared_ptr<Event>& event, cl_int status) {
  locked([&] { operation_ended(event, status); });
}

void Graph::ended(const engine::NodePtr& node, cl_int status) {
  locked([&] { engine_.ended(node, status); });
}

void Graph::collect(Outcome& outcome) {
  outcome.commands = std::exchange(ended_commands_, {});
  outcome.operations = engine_.take_ended();
  outcome.producers = std::exchange(dropped_, {});
}

// A chain may be thousands of commands long: the outermost call plans what the inner ones found.
void Graph::plan(const std::shared_ptr<Event>& event) {
  if (event == first_) return plan_one(event);
  to_plan_.push(event);
  plan_waiting();
}

void Graph::plan_waiting() {
  if (std::exchange(planning_, true)) return;
  const ResetAtEnd reset(planning_);
  while (!to_plan_.empty()) {
    const std::shared_ptr<Event> next = to_plan_.front();
    try {
      if (next->inherited_ == CL_COMPLETE && comes_first(next->context, next->command_.get())) return;
    } catch (...) {  // no memory
      next->inherited_ = CL_OUT_OF_HOST_MEMORY;
    }
    to_plan_.pop();
    plan_one(next);
  }
}

// Whether something has to end before that command is planned, or what the program has released is given back. It is
// begun. While planning_ is set.
bool Graph::comes_first(const std::shared_ptr<Context>& context, Command* next) {
  if (!context->survives()) return false;
  while (!first_) {
    Uses uses;
    if (next) next->uses(uses);
    Lineage::First first = context->lineage.before(*context, uses);
    context->lineage.take_dropped(dropped_);
    if (first.waits) return true;  // over() plans what waits
    if (!first.command) return false;
    first_ = Event::make_shared(context, nullptr, CL_COMMAND_MIGRATE_MEM_OBJECTS);
    make_ready(*first_, std::move(first.command));
    plan_one(std::shared_ptr<Event>(first_));  // perhaps it has ended then
  }
  return true;
}

// What the lineage can do or let go of before any other command comes; then those that waited for that.
void Graph::settle(const std::shared_ptr<Context>& context) {
  if (!std::exchange(planning_, true)) {
    const ResetAtEnd reset(planning_);
    try {
      comes_first(context, nullptr);
    } catch (...) {  // no memory: before the next command, then
    }
  }
  plan_waiting();
}

void Graph::memory_released(const std::shared_ptr<Context>& context, const Storage& memory) {
  Outcome outcome;
  std::lock_guard lock(mutex_);
  if (context->lineage.released(memory)) settle(context);
  collect(outcome);
}

void Graph::plan_one(const std::shared_ptr<Event>& event) {
  last_planned_ = event;
  if (event->queue) event->queue->last_planned_ = event;
  if (event->inherited_ == CL_COMPLETE && event->context->survives() && event->context->has_lost_device)
    event->inherited_ = CL_DEVICE_NOT_AVAILABLE;
  if (event->inherited_ < 0) {
    if (event->unmet_ == 0) return end(event, event->inherited_);
    event->result_ = event->inherited_;
    return planned(event);
  }
  event->set_status(CL_SUBMITTED);
  const trace::OnBehalfOf this_command(event->number);
  event->open_ = 1;  // the planning itself
  const std::shared_ptr<Command> command = event->command_;
  event->context->planned_group = last_group_ + 1;
  Planner planner(engine_, program_memory_, last_group_, event->number, event->observed, event->awaited, event,
                  *event->context, strand_of(*event));
  event->planning_ = &planner;
  cl_int error = CL_OUT_OF_HOST_MEMORY;
  try {
    error = command->plan(planner, event);
    for (const auto& on : planner.counts_on()) {  // ends after it, and fails where it does
      std::static_pointer_cast<Event>(on)->dependents_.push_back({event, true, false});
      ++event->unmet_;
    }
  } catch (...) {  // no memory; what was entered runs to its end
  }
  event->planning_ = nullptr;
  trace::planned(event->number, event->time(CL_PROFILING_COMMAND_QUEUED));
  event->open_ += planner.operations();
  if (command->tells_what_will_be()) planned(event);
  operation_ended(event, error);
  if (error == CL_SUCCESS) plan_ahead(event, *command);
}

// Of an in-order queue, where the first device may have strands; they are made when they are first wanted, and used
// when they are there.
unsigned Graph::strand_of(const Event& event) {
  Context& context = *event.context;
  RealDevice& device = *context.devices[0];
  if (!event.queue || !event.queue->in_order() || context.survives() || !device.may_have_strands()) return 0;
  const unsigned strand = context.strands.of(event.queue->strand_use_, device.completions().has_work());
  if (strand > 0) context.make_strand(event.queue->home_use_.device, strand);
  if (strand > 0) context.make_strand(0, strand);
  return strand;
}

// In its turn, so that devices keep what it does behind each other; what the program has waits for its end only if it
// comes after what it does.
void Graph::plan_ahead(const std::shared_ptr<Event>& behind, Command& command) {
  try {
    std::shared_ptr<Command> next = command.ahead();
    if (!next) return;
    const auto event = Event::make_shared(behind->context, behind->queue, CL_COMMAND_MIGRATE_MEM_OBJECTS);
    event->number_.store(behind->number_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    event->is_ahead = true;
    make_ready(*event, std::move(next));
    plan_one(event);
  } catch (...) {  // no memory: what needs it will bring it
  }
}

void Graph::planned(const std::shared_ptr<Event>& event) {
  event->planned_ = true;
  for (const Event::Dependent& dependent : event->dependents_) {
    if (!dependent.after_end && --dependent.event->unplanned_ == 0) plan(dependent.event);
  }
}

void Graph::operation_ended(const std::shared_ptr<Event>& event, cl_int status) {
  if (status != CL_SUCCESS && event->error_ == CL_SUCCESS) event->error_ = status;
  if (--event->open_ == 0 && !event->planning_) over(event);
}

// It may be over before what it waits for, on another device; it ends after that.
void Graph::over(const std::shared_ptr<Event>& event) {
  std::shared_ptr<Command> again;
  try {
    if (event->error_ < 0 && event->inherited_ == CL_COMPLETE) again = event->command_->again();
  } catch (...) {  // no memory: it stays with the error
  }
  if (again) {
    ended_commands_.push(std::exchange(event->command_, std::move(again)));
    event->error_ = CL_SUCCESS;
    return plan(event);
  }
  try {
    event->command_->ended(event->error_);
  } catch (...) {  // likewise
    if (event->error_ == CL_SUCCESS) event->error_ = CL_OUT_OF_HOST_MEMORY;
  }
  const cl_int status = event->inherited_ < 0 ? event->inherited_ : event->error_;
  if (event->unmet_ == 0) {
    end(event, status);
  } else {
    event->result_ = status;
    if (!event->planned_) planned(event);
  }
  if (!to_plan_.empty()) plan_waiting();  // perhaps it waited for this
}

// Ends an event and those that only waited for its end, without recursion, and without asking for memory: else an event
// whose end finds none would never end.
void Graph::end(const std::shared_ptr<Event>& event, cl_int status) {
  event->ends_with_ = status;
  Events ending;
  ending.push(event);
  std::shared_ptr<Context> settles;
  while (!ending.empty()) {
    const std::shared_ptr<Event> current = ending.pop();
    if (current->is_over_next_) {
      current->set_over();
      continue;
    }
    const cl_int result = current->ends_with_;
    if (current->command_) {
      ended_commands_.push(std::move(current->command_));
      if (result == CL_DEVICE_NOT_AVAILABLE) current->context->has_lost_device = true;
    }
    if (current->queue) current->queue->ended(*current);
    if (current == first_) {
      if (result < 0) current->context->lineage.failed(*current->context);
      first_ = nullptr;
      settles = current->context;
    }
    current->set_status(result);
    if (current->number != 0) tell_end(*current);
    current->is_over_next_ = !current->followers_.empty();
    if (!current->is_over_next_) current->set_over();
    for (std::shared_ptr<Event>& each : std::exchange(current->followers_, {})) {
      raise(each->times_[3], current->times_[3].load());
      each->ends_with_ = result;
      ending.push(std::move(each));
    }
    if (current->is_over_next_) ending.push(current);
    for (const Event::Dependent& dependent : std::exchange(current->dependents_, {})) {
      Event& next = *dependent.event;
      if (result < 0 && dependent.passes_errors) next.inherited_ = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
      raise(next.followed_until_,
            next.runs_behind(*current) ? current->followed_until() : current->time(CL_PROFILING_COMMAND_END));
      if (--next.unmet_ == 0) next.set_free();
      if ((!current->planned_ || dependent.after_end) && --next.unplanned_ == 0) plan(dependent.event);
      if (next.unmet_ == 0 && next.result_) {
        next.ends_with_ = next.inherited_ < 0 ? next.inherited_ : *next.result_;
        ending.push(dependent.event);
      }
    }
  }
  if (settles) settle(settles);
}

}  // namespace samcl
