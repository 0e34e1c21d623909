// A thread that makes plans, one at a time, so that no lease waits for one. It runs at the ordinary
// priority, whatever that of the thread which makes it (SCHED_RESET_ON_FORK, see realtime.h).
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "sam-manager/planning/plan.h"

namespace samcl::daemon {

class Planner {
 public:
  using Job = std::function<planning::Plan()>;

  Planner();
  ~Planner();  // waits for the plan under way
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // Only while no other job is under way or waits to be taken.
  void start(Job job);

  // A file descriptor that is readable when a plan is done.
  int done() const { return done_; }
  std::optional<planning::Plan> take();

 private:
  void run();

  int done_;  // eventfd
  std::mutex mutex_;
  std::condition_variable changed_;
  Job job_;                             // guarded by mutex_
  std::optional<planning::Plan> plan_;  // likewise
  bool stop_ = false;                   // likewise
  std::thread thread_;
};

}  // namespace samcl::daemon
