// A thread with a queue of jobs. It starts with the first job and is gone when the Worker is destroyed, or, after
// end_threads_when_idle(), when there is no job left; the next one starts another.
//
// Where no thread can be made jobs are stranded: the program's own threads do them, between their calls and while they
// wait. At the end of the process all jobs are, and the thread that ends it does them while it waits.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/turn.h"

namespace samcl {

class Worker {
 public:
  // on_start: called once on each new thread before its first job (may be empty).
  explicit Worker(std::string name, std::function<void()> on_start = {});

  // Runs the jobs that are queued to their end, then joins the thread. If called on the worker's own thread
  // (a job dropped the last reference to our owner) the thread ends by itself after that job.
  ~Worker();

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Appends a job; jobs run one after another in that order. Any thread. Jobs must not throw. turn: see help().
  void post(std::function<void()> job, const Turn& turn = {});

  // Does the next job on the calling thread if no job runs and that one's turn is up by the one that is awaited: who
  // waits for it need not wait until our thread is awake. False if there is none. Without locks.
  bool help(const Turn& awaited);

  // Takes the worker's place if no job runs or is queued; else false. Jobs wait until run_claimed() has been called,
  // once, which runs one on the calling thread.
  bool claim();
  void run_claimed(const std::function<void()>& job);

  // From now on no thread of any worker waits for jobs; one that sleeps already ends after its next job.
  static void end_threads_when_idle();

  // From now on no thread of a worker begins a job; those that run go on. For the end of the process, on the thread
  // that ends it.
  static void start_no_more_jobs();

  // Whether a job that does one thing after another may begin the next one.
  static bool may_go_on();

  // Does the jobs for which there is no thread, and those that come of them. Any thread, without locks.
  static void run_stranded() {
    if (any_stranded_.load(std::memory_order_relaxed)) [[unlikely]]
      run_all_stranded();
  }

  // Whether this thread is the one that ends the process: what it waits for it has to do itself. What it does not wait
  // for is not done: memory that it would be read into may be gone.
  static bool ends_process_here();
  static void run_stranded_at_end();

  // Whether this is a worker's thread, and not one of the program's that does a job in its stead.
  static bool is_own_thread();

  // Waits at most `milliseconds` until no job runs and none is going to; false if that takes longer.
  bool drain(int milliseconds);

 private:
  struct State;
  static void run(const std::shared_ptr<State>& state);
  static void run_all_stranded();
  static void run_stranded_of_all();
  static bool run_stranded_of(const std::shared_ptr<State>& state);

  static std::atomic<bool> any_stranded_;  // some worker may have stranded jobs
  std::shared_ptr<State> state_;           // shared with the thread, which may outlive us for a moment
};

}  // namespace samcl
