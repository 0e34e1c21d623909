#include "sam-manager/daemon/background.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace samcl::daemon {

Background::Background() : done_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

Background::~Background() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
  close(done_);
}

void Background::start(std::function<void()> job) {
  std::lock_guard lock(mutex_);
  job_ = std::move(job);
  changed_.notify_all();
}

bool Background::finished() {
  eventfd_t count = 0;
  return eventfd_read(done_, &count) == 0;
}

void Background::run() {
  pthread_setname_np(pthread_self(), "background");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || job_; });
    if (stop_) return;
    const auto job = std::exchange(job_, nullptr);
    lock.unlock();
    job();
    eventfd_write(done_, 1);
    lock.lock();
  }
}

}  // namespace samcl::daemon
