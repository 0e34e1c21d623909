#include "sam-manager/daemon/planner.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <exception>
#include <utility>

namespace samcl::daemon {

Planner::Planner() : done_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

Planner::~Planner() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
  close(done_);
}

void Planner::start(Job job) {
  std::lock_guard lock(mutex_);
  job_ = std::move(job);
  changed_.notify_all();
}

std::optional<planning::Plan> Planner::take() {
  eventfd_t count = 0;
  if (eventfd_read(done_, &count) != 0) return std::nullopt;
  std::lock_guard lock(mutex_);
  return std::exchange(plan_, std::nullopt);
}

void Planner::run() {
  pthread_setname_np(pthread_self(), "planner");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || job_; });
    if (stop_) return;
    const Job job = std::exchange(job_, nullptr);
    lock.unlock();
    planning::Plan plan;
    try {
      plan = job();
    } catch (const std::exception& problem) {
      plan.problem = problem.what();
    }
    lock.lock();
    plan_ = std::move(plan);
    eventfd_write(done_, 1);
  }
}

}  // namespace samcl::daemon
