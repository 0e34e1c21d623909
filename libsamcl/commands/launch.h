// One kernel launch: decided on one device or on several when all before it is planned, and entered as operations.
//
// In parts whose footprint is known, each device gets what it may read, and what it wrote is valid there. What several
// devices may have written is merged: all of them start from the bytes of the host copy, and what they changed is found
// by comparing and brought together there (merge/).
#pragma once

#include <memory>

#include "libsamcl/commands/bring_ahead.h"
#include "libsamcl/commands/following.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/plan/launch_cost.h"
#include "libsamcl/plan/launch_plan.h"
#include "libsamcl/plan/what_if.h"

namespace samcl {

class Merging;
class TakingOver;

class KernelLaunch : public Command, public std::enable_shared_from_this<KernelLaunch> {
 public:
  KernelLaunch(LaunchRequest request, Context& context);
  KernelLaunch(const KernelLaunch&) = delete;
  KernelLaunch& operator=(const KernelLaunch&) = delete;
  ~KernelLaunch() override;

  void uses(Uses& uses) override;
  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override;
  void ended(cl_int error) override;
  std::shared_ptr<Command> again() override;
  bool may_be_followed(const Event& event, bool is_latest) const override;
  void leave_untold(Event& event) override;
  std::shared_ptr<Command> ahead() override { return std::exchange(ahead_, nullptr); }
  bool is_followed_by(const LaunchRequest& launch, const std::shared_ptr<Event>& seen) override;
  bool does_at_once(const Command& next, engine::AccessMap& program_memory) override;
  std::vector<std::shared_ptr<Buffer>> let_go() override;
  bool is_followed_by(const Command& next, const std::shared_ptr<Event>& seen,
                      engine::AccessMap& program_memory) override;
  bool is_followed_by(const Command& next, const std::shared_ptr<Event>& seen, engine::AccessMap& program_memory,
                      Arriving& arriving) override;
  // Where a device may be lost, its end tells whether this one was.
  bool tells_what_will_be() const override { return !merging_ && !survives(); }

  // These parts of one that has been planned so, which were lost with their devices: they run on others. What they
  // write is copied to host memory at once, or left there.
  enum class Again : bool { kept_at_once, left_there };
  KernelLaunch(const LaunchRequest& request, const LaunchPlan& lost, std::vector<Part> parts, Again how);

 private:
  // A part of it, as a device runs it. Shares the launch's life.
  class SubLaunch : public SubKernel {
   public:
    SubLaunch(KernelLaunch& launch, std::shared_ptr<Event> event, size_t index, const RealDevice& device);
    cl_int prepare(RealDevice& device) override;
    bool is_asked_for() const override;
    cl_int enqueue(RealDevice& device, const GroupBox& piece, const EventWanted& wanted) override;
    GroupBox box() const override { return plan_->parts[index_].box; }
    void slice(const RealDevice& device) override;
    bool uses(const Storage& memory) const override { return launch_.request_.arguments->use(memory); }
    const Slicing* slicing() const override;
    std::optional<Shared> shared() const override;
    cl_int bring_for_others() override;
    PieceTimes& times() const override { return *times_; }
    uint64_t work_items(const GroupBox& piece) const override;
    Giving::Times times_wanted() const override;
    void need_no_time() override;
    bool begins_apart() const override { return launch_.learns_speeds_; }
    void began(const RunTimes& run) override { event_->set_running(run.began); }
    void ran(const RealDevice& device, const RunTimes& run) override;
    void took_longer() override;

   private:
    RealKernel& real_kernel(const RealDevice& device) const;
    PieceTimes& times_of(const RealDevice& device) const;
    void learn_speed(const RealDevice& device, const GroupBox& box, uint64_t ns) const;

    KernelLaunch& launch_;
    const std::shared_ptr<Event> event_;
    const size_t index_;
    const LaunchPlan* plan_;  // the launch's, or once it is to be sliced after all, that
    PieceTimes* times_;
    const Slicing slicing_;
  };

  // What of a part is not on its device alone.
  struct Safety {
    std::atomic<bool> ran{false};        // the device has run it
    std::atomic<bool> is_unsafe{false};  // what it wrote is still there alone
  };

