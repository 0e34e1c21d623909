// Gives operations to a driver's in-order queue in the order in which they come. As long as the device waits for more,
// the thread that plans them does that itself. While the device is busy and they come faster than the driver takes
// them, a thread of our own does, so that planning one and submitting another go on at once. An operation for which the
// driver has no memory stays the first until it has been made room for.
//
// Launches that belong to the operation which the driver was given last may be put there, too. They come before all
// that is entered: what is entered behind an operation ends its growing.
//
// No driver is called here. enter() is called under the context's lock; the driver is called under the mutex of the
// queue, a leaf but for what submit() locks. Room is made without that mutex, under which nobody may want the context's
// lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "libsamcl/device/launch_ring.h"
#include "libsamcl/device/reached.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/threads/worker.h"

namespace samcl {

// How an operation is given to a driver's queue.
struct Giving {
  // When the driver is asked when it ran, if it has an event of its own.
  enum class Times : uint8_t {
    at_end,  // when it has ended
    late,    // when the program asks
    never,
  };
  bool exactly = false;     // with an event of its own
  bool promptly = false;    // its end is to be heard of at once
  bool soon = false;        // or at least soon, because others wait for the device's lease
  uint64_t counted_ns = 0;  // what it is expected to take, if that is known (device/run_ahead.h)
  Times times = Times::at_end;
  ReachedList after = {};  // what its device is to wait for, of others
  bool is_told = false;    // others wait for it: device/timelines.h
};

class SubmissionQueue {
 public:
  struct Entry {
    engine::NodePtr node;
    Giving giving;
  };
  enum class Lock : uint8_t { free, held };  // the context's, by the calling thread

  // Who knows the driver. Must not throw.
  class Submitter {
   public:
    virtual ~Submitter() = default;
    // One call at a time, in the order of the entries; does not wait for who enters. too_early: what it comes behind on
    // other devices has not been given. no_memory: the driver has none for it; never if this is_final. Both are asked
    // again.
    enum class Taken : uint8_t { yes, too_early, no_memory };
    virtual Taken submit(const Entry& entry, bool is_final) = 0;
    // Has something given back that this one, for which there was no memory, may need. False: there is nothing; if the
    // lock is held nobody has waited for what is in use.
    virtual bool make_room(const Entry& entry, Lock context) = 0;
    // Has given what this one, which is too early, comes behind. False: the lock is held, and for something of it there
    // is no memory.
    virtual bool give_before(const Entry& entry, Lock context) = 0;
    // The same for a launch, which stands for so many; it is never asked again.
    virtual void give(const LaunchRing::Launch& launch, uint32_t count) = 0;
  };

  explicit SubmissionQueue(std::string thread_name) : thread_(std::move(thread_name)) {}

  // Whether something that was entered has not been submitted: then all that comes has to be entered, too.
  bool is_behind() const { return entries() > 0 || has_launches(); }
  // How many operations are among it. Excludes calls of enter().
  size_t entries() const { return unsubmitted_.load(std::memory_order_acquire); }
  // Whether launches are among it.
  bool has_launches() const { return !launches_.is_empty(); }

  // Waits for room where many wait. submitter: lives until drain() has returned. Calls exclude each other.
  void enter(Entry entry, Submitter& submitter);

  // Where to write a launch. Waits for room. Excludes calls of enter(), as the next.
  LaunchRing::Launch& next_launch();
  // Of those, to gather more in one. Excludes the same calls.
  LaunchRing& launches() { return launches_; }
  // That is to be given. Also under locks that submit() takes, but for the queue's own.
  void put_launch(Submitter& submitter);
  // Gives the driver all launches that were put before. Any thread that holds no lock that submit() takes.
  void give_launches();

  // Submits all that was entered before, by the calling thread where need be. Any thread that holds no lock that
  // submit() takes. False, only if the lock is held: what the driver refuses was left to a thread that may wait.
  bool drain(Lock context) { return drain(context, nullptr); }
  // The same until that says that it is enough; nullptr: it never does.
  using IsEnough = std::function<bool()>;
  bool drain(Lock context, const IsEnough& is_enough);

  // Of the thread that submits: see Worker.
  Worker& thread() { return thread_; }

 private:
  // That many wait at most. Who enters one more waits until half of them are gone: a driver that is called by two
  // threads in turn takes longer, and so does one who waits for each single one.
  static constexpr size_t kMost = 256;

  enum class Outcome : uint8_t { nothing_left, submitted, refused };
  Outcome submit_all(Lock context, const IsEnough& is_enough);
  void take_entries();
  bool give_launches_here(const IsEnough& is_enough);
  bool lock_to_submit(std::unique_lock<std::mutex>& submitting);
  void wake_thread();
  bool see_to_next(Submitter::Taken refusal, std::unique_lock<std::mutex>& submitting, Lock context);
  void note_submitted();
  void tell_who_waits();
  bool may_wait() const;
  void run();

  LaunchRing launches_;
  std::mutex submitting_;             // held by who calls the driver
  std::vector<Entry> batch_;          // guarded by it, as is
  size_t next_ = 0;                   // of the batch: those before it have been submitted
  std::atomic<bool> refused_{false};  // the next one, for the time being
  std::mutex mutex_;                  // guards what follows; taken under submitting_, or alone
  std::condition_variable room_;
  std::vector<Entry> entries_;
  std::atomic<Submitter*> submitter_{nullptr};
  std::atomic<size_t> unsubmitted_{0};  // the entries, and what is left of the batch
  std::atomic<bool> running_{false};    // the thread's job runs, or is going to
  Worker thread_;
};

}  // namespace samcl
