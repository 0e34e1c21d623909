// A thread for work that may take long or wait for the disk, one job at a time, so that no lease waits for
// it. It runs at the ordinary priority, whatever that of the thread which makes it (SCHED_RESET_ON_FORK, see
// realtime.h).
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace samcl::daemon {

class Background {
 public:
  Background();
  ~Background();  // waits for the job under way
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Only while no other job is under way or finished() has not been asked about it. The job must not throw.
  void start(std::function<void()> job);

  // A file descriptor that is readable when a job is done.
  int done() const { return done_; }
  // Whether the job that was started last is done; true once for each.
  bool finished();

 private:
  void run();

  int done_;  // eventfd
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // guarded by mutex_
  bool stop_ = false;          // likewise
  std::thread thread_;
};

}  // namespace samcl::daemon