  const Kernel& kernel() const { return *request_.kernel; }
  bool survives() const { return kernel().program->context->survives(); }
  void plan_without_lost_devices(Context& context);
  void remember_before();
  void make_safe(Planner& planner, const Context& context);
  void prepare(Context& context);
  bool uses_untracked() const;
  bool may_be_computed_again(const Context& context) const;
  void find_runs(const Context& context);
  void begin_runs(Lineage& lineage);
  template <typename IsDone>
  void end_runs(IsDone is_done);
  bool is_done(size_t part) const;
  LaunchOptions find_options(Context& context);
  bool parts_are_of_interest(Context& context, OnePiece piece) const;
  uint64_t expected_whole_ns() const;  // 0: nothing is known
  OnePiece one_piece(const Context& context) const;
  void find_home(const Event& event, const Planner& planner);
  void find_strand(const Event& event, Planner& planner);
  bool may_have_parts() const { return options_.split || options_.why_not_split == kPartsMayNotPay; }
  void decide(Context& context);
  void follow_on_imagined(const Context& context);
  bool parts_pay(const Context& context, ComputingTimes times) const;
  uint64_t awaited_judging_ns(const Context& context) const;
  bool choose_way(Context& context, ComputingTimes times);
  void expect_order(Context& context, const ComputingTimes& times, uint64_t busy_groups) const;
  bool fits_all_kinds() const;
  bool joins_kinds(const Context& context);
  uint64_t find_timed_items(const Context& context) const;
  bool may_overlap(const Context& context) const;
  Places devices_used() const;
  void foresee(const std::shared_ptr<Context>& context);
  void count(const Event& event) const;
  void note_use() const;
  void bring_bytes(Planner& planner) const;
  void share_parts(Context& context);
  void learn_from_parts(CostModel& known) const;
  void bring_back_taken(Planner& planner);
  void run_parts(Planner& planner, const std::shared_ptr<Event>& event);
  bool may_have_strand() const;
  unsigned strand(const Planner& planner) const;
  void add_accesses(Planner::Accesses& accesses, unsigned device, size_t part) const;
  void note_written() const;
  bool may_go_ahead(const Event& event) const;
  void foresee_halos(const Planner& planner);
  void merge(Planner& planner, Context& context);

  const LaunchRequest request_;
  bool is_judged_ = true;  // what its parts would cost was found out, or it has none
  LaunchOptions options_;
  const LaunchPlan* plan_ = nullptr;  // the one that was taken
  bool is_beside_others_ = false;     // other queues' launches keep the other devices busy
  uint64_t unseen_ns_ = 0;            // then: of the launches before it that were not planned
  // What its times are for. Who gives one of its parts may find that they cannot be taken, while others give the rest.
  std::atomic<bool> timed_{false};
  std::atomic<bool> learns_work_{false};        // from its parts' times: where it lies
  std::atomic<bool> learns_speeds_{false};      // likewise: how fast devices are
  uint64_t busy_items_ = 0;                     // work-items with something to do, as far as it is judged by them
  uint64_t timed_items_ = 0;                    // of one that is timed, as they are found out
  std::vector<unsigned> tested_on_;             // one device of each kind, if it is to be tested
  bool is_all_ = false;                         // the command's only operation is the kernel on one device
  uint64_t predicted_ns_ = 0;                   // of all parts together; 0: nothing is known yet
  SmallVector<SubLaunch, 1> parts_;             // of the plan
  bool goes_ahead_ = false;                     // may_go_ahead()
  std::shared_ptr<BringAhead> ahead_;           // what the next launch will need of other devices; nullptr: unknown
  std::unique_ptr<SharedWork> shared_;          // what they take from; nullptr: each runs what the plan gives it
  std::vector<std::atomic<uint64_t>> part_ns_;  // of each, on its own device; empty: of no interest
  std::unique_ptr<TakingOver> taking_over_;     // where they do, and have memories of their own
  std::shared_ptr<Merging> merging_;
  std::weak_ptr<engine::Node> node_;  // of the only part
  Following following_;
  bool foresees_ = false;                        // what it takes is of interest for another process
  bool is_again_ = false;                        // it is decided how
  bool is_left_there_ = false;                   // what it writes, on its devices alone: it can be computed again
  std::vector<Run> runs_;                        // then: what they do, as it was asked last
  Lineage::Begun begun_;                         // one for each of these, while they are in flight
  std::vector<std::unique_ptr<Safety>> safety_;  // of each part, where devices may be lost
  std::vector<std::pair<std::shared_ptr<Storage>, Directory>> before_;  // of what is written, likewise
  std::unique_ptr<WhatIf::Launch> imagined_;                            // on machines that are, nullptr: there are none
  std::atomic<uint64_t> computing_ns_{0};                               // of all parts
  std::atomic<bool> is_measured_{true};  // by devices, and not by when the host heard of ends
};

}  // namespace samcl
