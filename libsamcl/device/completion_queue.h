// How the ends are heard of, of what was given to a driver's in-order queue and runs while nobody waits for it.
//
// A driver tells of an end through an event, which costs it some time, and a thread that waits for events takes more:
// what it frees comes from another core, and it wants the locks of those who launch. So of several kernels that follow
// each other only the last has an event, and most ends are told by the threads of the program: by who gives the queue
// more (collect()) and by who waits (help()). A thread of our own does it where neither happens, or not soon enough.
#pragma once

#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "libsamcl/device/early_ends.h"
#include "libsamcl/device/late_times.h"
#include "libsamcl/device/submission_queue.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/threads/worker.h"

namespace samcl {

// When something ran: ns of the host's clock.
struct RunTimes {
  uint64_t enqueued = 0;  // given to the driver's queue; 0: a thread ran it
  uint64_t began = 0, ended = 0;
  bool ended_before = false;                  // perhaps long before: nobody waited for it
  uint64_t computed = 0;                      // as the device itself tells; 0: it does not, or has not been asked
  std::shared_ptr<LateTimes> late = nullptr;  // who may ask it, where that has been left to others
};

// Commands of a driver's queue that count as in flight where a manager grants the device (device/run_ahead.h), and what
// they are expected to take.
struct InFlight {
  uint64_t commands = 0, ns = 0;
};

// A node that ran to its end.
struct CompletedNode {
  engine::NodePtr node;
  RunTimes run;
  uint64_t counted_ns = 0;  // what it was expected to take, with all that belongs to it (device/run_ahead.h)
  InFlight in_flight = {};  // what of it counts as that
  cl_int status = CL_SUCCESS;
};

// Events that nobody needs any more. A driver lets go of one only between two commands that it is given, and who gives
// them must not have to wait for who waits for that: a thread that nobody waits for releases them, or who finds too
// many. Threads: any.
class ReleasedEvents {
 public:
  ~ReleasedEvents() { release(); }
  void add(cl_event event);
  void release();

 private:
  static constexpr size_t kMost = 256;
  std::mutex mutex_;  // a leaf
  std::vector<cl_event> events_;
};

class CompletionQueue {
 public:
  // Who hears of them. Without locks of the caller's.
  class Listener {
   public:
    virtual ~Listener() = default;
    // It begins to run, as far as can be told. Only of nodes that are observed.
    virtual void began(const engine::Node& node, const RunTimes& run) = 0;
    // They have ended, in this order.
    virtual void ended(std::span<const CompletedNode> ended) = 0;
    // It, and who owns the queue, live as long as that does.
    virtual std::shared_ptr<Listener> keep_alive() = 0;
  };

  // Without thread until there is something to wait for. queue: in order, with all that was given to those before it;
  // calls: held by whoever gives it commands (RealDevice::Queue); both must live until we are destroyed. on_start: see
  // Worker.
  struct Device {
    bool fails_for_good = false;             // after a command that failed all others fail, too (driver::VendorFacts)
    SubmissionQueue* submissions = nullptr;  // what is on its way to the queue; outlives what is awaited
  };
  CompletionQueue(const std::atomic<cl_command_queue>& queue, std::mutex& calls, std::string thread_name,
                  const Device& device, std::function<void()> on_start = {});
  CompletionQueue(const std::atomic<cl_command_queue>& queue, std::mutex& calls, std::string thread_name)
      : CompletionQueue(queue, calls, std::move(thread_name), Device()) {}
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  // Something was enqueued behind all that came before, with an event or, if that is nullptr, without. promptly: its
  // end is to be heard of at once, soon: within kShortSilence; else that may take up to kLongestSilence.
  // Calls of this and the next two exclude each other. listener: of all that are awaited at a time the same, which is
  // kept alive as long as any is.
  void on_completion(cl_event event, engine::NodePtr node, Listener& listener, const Giving& giving);
  static constexpr std::chrono::microseconds kLongestSilence{5000}, kShortSilence{200};

