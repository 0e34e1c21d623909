// What an enqueued command does.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <optional>

#include "base/small_vector.h"
#include "libsamcl/engine/access_map.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class Arriving;
class Buffer;
class Event;
class Planner;
class Uses;
struct LaunchRequest;

class Command {
 public:
  virtual ~Command() = default;

  // Enters the command's operations, once, when all that it waits for is planned. Under the graph's lock: must not
  // call into the graph, nor wait for anything. An error: nothing more is done, and the command has failed when the
  // operations that were entered have ended.
  virtual cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) = 0;

  // For commands whose effect is seen outside of the graph (semaphores): whether the command is planned only when all
  // that it waits for has ended, and offer() is called.
  virtual bool comes_after_ends() const { return false; }

  // It is about to be entered at its place in the queue's order; is_next: all before it has ended well. Under the
  // graph's lock. An error: it is not entered.
  virtual cl_int offer(bool /*is_next*/) { return CL_SUCCESS; }

  // All operations have ended, the last one just now, with the first error there was. Under the graph's lock. Throws
  // where there is no memory: then the command has failed.
  virtual void ended(cl_int) {}

  // What is planned right behind it, though no command of the program needs it yet; nullptr: nothing. Asked once, when
  // it has been planned. Likewise.
  virtual std::shared_ptr<Command> ahead() { return nullptr; }

  // What it is going to use when it is planned next (objects/lineage.h); asked where devices may be lost, any number of
  // times. Under the graph's lock.
  virtual void uses(Uses& uses);

  // It has failed, or part of it has, with its operations ended. What does again what is missing, in its place;
  // nullptr, or an exception: it has failed for good. Under the graph's lock.
  virtual std::shared_ptr<Command> again() { return nullptr; }

  // Whether it is one operation on a device's own queue, which others may become part of. Under the graph's lock.
  // event: its own; is_latest: nothing has been planned since in the context, else only if nothing has come to that
  // queue.
  virtual bool may_be_followed(const Event& /*event*/, bool /*is_latest*/) const { return false; }
  // Its event gets the end of that operation's first part, if that has one which is asked late. Likewise.
  virtual void leave_untold(Event& /*event*/) {}
  // A launch is enqueued right behind such a one, in order, with nothing between them in that queue. True:
  // it has taken that launch on, with which it ends, and which that event stands for (nullptr: none). Under the graph's
  // lock.
  virtual bool is_followed_by(const LaunchRequest& /*launch*/, const std::shared_ptr<Event>& /*seen*/) { return false; }
  // The same for another command. program_memory: who uses which addresses of the program's own memory.
  virtual bool is_followed_by(const Command& /*next*/, const std::shared_ptr<Event>& /*seen*/,
                              engine::AccessMap& /*program_memory*/) {
    return false;
  }
  // The same for a short transfer that the program waits for. What it reads comes to memory of ours, for arriving; what
  // it writes is kept, and need not be waited for, but with an event of the program's.
  virtual bool is_followed_by(const Command& /*next*/, const std::shared_ptr<Event>& /*seen*/,
                              engine::AccessMap& /*program_memory*/, Arriving& /*arriving*/) {
    return false;
  }
  // All that the device has of that operation has ended, and nobody has been told: True: it has done that command,
  // which moves a few bytes in host memory.
  virtual bool does_at_once(const Command& /*next*/, engine::AccessMap& /*program_memory*/) { return false; }
  // All that the device has of that operation has ended: what is kept until then, and no longer, though the operation
  // may go on. The caller destroys it without the lock.
  virtual std::vector<std::shared_ptr<Buffer>> let_go() { return {}; }
  // All of it as one operation of that device's own queue, if it may be one where the bytes that it uses are valid
  // there; else it has to be planned. Likewise.
  struct OnDevice {
    engine::Operation operation;
    SmallVector<std::shared_ptr<Buffer>, 2> buffers;  // whose bytes it uses: of a copy first those that it reads
    bool is_host_copy = false;                        // what it reads goes to the host's copy of the same bytes
  };
  virtual std::optional<OnDevice> on_device(unsigned /*device*/) const { return std::nullopt; }

  // Whether what comes after it can be planned as soon as it is itself. False if only its end tells where bytes are
  // valid.
  virtual bool tells_what_will_be() const { return true; }

 private:
  friend class Graph;
  std::shared_ptr<Command> next_ended_;  // in the graph's queue of those that are to be destroyed without the lock
};

// A command that does nothing: markers, barriers, migrations.
class EmptyCommand : public Command {
 public:
  cl_int plan(Planner&, const std::shared_ptr<Event>&) override { return CL_SUCCESS; }
  void uses(Uses&) override {}
};

}  // namespace samcl
