// The commands of one context and the order they may run in. A command starts when everything it waits for
// has ended (its wait list, its queue's order) and the buffers it uses are free: commands that are ready but
// touch a buffer another one is changing wait for it, in the order they became ready. Buffers are taken all
// at once and only by commands that can run to their end, so nothing can block for good.
//
// A launch may be issued before it ends: the devices have it, in queues of their own that are in order. A command
// that only adds to these (Command::may_follow) then starts at once, behind it, so that devices do not stand still
// between the two.
//
// Locks: mutex_ guards all edges, holds and waiting lists. Storage mutexes may be taken under it, never the
// other way round. Commands start, and callbacks run, without it.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libsamcl/runtime/event.h"
#include "libsamcl/runtime/queue.h"

namespace samcl {

class Graph {
 public:
  // Enters a command into its event's queue. It starts when `waits` (whose errors pass on) and what the
  // queue's order puts before it (errors do not pass on) have ended.
  // blocking: the program's call returns when the command has ended.
  void submit(const std::shared_ptr<Event>& event, std::unique_ptr<Command> command,
              std::span<const std::shared_ptr<Event>> waits, Order order, bool blocking);

  // The events of the queue that have not ended, and whose end means that all before them have.
  std::vector<std::shared_ptr<Event>> outstanding(const Queue& queue);

  // The devices have all that a command does, and the directories say what they will say when it has ended.
  void issued(const std::shared_ptr<Event>& event);

  // Ends a command, or a user event, with CL_COMPLETE or a negative error. Whatever waited for it is started.
  void finish(const std::shared_ptr<Event>& event, cl_int status);

 private:
  // What a call finds under the lock and does without it: commands to start, and commands that ended, to be
  // destroyed (they may hold the last reference to a buffer).
  struct Outcome {
    std::vector<std::shared_ptr<Event>> startable;
    std::vector<std::shared_ptr<Command>> ended;
  };

  void end(const std::shared_ptr<Event>& event, cl_int status, Outcome& outcome);
  void make_ready(const std::shared_ptr<Event>& event, Outcome& outcome);
  void follow(const std::shared_ptr<Event>& event, Outcome& outcome);
  bool take_buffers(const std::shared_ptr<Event>& event);
  bool start_if_free(const std::shared_ptr<Event>& event, Outcome& outcome);
  void retry_blocked(Outcome& outcome);
  static void start(std::vector<std::shared_ptr<Event>> startable);

  std::mutex mutex_;
  std::list<std::shared_ptr<Event>> blocked_;  // ready, but a buffer is in use; in the order they became ready
};

}  // namespace samcl
