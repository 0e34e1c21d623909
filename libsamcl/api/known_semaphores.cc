#include "libsamcl/api/known_semaphores.h"

namespace samcl::api {

void KnownSemaphores::created(cl_semaphore_khr semaphore, cl_platform_id platform, bool is_binary) {
  std::lock_guard lock(mutex_);
  Known& known = all_[semaphore] = {};
  known.platform = platform;
  known.is_binary = is_binary;
}

void KnownSemaphores::retained(cl_semaphore_khr semaphore) {
  std::lock_guard lock(mutex_);
  if (const auto found = all_.find(semaphore); found != all_.end()) ++found->second.references;
}

void KnownSemaphores::will_be_released(cl_semaphore_khr semaphore) {
  std::lock_guard lock(mutex_);
  const auto found = all_.find(semaphore);
  if (found != all_.end() && --found->second.references == 0) all_.erase(found);
}

cl_platform_id KnownSemaphores::platform_of(cl_semaphore_khr semaphore) {
  std::lock_guard lock(mutex_);
  const auto found = all_.find(semaphore);
  return found == all_.end() ? nullptr : found->second.platform;
}

void KnownSemaphores::signalled(std::span<const cl_semaphore_khr> semaphores, const std::shared_ptr<Event>& by) {
  std::lock_guard lock(mutex_);
  for (const cl_semaphore_khr semaphore : semaphores) {
    const auto found = all_.find(semaphore);
    if (found == all_.end() || !found->second.is_binary) continue;
    Known& known = found->second;
    const auto is_over = [](const std::shared_ptr<Event>& event) { return !event || event->ended(); };
    while (!known.pending.empty() && is_over(known.pending.front().second.lock())) known.pending.pop_front();
    known.pending.emplace_back(known.signals++, by);
  }
}

void KnownSemaphores::waited(std::span<const cl_semaphore_khr> semaphores) {
  std::lock_guard lock(mutex_);
  for (const cl_semaphore_khr semaphore : semaphores) {
    const auto found = all_.find(semaphore);
    if (found == all_.end()) continue;
    Known& known = found->second;
    ++known.waits;
    while (!known.pending.empty() && known.pending.front().first < known.waits) known.pending.pop_front();
  }
}

void KnownSemaphores::replaced(cl_semaphore_khr semaphore) {
  std::lock_guard lock(mutex_);
  const auto found = all_.find(semaphore);
  if (found == all_.end()) return;
  found->second.waits = found->second.signals;
  found->second.pending.clear();
}

KnownSemaphores::Events KnownSemaphores::signals_for_next_wait(std::span<const cl_semaphore_khr> semaphores) {
  Events events;
  std::lock_guard lock(mutex_);
  for (const cl_semaphore_khr semaphore : semaphores) {
    const auto found = all_.find(semaphore);
    if (found == all_.end()) continue;
    for (const auto& [number, signal] : found->second.pending) {
      if (number != found->second.waits) continue;
      if (auto event = signal.lock(); event && !event->ended()) events.push_back(std::move(event));
    }
  }
  return events;
}

}  // namespace samcl::api