  // What `enqueue` gives the queue belongs to that node, which ends with it, if the node came last and no marker waits
  // for it yet. False: nothing was given. As on_completion().
  // giving: its soon and counted_ns; of what is seen, whether it has an event of the driver's and when that is asked
  // for its times, late or never.
  // enqueue: is called with where to put the event of what it gives, or nullptr; whether it gave anything, or put it on
  // its way. seen: gets its end, before that; nullptr: nobody is to have it. own: is set to the end that the node has
  // had until now, if anybody sees it.
  template <typename Enqueue>
  bool extend(const engine::Node& node, const Giving& giving, std::shared_ptr<LateTimes>& own,
              std::shared_ptr<LateTimes>* seen, const Enqueue& enqueue) {
    std::lock_guard lock(mutex_);
    const bool has_times = seen && giving.times == Giving::Times::late;
    const std::optional<DeviceClock> clock = has_times ? clock_.present() : std::nullopt;
    if (!may_extend(node, own) || (has_times && !clock)) return false;
    begin_extension();
    std::shared_ptr<LateTimes> end = seen ? std::make_shared<LateTimes>(clock, now_ns()) : nullptr;
    if (seen) *seen = end;
    if (end) early_.add(end, node);  // before there is no way back
    cl_event event = nullptr;
    const bool is_given = enqueue(seen && giving.exactly ? &event : nullptr);
    begins_idle_ = false;
    if (!is_given) {
      if (end) early_.take_back();
      return false;
    }
    if (event) end->is_told_by(event);
    last_has(event, end);
    count_extension(giving);
    return true;
  }

  // The driver did not take a launch that belongs to that node, and was put on its way to the queue by extend()'s
  // `enqueue`: the node fails.
  void failed(const engine::Node& node, cl_int error);

  // Whether so many come without anybody waiting for them that it is worth while to give them on another thread.
  bool is_in_long_run() const;

  // The event that the node has of its own, which is left to the caller as by extend(); nullptr: it may not be
  // extended.
  std::shared_ptr<LateTimes> own_end(const engine::Node& node) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<LateTimes> own;
    return may_extend(node, own) ? own : nullptr;
  }

  // Waits until the queue has nothing left, where that owner's node came last, no event of its own waits for it and
  // nobody gives the queue more meanwhile; else, or if the driver fails, false. Its end is not told, but those of all
  // before it: what comes next may be one more of it. collect() tells it, or our thread. All ends of extend() and
  // own_end() are heard of then, however, by whoever has them. ended: is set to what is in flight no more. is_alone:
  // only where nothing is before it: what is told now seems to have ended now. Without locks of the caller's, as the
  // next.
  bool finish_untold(const engine::Owner* owner, InFlight& ended, bool is_alone = false);
  // All before that owner's node has ended: tells of it, if that node came last.
  void tell_before(const engine::Owner* owner);
  // What has that event, of extend(), has ended, and with it all before it: is heard of now. If nothing came after it,
  // as finish_untold(). Returns what is in flight no more. at_once: nobody had to wait for it. Any thread.
  InFlight ended_untold(const LateTimes& end, bool at_once = true);
  // Who waits for something that runs waits longer.
  static constexpr uint64_t kAtOnceNs = 4'000;
  // Whether nothing has come behind that owner's node, or behind that end (or nullptr). Any thread.
  bool is_last(const engine::Owner* owner, const LateTimes* end);
  // Waits for that end; whether it ended well. Any thread of the program, when all before it has been given.
  bool wait_for(LateTimes& end);
  // It gets an event, if it has none: that of all that the queue has by now. Likewise. False: the driver gives none.
  bool give_event(LateTimes& end);
  // Whether the queue has something to do, as far as is known. Any thread.
  bool has_work() const { return pending() > 0 && !has_untold(); }
  // Whether all that was given to it, and is awaited, is known to have ended. Any thread.
  bool is_idle() const {
    return has_untold() || begins_idle_.load(std::memory_order_relaxed) || (count_.load() == 0 && !telling_.load());
  }
  // Whether there is such an end. Any thread.
  bool has_untold() const { return finished_ns_.load(std::memory_order_relaxed) > 0; }
  // The same where nothing is on its way to the queue either. Under the context's lock.
  bool has_untold_end_of_all() const {
    return has_untold() && !(device_.submissions && device_.submissions->is_behind());
  }

