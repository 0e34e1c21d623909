// Launches, and short commands between them, that follow one on the same device, without being planned.
//
// Programs launch bursts of kernels that take a few us each. To plan one takes half as long as a driver takes for it,
// and buys nothing where it surely runs whole, on memory that is valid on its device and that nobody else uses. Such a
// launch is given to the driver right behind the one before it and becomes part of that one's operation, which ends
// when the last of them has. It is as if one kernel had used all of their memory objects.
//
// So do copies and fills of such memory, and short transfers that nobody waits for in their call.
//
// One whose event the program gets has an event of the driver's, too, which is asked when the program wants to know of
// it: it may wait for each of them, and for what comes after, without waiting for the others.
//
// Guarded by the lock of the context's graph, but for ran().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libsamcl/commands/gathering.h"
#include "libsamcl/objects/command.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl {

class Arriving;
class Context;
class Event;
class RunAhead;

class Following {
 public:
  // Gives that launch to the driver behind what belongs to `first`, an operation on a device of the context whose
  // compute lane is the driver's queue, and which nobody has been told the end of. seen: the program's event of it, or
  // nullptr. False: it has to be planned, as ever.
  bool add(const LaunchRequest& launch, Context& context, const engine::NodePtr& first,
           const std::shared_ptr<Event>& seen);
  // The same for what is no launch. program_memory: who uses which addresses of the program's own memory.
  bool add(const Command& next, Context& context, const engine::NodePtr& first, const std::shared_ptr<Event>& seen,
           engine::AccessMap& program_memory);

  // The same for a short transfer that the program waits for. What it reads comes to pinned memory of the device's, for
  // arriving. What it writes is kept here, so that nobody need wait: if all before it has run, or the program cannot
  // see that it has not; never with an event. started: the launch that began the operation.
  bool add(const Command& next, Context& context, const engine::NodePtr& first, const std::shared_ptr<Event>& seen,
           engine::AccessMap& program_memory, Arriving& arriving, const LaunchRequest& started);

  // All has run, and nobody has been told: a few bytes that devices share with the host are moved here, at once. False:
  // they are not such.
  bool do_at_once(const Command& next, Context& context, const engine::NodePtr& first,
                  engine::AccessMap& program_memory);

  // The memory objects that are kept until all have run, and need not be any longer: the program may have released
  // them.
  std::vector<std::shared_ptr<Buffer>> take_objects() { return std::exchange(objects_, {}); }

  // All have run, and took so many ns with the first one, which was expected to take own_ns: each kernel's record gets
  // its part. What remains for the first. is_exact: nothing else took that time. After the operation's end; any thread,
  // as the next.
  uint64_t ran(uint64_t ns, uint64_t own_ns, bool is_exact) const;
  // Much longer than was expected, on that device: their times are to be taken again.
  void took_longer(unsigned device) const;

 private:
  struct Used {
    std::shared_ptr<Storage> storage;
    Range range;
    bool written;
  };
  struct Launched {
    Launched(std::shared_ptr<Kernel> its_kernel, uint64_t count, uint64_t expected_ns)
        : kernel(std::move(its_kernel)), launches(count), ns(expected_ns) {}
    std::shared_ptr<Kernel> kernel;
    uint64_t launches;
    uint64_t ns;  // expected, of all of them
  };
  Launched& launches_of(const std::shared_ptr<Kernel>& kernel);
  // What a manager that grants the device has made of it: to ask for each launch takes as long as what else is done for
  // it.
  struct Asked {
    uint64_t version;  // of the assignment
    bool is_of_task, is_only_one_in_use;
  };
  const Asked& asked(const Context& context, const RealDevice& device);
  // on_either_way: it would run like that on the split way, too.
  bool takes(const std::shared_ptr<Buffer>& buffer, bool writes, const Context& context, const engine::NodePtr& first,
             bool on_either_way);
  bool takes(const std::shared_ptr<Buffer>& buffer, Range range, bool writes, const engine::NodePtr& first);
  bool takes(const Command::OnDevice& command, const engine::NodePtr& first, engine::AccessMap& program_memory);
  bool takes_kept(const engine::ProgramCopy& copy, const std::shared_ptr<Buffer>& buffer, const engine::NodePtr& first,
                  engine::AccessMap& program_memory);
  bool keeps(const std::shared_ptr<Buffer>& buffer);
  bool is_used(const std::shared_ptr<Storage>& storage, Range range, bool writes) const;
  void note_used(const std::shared_ptr<Storage>& storage, Range range, bool writes);

  template <typename Takes>
  bool add(const engine::Operation& operation, Context& context, const engine::NodePtr& first,
           const std::shared_ptr<Event>& seen, const Takes& takes_it);
  bool has_room(uint64_t ns, bool is_seen, const RunAhead* ahead) const;
  bool is_for_thread(RealDevice& device, bool gathers) const;
  template <typename Enqueue, typename EnqueueLater>
  bool give(RealDevice& device, const engine::NodePtr& first, const std::shared_ptr<Event>& seen, Giving giving,
            const Enqueue& enqueue, const EnqueueLater& enqueue_later, bool gathers = false);
  void given(uint64_t ns, bool is_seen);

  std::optional<Asked> asked_;  // there is a manager
  Gathering gathering_;
  std::vector<Used> used_;
  std::vector<std::shared_ptr<Buffer>> objects_;  // of what perhaps has not run; several may be parts of one storage
  // A kernel once. These are changed only while the operation awaits its end (CompletionQueue::extend()), since ran()
  // is not under the graph's lock.
  std::vector<Launched> launched_;
  uint64_t moving_ns_ = 0;                              // what is no launch is expected to take
  uint32_t launches_since_ = 0, launches_between_ = 0;  // the last of that came, and it and the one before
  std::vector<std::vector<std::byte>> kept_;            // what is written from
  size_t kept_bytes_ = 0;
  bool is_visible_ = false;  // whether some have run, the program can see without asking
  bool is_seen_ = false;     // the program has events of some,
  size_t count_ = 0;         // of so many,
  uint64_t ns_ = 0;          // which are expected to take that long
};

}  // namespace samcl
