#include "libsamcl/threads/worker.h"

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/block_signals.h"
#include "libsamcl/threads/spin.h"

namespace samcl {
namespace {

std::atomic<bool> no_more_jobs{false};
std::atomic<bool> end_when_idle{false};
thread_local bool own_thread = false;
thread_local Worker::Together* together = nullptr;
std::atomic<pid_t> ending_thread{0};  // the one that called start_no_more_jobs()

// Jobs do not throw, unless memory is short where nobody can be told.
void run_job(std::function<void()>& job) {
  try {
    job();
  } catch (...) {  // jobs must not throw: the next ones run without it
  }
  job = nullptr;  // what it holds is destroyed here, outside the lock
}

// Makes a thread that the host program's signals do not reach: they are its own threads' business. Not joinable if
// there can be none.
template <typename Body>
std::thread make_thread(Body body) {
  const BlockSignals here;
  try {
    return std::thread(std::move(body));
  } catch (...) {
    return {};
  }
}

}  // namespace

std::atomic<bool> Worker::any_stranded_{false};

struct Worker::State {
  struct Job {
    std::function<void()> call;
    Turn turn;
  };
  // The first one. Under the mutex.
  std::function<void()> take() {
    std::function<void()> job = std::move(jobs.front().call);
    jobs.pop_front();
    begin_here();
    return job;
  }
  void begin_here() {
    busy = true;
    runner = std::this_thread::get_id();
  }

  std::mutex mutex;
  std::condition_variable changed;  // a job came, or may begin, or stop was set
  std::condition_variable idle;     // the last job ended
  std::deque<Job> jobs;
  bool busy = false;                // a job runs, on the thread or on that of run_claimed()
  std::thread::id runner;           // which, while it does
  std::atomic<bool> called{false};  // a job came or stop was set: what a thread that spins looks at
  bool asleep = false;              // the thread waits for `changed`
  bool stop = false;
  std::thread thread;
  std::string name;
  std::function<void()> on_start;

  // Of all workers that live.
  struct All {
    std::mutex mutex;
    std::vector<std::weak_ptr<State>> states;
  };
  static All& all() {
    static All* const all = new All;
    return *all;
  }
};

Worker::Worker(std::string name, std::function<void()> on_start) : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
  state_->on_start = std::move(on_start);
  State::All& all = State::all();
  std::lock_guard lock(all.mutex);
  std::erase_if(all.states, [](const std::weak_ptr<State>& state) { return state.expired(); });
  all.states.push_back(state_);
}

Worker::~Worker() {
  std::thread thread;
  {
    std::unique_lock lock(state_->mutex);
    // Its owner goes in a job of its own: the others are done at once, while what they use is there.
    while (state_->busy && state_->runner == std::this_thread::get_id() && !state_->jobs.empty() && !no_more_jobs) {
      std::function<void()> job = state_->take();
      lock.unlock();
      run_job(job);
      lock.lock();
    }
    state_->stop = true;
    state_->called = true;
    thread = std::move(state_->thread);
  }
  state_->changed.notify_all();
  if (!thread.joinable()) {
    if (!no_more_jobs) run_stranded_of(state_);
    return;
  }
  if (thread.get_id() == std::this_thread::get_id() || no_more_jobs) {
    thread.detach();
  } else {
    thread.join();
  }
}

// The thread to be woken for it, if that sleeps: without the lock, which it takes first.
std::shared_ptr<Worker::State> Worker::add(std::function<void()> job, const Turn& turn) {
  std::lock_guard lock(state_->mutex);
  state_->jobs.push_back({std::move(job), turn});
  state_->called.store(true, std::memory_order_release);
  if (!state_->thread.joinable() && !state_->stop && !no_more_jobs) {
    state_->thread = make_thread([state = state_] { run(state); });
  }
  if (!state_->thread.joinable()) any_stranded_ = true;
  return state_->asleep ? state_ : nullptr;
}

// From then on the job may drop the last reference to our owner.
void Worker::post(std::function<void()> job, const Turn& turn) {
  if (const auto asleep = add(std::move(job), turn)) asleep->changed.notify_all();
}

void Worker::post_together(std::function<void()> job, const Turn& turn) {
  auto asleep = add(std::move(job), turn);
  if (!asleep) return;
  if (together)
    together->wake_later(std::move(asleep));
  else
    asleep->changed.notify_all();
}

Worker::Together::Together() : outer_(std::exchange(together, this)) {}

Worker::Together::~Together() {
  together = outer_;
  wake_all();
}