  // Before something with an event is enqueued, or those without one before it would end no earlier than it does.
  void flush();

  // Appends what has ended by now, and nobody has been told; the caller does what a listener does. Looks seldom.
  void collect(std::vector<CompletedNode>& out);

  // If nodes of that owner or of one whose turn is up by its end (nullptr: any) are awaited: tells of those that have
  // ended, or, if none has, waits for the first ones on the calling thread, and tells. False if there are none or
  // another thread waits.
  bool help(const engine::Owner* owner);

  // An event of all that the queue has by now; nullptr if it cannot be had. Any thread.
  cl_event mark_end() const;
  // Waits until all that the queue has by now has ended; nobody is told. False: the driver failed. Any thread of the
  // program.
  bool wait_for_all();

  // Somebody waits for what is awaited by now; for all that will be, until he calls stop_hurrying(). Any thread.
  void hurry();
  void start_hurrying();
  void stop_hurrying();

  // Whether anything is, or is being told of.
  bool awaits_any();
  // How much is that no thread waits for by now.
  size_t pending() const { return count_.load(std::memory_order_relaxed); }
  // How much the queue has to do, as far as is known: what a thread waits for together counts as one. Any thread.
  size_t in_flight() const { return has_untold() ? 0 : pending() + (telling_.load(std::memory_order_relaxed) ? 1 : 0); }

  // Waits at most `milliseconds` until nothing is awaited; false if that takes longer.
  bool drain(int milliseconds);
  // The thread that will be needed begins now.
  void begin_thread() {
    thread_.post([] {});
  }
  // So that the thread sees Worker::end_threads_when_idle().
  void wake_thread();

  // Waits for a real event and releases it; its error if it failed. Any thread.
  static cl_int wait_for(cl_event event, DeviceTimes* times = nullptr);

 private:
  struct Pending {
    cl_event event;
    bool is_marker;                   // the event is that of a marker behind it
    std::shared_ptr<LateTimes> seen;  // who has the event, too (extend())
    uint64_t heard_ns;                // something behind it was heard to have ended then; 0: nothing
    bool promptly;
    Giving::Times times;
    CompletedNode node;
    bool counts_as_timed = false;
    bool has_own_end = false;  // somebody has that of the node itself, as it was before it grew
  };
  // Some that end together: only the last one may have an event.
  struct Batch {
    std::vector<CompletedNode> nodes;
    cl_event event = nullptr;
    bool is_marker = false;
    std::shared_ptr<LateTimes> seen;             // as in Pending
    uint64_t heard_ns = 0;                       // likewise; when the end was heard of, once it was
    Giving::Times times = Giving::Times::never;  // of the last one
    std::shared_ptr<Listener> listener;
    uint64_t finished_ns = 0;  // when the host knew that all had ended, if it does
    bool finished_at_once = false;
  };
  void begin_watching();
  bool leave_times(Batch& batch, const DeviceClock& clock, uint64_t heard_ns);
  void note_giver();
  void count_in_run(bool begins);
  void wait_for_launches(std::unique_lock<std::mutex>& lock);
  cl_int error_of(const engine::Node& node);
  bool may_extend(const engine::Node& node, std::shared_ptr<LateTimes>& own);
  void begin_extension();
  void count_extension(const Giving& giving);
  void last_has(cl_event event, std::shared_ptr<LateTimes> seen);
  void hear_all_of(const engine::Node& node, uint64_t heard_ns);
  void hear(const Batch& batch);
  cl_int enqueue_marker(cl_event* event) const;
  bool gives_alone_here() const;
  cl_int wait_for_end(Batch& batch, bool is_over) const;
  size_t count_over(size_t most) const;
  std::shared_ptr<Listener> take_over(std::vector<CompletedNode>& out);
  void look_later();
  static constexpr size_t kLook = 64;
  std::chrono::microseconds silence() const { return soon_ ? kShortSilence : kLongestSilence; }
  bool is_time() const;
  bool is_recent(const Pending& one) const;
  bool is_being_filled() const;
  Batch take(size_t left = 0);
  std::shared_ptr<Listener> take_ended(std::vector<CompletedNode>& out, size_t left = 0);
  void told();
  bool came_last(const engine::Owner* owner) const;
  void mark_last();
  void finish(Batch& batch, bool is_over = false);
  uint64_t told_until() const { return std::max(last_ended_ns_, early_.last_heard_ns()); }
  void wait_and_tell(Batch& batch);
  bool tell_before_last(std::unique_lock<std::mutex>& lock);
  std::weak_ptr<Listener> tell_next(std::unique_lock<std::mutex>& lock);
  void watch();
  void leave();

