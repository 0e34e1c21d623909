// A thread with a queue of jobs. It starts with the first job and is gone when the Worker is destroyed, or, after
// end_threads_when_idle(), when there is no job left; the next one starts another.
//
// Where no thread can be made jobs are stranded: the program's own threads do them, between their calls and while they
// wait. At the end of the process all jobs are, and the thread that ends it does them while it waits.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/small_vector.h"
#include "base/turn.h"

namespace samcl {

class Worker {
  struct State;

 public:
  // on_start: called once on each new thread before its first job (may be empty).
  explicit Worker(std::string name, std::function<void()> on_start = {});

  // Runs the jobs that are queued to their end, then joins the thread. In a job (which dropped the last reference to
  // our owner) the calling thread runs them, and the worker's ends by itself after that job.
  ~Worker();

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Appends a job; jobs run one after another in that order. Any thread. Jobs must not throw. turn: see help().
  void post(std::function<void()> job, const Turn& turn = {});

  // The same, but where the calling thread has a Together: the worker's thread may sleep until the end of that.
  void post_together(std::function<void()> job, const Turn& turn = {});

  // While a thread has one, what it posts by post_together() begins together: the threads that sleep are woken at its
  // end, the last one first, or kLongestTogether after the first job. A thread that was woken at once could take the
  // processor, where these are few, from who has not yet posted the others' jobs. The innermost counts. End it without
  // locks, and before waiting for the jobs.
  class Together {
   public:
    Together();
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    friend class Worker;
    void wake_later(std::shared_ptr<State> state);
    void wake_all();
    SmallVector<std::shared_ptr<State>, 4> asleep_;
    std::chrono::steady_clock::time_point since_{};  // when the first of them came
    Together* const outer_;
  };
  static constexpr std::chrono::microseconds kLongestTogether{20};

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
  std::shared_ptr<State> add(std::function<void()> job, const Turn& turn);
  static void run(const std::shared_ptr<State>& state);
  static void run_all_stranded();
  static void run_stranded_of_all();
  static bool run_stranded_of(const std::shared_ptr<State>& state);

  static std::atomic<bool> any_stranded_;  // some worker may have stranded jobs
  std::shared_ptr<State> state_;           // shared with the thread, which may outlive us for a moment
};

}  // namespace samcl
