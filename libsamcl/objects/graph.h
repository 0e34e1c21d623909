// The commands of one context and the order they may run in. A command is planned, into operations, as soon as all
// that it waits for is (its wait list, its queue's order); a user event counts as planned when the program has set
// it. Operations then run when the bytes that they use are free (engine/), which may be long before the commands
// before them have ended; a command ends when its operations have, and all that it waits for.
//
// Locks: one per context. It guards the graph's edges, the engine, and what Storage says; Storage's own mutex, and
// those of workers, are taken under it, never the other way round. Nothing that can block for long happens under it,
// and no function of the program is called.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/linked_queue.h"
#include "libsamcl/engine/access_map.h"
#include "libsamcl/engine/engine.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/objects/lineage.h"
#include "libsamcl/objects/queue.h"
#include "libsamcl/threads/worker.h"

namespace samcl {

class Graph {
 public:
  explicit Graph(engine::Backend& backend);

  // Enters a command into its event's queue. It is planned when `waits` (whose errors pass on) and what the queue's
  // order puts before it (errors do not pass on) are. Returns what the command said to being offered; an error: it is
  // not entered.
  cl_int submit(const std::shared_ptr<Event>& event, std::shared_ptr<Command> command,
                std::span<const std::shared_ptr<Event>> waits, Order order);

  // Whether the command before it in this queue has taken that launch on, which waits for these events
  // (Command::is_followed_by()). Else it has to be submitted. seen: gets its event, which the program is to have;
  // nullptr: it wants none.
  bool follow(const std::shared_ptr<Queue>& queue, const LaunchRequest& launch,
              std::span<const std::shared_ptr<Event>> waits, std::shared_ptr<Event>* seen);
  // The same for another command, with an event of that type.
  bool follow(const std::shared_ptr<Queue>& queue, cl_command_type type, const Command& command,
              std::span<const std::shared_ptr<Event>> waits, std::shared_ptr<Event>* seen);
  // The same where it takes no longer than to enter it, if all that the queue had has run (followed()): it has ended.
  bool do_at_once(const std::shared_ptr<Queue>& queue, const Command& command,
                  std::span<const std::shared_ptr<Event>> waits);
  // The same for a short transfer that the program waits for (Command::is_followed_by()). The operation that it belongs
  // to, whose end arriving waits for, or that of its event; nullptr: it has to be submitted.
  std::shared_ptr<Event> follow(const std::shared_ptr<Queue>& queue, cl_command_type type, const Command& command,
                                std::span<const std::shared_ptr<Event>> waits, Arriving& arriving,
                                std::shared_ptr<Event>* seen);
  // The first error of what belongs to it; CL_SUCCESS: there is none yet.
  cl_int error_of(const Event& event);
  // Its end is to be asked for where it runs (Event::has_own_end()), if launches may follow it.
  void leave_untold(Event& event);
  // The last command of the queue, with which all before it ends, if a launch may follow it; else nullptr.
  std::shared_ptr<Event> followed(const Queue& queue);
  // Whether a marker or a barrier that waits for no events, and whose event nobody has, need not be submitted.
  bool is_ordered(const std::shared_ptr<Queue>& queue, Order order);
  // All that belongs to that command has run (Event::wait_untold()): gives back what was kept for that.
  void let_go(const Event& event);
  // Ends what has ended by now.
  void look() {
    locked([this] { engine_.look(); });
  }

  // The program has released a memory object on these bytes, which what may be computed again must not keep for long.
  void memory_released(const std::shared_ptr<Context>& context, const Storage& memory);

  // Enters a command of ours, which is in no queue and waits for nothing.
  void enter(const std::shared_ptr<Event>& event, std::shared_ptr<Command> command);

  // The events of the queue that have not ended, and whose end means that all before them have.
  std::vector<std::shared_ptr<Event>> outstanding(const Queue& queue);

  // Of the commands that the queue gets from now on.
  void change(Queue& queue, cl_command_queue_properties properties);

  // Ends a user event with CL_COMPLETE or a negative error. Whatever waited for it is planned.
  void finish(const std::shared_ptr<Event>& event, cl_int status);

  // What a command awaits (Planner::await()) has ended.
  void awaited_ended(const std::shared_ptr<Event>& event, cl_int status);

  // For the backend: operations have ended, or `call` does something else under the lock.
  void ended(const engine::NodePtr& node, cl_int status);
  template <typename Nodes>
  void ended(const Nodes& nodes) {
    locked([&] {
      for (const auto& each : nodes) engine_.ended(each.node, each.status);
    });
  }
  template <typename Call>
  void locked(Call call) {
    Outcome outcome;
    std::lock_guard lock(mutex_);
    call();
    collect(outcome);
  }

 private:
  // Neither asks for memory: what has begun has to end, and what waits for it to go on, also where there is none.
  using EndedCommands = LinkedQueue<Command, &Command::next_ended_>;
  using Events = LinkedQueue<Event, &Event::next_>;
  // What a call finds under the lock and leaves until it is given back: what ended commands and operations held. The
  // lanes that it gave operations to begin first.
  struct Outcome {
    EndedCommands commands;
    engine::Engine::AllHeld operations;
    Lineage::Dropped producers;
    Worker::Together lanes;
  };

  std::shared_ptr<Event> followed_locked(const Queue& queue) const;
  template <typename Take>
  bool follow(const std::shared_ptr<Queue>& queue, cl_command_type type, std::span<const std::shared_ptr<Event>> waits,
              std::shared_ptr<Event>* seen, const Take& take);
  static bool all_ended_well(const Queue& queue, std::span<const std::shared_ptr<Event>> waits);
  void plan(const std::shared_ptr<Event>& event);
  void plan_waiting();
  void settle(const std::shared_ptr<Context>& context);
  bool comes_first(const std::shared_ptr<Context>& context, Command* next);
  void plan_one(const std::shared_ptr<Event>& event);
  static unsigned strand_of(const Event& event);
  static void make_ready(Event& event, std::shared_ptr<Command> command);
  void plan_ahead(const std::shared_ptr<Event>& behind, Command& command);
  void operation_ended(const std::shared_ptr<Event>& event, cl_int status);
  void over(const std::shared_ptr<Event>& event);
  void end(const std::shared_ptr<Event>& event, cl_int status);
  void planned(const std::shared_ptr<Event>& event);
  void collect(Outcome& outcome);

  std::mutex mutex_;
  engine::Engine engine_;
  engine::AccessMap program_memory_;
  uint64_t last_group_ = 0;
  uint64_t last_turn_ = 0;
  Events to_plan_;                // all that they wait for is planned
  bool planning_ = false;         // further up the stack
  std::shared_ptr<Event> first_;  // has to end before anything else is planned (Lineage::before())
  std::weak_ptr<Event> last_planned_;
  EndedCommands ended_commands_;
  Lineage::Dropped dropped_;
};

}  // namespace samcl