  const std::atomic<cl_command_queue>& queue_;
  std::mutex& calls_;  // taken under mutex_, or alone
  const Device device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<size_t> count_{0};           // pending_.size()
  std::atomic<size_t> look_at_{kLook};     // so many must be awaited for collect() to look. Changed under the mutex
  std::atomic<bool> telling_{false};       // some were taken from there, and perhaps have not ended
  std::atomic<bool> several_give_{false};  // threads of the program
  std::atomic<std::thread::id> giver_;     // the last one of these
  // Guarded by the mutex.
  std::deque<Pending> pending_;
  std::shared_ptr<Listener> listener_;  // while any is
  size_t unmarked_ = 0;                 // the last so many have no event,
  uint64_t unmarked_ns_ = 0;            // and are expected to take that long
  bool soon_ = false;                   // what came last is to be heard of soon
  size_t prompt_ = 0;                   // so many are to be heard of at once
  size_t timed_ = 0;                    // of so many it is asked when they ran, as soon as they have
  bool taken_ = false;                  // a thread waits for the first ones, and tells
  bool looked_ = false;                 // collect() has looked since our thread did
  bool watching_ = false;               // the thread's job runs, or is going to
  bool hurries_ = false;                // until nothing is awaited
  bool leaves_ = false;                 // then the job ends at once
  unsigned waiting_ = 0;
  std::atomic<uint64_t> finished_ns_{0};  // when what is awaited had all ended; 0: nobody knows
  bool finished_at_once_ = false;         // likewise: nobody had to wait for it
  std::atomic<bool> begins_idle_{false};  // something is being given behind all that had ended, as was known
  uint64_t extensions_ = 0;
  std::atomic<uint32_t> run_{0}, run_before_{0};  // how many came since somebody has waited for all, and before that
  unsigned closing_ = 0;  // so many threads wait for launches that are on their way: no more are taken on
  std::mutex failing_;    // a leaf; guards failed_
  std::atomic<bool> any_failed_{false};
  std::vector<std::pair<const engine::Node*, cl_int>> failed_;
  uint64_t last_enqueued_ns_ = 0, last_ended_ns_ = 0;
  uint64_t last_told_ns_ = 0;  // the last end but for those whose times come late
  LearnedClock clock_;
  EarlyEnds early_;                          // until their node's is heard of
  std::atomic<uint64_t> taken_heard_ns_{0};  // as Pending::heard_ns, of what is being told of
  ReleasedEvents released_;                  // by our thread, and whatever is left when it has ended
  Worker thread_;
};

}  // namespace samcl
