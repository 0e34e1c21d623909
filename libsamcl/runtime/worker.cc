#include "libsamcl/runtime/worker.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace samcl {
namespace {

std::atomic<bool> no_more_jobs{false};

}  // namespace

struct Worker::State {
  std::mutex mutex;
  std::condition_variable changed;  // a job came, the last job ended, or stop was set
  std::deque<std::function<void()>> jobs;
  bool busy = false;
  bool stop = false;
  std::thread thread;
  std::string name;
  std::function<void()> on_start;
};

Worker::Worker(std::string name, std::function<void()> on_start) : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
  state_->on_start = std::move(on_start);
}

Worker::~Worker() {
  std::thread thread;
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
    thread = std::move(state_->thread);
  }
  state_->changed.notify_all();
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id() || no_more_jobs) {
    thread.detach();
  } else {
    thread.join();
  }
}

void Worker::post(std::function<void()> job) {
  std::lock_guard lock(state_->mutex);
  state_->jobs.push_back(std::move(job));
  if (!state_->thread.joinable() && !state_->stop) {
    // The host program's signals are its own threads' business.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    state_->thread = std::thread([state = state_] { run(state); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  state_->changed.notify_all();
}

void Worker::start_no_more_jobs() { no_more_jobs = true; }

bool Worker::drain(int milliseconds) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, std::chrono::milliseconds(milliseconds),
                                  [&] { return (state_->jobs.empty() || no_more_jobs) && !state_->busy; });
}

void Worker::run(const std::shared_ptr<State>& state) {
  pthread_setname_np(pthread_self(), state->name.substr(0, 15).c_str());
  if (state->on_start) state->on_start();
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] { return (state->stop || !state->jobs.empty()) && !no_more_jobs; });
    if (state->jobs.empty()) return;
    std::function<void()> job = std::move(state->jobs.front());
    state->jobs.pop_front();
    state->busy = true;
    lock.unlock();
    job();
    job = nullptr;  // what it holds is destroyed here, outside the lock
    lock.lock();
    state->busy = false;
    if (state->jobs.empty() || no_more_jobs) state->changed.notify_all();
  }
}

}  // namespace samcl
