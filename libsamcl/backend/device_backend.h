// Does operations by OpenCL: the engine's backend for the devices of one context.
//
// The compute lane of a device that nobody manages and that works by itself is the driver's own queue: operations are
// given to it at once, under the context's lock or, while it is busy, by a thread that does only that
// (device/submission_queue.h), and a thread of the device waits for their ends. Where a manager grants
// such a device, short operations are given to it likewise as far as RunAhead lets them, and the thread of the lane,
// its feeder, gives it or does the others in their order. All other lanes are threads that do one operation after
// another. A thread of the program that is going to wait, or has just one short thing done, may do it in a lane's
// stead: waking a thread takes longer.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "libsamcl/backend/device_order.h"
#include "libsamcl/device/device_set.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/device/room.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/device/submission_queue.h"
#include "libsamcl/engine/backend.h"

namespace samcl {

class DeviceBackend : public engine::Backend, private CompletionQueue::Listener, private SubmissionQueue::Submitter {
 public:
  // What hears of ends, and lives as long as operations do.
  class EndListener {
   public:
    virtual ~EndListener() = default;
    // An operation that was issued has ended; some have, on one device in this order. Takes the context's lock.
    virtual void ended(const engine::NodePtr& node, cl_int status) = 0;
    virtual void ended(std::span<const CompletedNode> nodes) = 0;
    virtual std::shared_ptr<void> keep_alive() = 0;
    // The driver has no memory left on a device: gives back a replica there that nothing planned uses. False: there is
    // none. is_locked: by this thread, the context.
    virtual bool make_room(unsigned device, bool is_locked) = 0;
    // Nor is there one that nothing planned uses: sets one aside that is not needed now, whose bytes come back when an
    // operation uses it. Calls `guarded` under the context's lock with what does so, and returns what that returns.
    using SetAside = std::function<bool()>;
    virtual bool set_aside(unsigned device, const std::function<bool(const Storage&)>& is_needed,
                           const std::function<bool(const SetAside&)>& guarded) = 0;
  };
  DeviceBackend(DeviceSet& set, EndListener& listener) : set_(set), order_(set), listener_(listener) {}

  bool keeps_behind(const engine::Node& before, const engine::Node& after) const override;
  cl_int issue(const engine::NodePtr& node) override;
  void hurry(const engine::Node& node) override;
  void ended_by_now(std::vector<Ended>& out) override;

  // What was written to the next launch of that device's submissions is on its way.
  void put_launch(RealDevice& device) { device.submissions().put_launch(*this); }

  Worker& host_worker() { return host_; }

  // The driver has no memory left on a device: something is given back there that nothing planned uses; where there is
  // none, what runs there is waited for. False: that has all ended, and what is left is used by what was planned behind
  // who asks. Without the context's lock; not for its compute lane.
  bool make_room(RealDevice& device);

  // Does what a lane has to do and has not begun, if it is what this thread waits for (HelpingThread); false if there
  // is none. Without the context's lock.
  bool help_lanes();

  // While it lives, this thread may do an operation itself. Made before the context's lock is taken, and destroyed when
  // it has been given back: that is when the operation is done.
  class HelpingThread {
   public:
    enum class Role : uint8_t {
      waiting_program,  // the program waits for what is planned or issued meanwhile: whatever it is
      program,          // what a bare driver would do in the program's call as well
      lane,             // it has just ended an operation: short copies in host memory
    };
    // awaited: what the program waits for; without: whatever is issued meanwhile.
    explicit HelpingThread(Role role, const std::optional<Turn>& awaited = std::nullopt);
    ~HelpingThread();
    HelpingThread(const HelpingThread&) = delete;
    HelpingThread& operator=(const HelpingThread&) = delete;

   private:
    friend class DeviceBackend;
    void take(Worker& claimed, std::function<void()> job) {
      lane_ = &claimed;
      job_ = std::move(job);
    }
    const Role role_;
    const std::optional<Turn> awaited_;
    HelpingThread* const outer_;
    std::function<void()> job_;
    Worker* lane_ = nullptr;
  };

 private:
  void began(const engine::Node& node, const RunTimes& run) override;
  void ended(std::span<const CompletedNode> ended) override;
  std::shared_ptr<CompletionQueue::Listener> keep_alive() override { return {listener_.keep_alive(), this}; }

  void note_run(const CompletedNode& ended) const;
  bool is_driver_queue(engine::Lane lane) const;
  bool is_granted_queue(engine::Lane lane) const;
  void note_lost(std::span<const CompletedNode> ended) const;
  bool submits_on_thread(RealDevice& device) const;
  Worker& worker(engine::Lane lane);
  cl_int give_or_enter(const engine::NodePtr& node, const Giving& how, bool by_thread);
  Taken submit(const SubmissionQueue::Entry& entry, bool is_final) override;
  bool make_room(const SubmissionQueue::Entry& entry, SubmissionQueue::Lock context) override;
  bool give_before(const SubmissionQueue::Entry& entry, SubmissionQueue::Lock context) override {
    return order_.give_others(entry.giving, context);
  }
  void give(const LaunchRing::Launch& launch, uint32_t count) override;
  cl_int give_to_driver(const engine::NodePtr& node, Giving giving);
  cl_int give_up(const engine::Node& node, const Giving& giving, cl_int error);
  Giving giving(const engine::Node& node, bool is_awaited, bool may_wait) const;
  cl_int call_on_thread(const engine::NodePtr& node);
  cl_int do_on_thread(const engine::NodePtr& node);
  void do_on(Worker& lane, const engine::Node& node, bool is_claimed, std::function<void()> job);
  void tell_end(const engine::NodePtr& node, cl_int status);

  // On a device that a manager grants.
  uint64_t counted_ns(const engine::Node& node) const;
  cl_int run_ahead(const engine::NodePtr& node);
  Giving giving_under_lease(const RunAhead::Waiting& coming, uint64_t counted_ns, bool may_wait) const;
  static RunAhead::Waiting next_to_feed(RealDevice& device);
  void feed(RealDevice& device);
  cl_int feed_one(RealDevice& device, RunAhead::Waiting& next, bool& is_over);
  void note_ends(std::span<const CompletedNode> ended) const;
  bool claims(const engine::Node& node, Worker& lane) const;
  bool helps(const engine::Node& node) const;
  SmallVector<RealDevice*, 2> devices_with(const SmallVector<engine::NodePtr, 2>& nodes) const;
  cl_int execute(const engine::Node& node);
  // own_works: as how many that operation counts when the driver refuses it.
  Room room(const engine::Node& node, unsigned own_works);
  bool make_room_in_lane(RealDevice& device);
  bool make_room(RealDevice& device, const std::function<bool()>& lane_works);
  bool set_aside(const engine::Node& refused, unsigned own_works);

  // An operation that uses replicas: from before it asks for them until they are used no more.
  class Work {
   public:
    explicit Work(DeviceBackend& backend) : backend_(backend) { backend.begin_work(); }
    ~Work() { backend_.end_work(1); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    DeviceBackend& backend_;
  };
  void begin_work();
  void end_work(unsigned count) const { works_.fetch_sub(count); }

  mutable std::atomic<unsigned> works_{0};  // so many operations
  std::atomic<bool> sets_aside_{false};     // what begins now waits until a replica has been set aside
  DeviceSet& set_;
  const DeviceOrder order_;
  EndListener& listener_;
  std::vector<CompletedNode> collected_;  // by ended_by_now(), for the time of a call
  Worker host_{"samcl-host"};
};

}  // namespace samcl