void Worker::Together::wake_later(std::shared_ptr<State> state) {
  const auto now = std::chrono::steady_clock::now();
  if (asleep_.empty()) since_ = now;
  if (std::ranges::find(asleep_, state) == asleep_.end()) {
    if (asleep_.size() == asleep_.capacity()) wake_all();  // without memory of its own
    asleep_.push_back(std::move(state));
  }
  if (now - since_ > kLongestTogether) wake_all();
}

void Worker::Together::wake_all() {
  for (; !asleep_.empty(); asleep_.pop_back()) asleep_.back()->changed.notify_all();
}

bool Worker::help(const Turn& awaited) {
  std::unique_lock lock(state_->mutex);
  if (state_->busy || no_more_jobs || state_->jobs.empty() || !state_->jobs.front().turn.is_up_by(awaited))
    return false;
  const std::function<void()> job = state_->take();
  lock.unlock();
  run_claimed(job);
  return true;
}

bool Worker::claim() {
  std::lock_guard lock(state_->mutex);
  if (state_->busy || !state_->jobs.empty() || no_more_jobs) return false;
  state_->begin_here();
  return true;
}

void Worker::run_claimed(const std::function<void()>& job) {
  const std::shared_ptr<State> state = state_;  // the job may drop the last reference to our owner
  std::exception_ptr thrown;
  try {
    job();
  } catch (...) {
    thrown = std::current_exception();
  }
  std::unique_lock lock(state->mutex);
  state->busy = false;
  const bool others = !state->jobs.empty() || state->stop;
  lock.unlock();
  if (others) state->changed.notify_all();
  state->idle.notify_all();
  if (thrown) std::rethrow_exception(thrown);
}

void Worker::end_threads_when_idle() { end_when_idle = true; }

void Worker::start_no_more_jobs() {
  ending_thread = gettid();
  no_more_jobs = true;
}

bool Worker::ends_process_here() { return no_more_jobs && ending_thread == gettid(); }

bool Worker::may_go_on() { return !no_more_jobs || ends_process_here(); }

void Worker::run_stranded_at_end() {
  if (ends_process_here()) run_stranded_of_all();
}

void Worker::run_all_stranded() {
  if (!no_more_jobs) run_stranded_of_all();
}

void Worker::run_stranded_of_all() {
  for (bool more = true; more;) {
    more = false;
    any_stranded_ = false;
    std::vector<std::shared_ptr<State>> alive;
    {
      State::All& all = State::all();
      std::lock_guard lock(all.mutex);
      for (const auto& state : all.states) {
        if (auto one = state.lock()) alive.push_back(std::move(one));
      }
    }
    for (const auto& state : alive) more |= run_stranded_of(state);
  }
}

// Whether there was one.
bool Worker::run_stranded_of(const std::shared_ptr<State>& state) {
  bool any = false;
  std::unique_lock lock(state->mutex);
  while (!state->jobs.empty() && !state->busy && (!state->thread.joinable() || no_more_jobs)) {
    any = true;
    std::function<void()> job = state->take();
    lock.unlock();
    run_job(job);
    lock.lock();
    state->busy = false;
    state->idle.notify_all();
  }
  if (!state->jobs.empty()) state->changed.notify_all();  // a thread came meanwhile
  return any;
}

bool Worker::drain(int milliseconds) {
  std::unique_lock lock(state_->mutex);
  return state_->idle.wait_for(lock, std::chrono::milliseconds(milliseconds),
                               [&] { return (state_->jobs.empty() || no_more_jobs) && !state_->busy; });
}

bool Worker::is_own_thread() { return own_thread; }

void Worker::run(const std::shared_ptr<State>& state) {
  own_thread = true;
  pthread_setname_np(pthread_self(), state->name.substr(0, 15).c_str());
  if (state->on_start) state->on_start();
  std::unique_lock lock(state->mutex);
  while (true) {
    if (state->jobs.empty() && !state->stop && end_when_idle) {
      state->thread.detach();  // post() starts another; nobody else waits for this one
      return;
    }
    if (state->jobs.empty() && !state->stop) {
      state->called = false;
      lock.unlock();
      spin_until([&] { return state->called.load(std::memory_order_acquire); });
      lock.lock();
    }
    state->asleep = true;
    // Without a job the thread may end though one runs on another: that one may be what destroys the worker, or have
    // helped with the job that was to wake the thread.
    state->changed.wait(
        lock, [&] { return !no_more_jobs && (state->jobs.empty() ? state->stop || end_when_idle : !state->busy); });
    state->asleep = false;
    if (state->jobs.empty() && state->stop) return;
    if (state->jobs.empty()) continue;
    std::function<void()> job = state->take();
    lock.unlock();
    run_job(job);
    run_stranded();
    lock.lock();
    state->busy = false;
    if (state->jobs.empty() || no_more_jobs) state->idle.notify_all();
  }
}

}  // namespace samcl
