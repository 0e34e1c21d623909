#include "analysis/locking/gpu_queues.h"

#include <algorithm>
#include <utility>

namespace samcl::analysis::locking {

GpuQueues::GpuQueues(const TaskSet& set, Protocol protocol)
    : set_(set),
      protocol_(protocol),
      assigned_(assign_gpus(set)),
      joined_(set.tasks.size(), kNoGpu),
      queues_(static_cast<size_t>(set.gpus)),
      donee_(set.tasks.size()) {}

void GpuQueues::arrive(const Priority& priority) {
  if (protocol_ != Protocol::donation) return;
  const auto cpus = static_cast<size_t>(set_.cpus);
  const auto place = pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), priority), priority);
  if (static_cast<size_t>(place - pending_.begin()) >= cpus || pending_.size() <= cpus) return;
  const size_t displaced = pending_[cpus].task;
  if (joined_[displaced] != kNoGpu)
    donee_[priority.task] = displaced;
  else
    donee_[priority.task] = std::exchange(donee_[displaced], std::nullopt);
}

void GpuQueues::leave(size_t task) {
  if (protocol_ != Protocol::donation) return;
  const auto place =
      std::find_if(pending_.begin(), pending_.end(), [&](const Priority& pending) { return pending.task == task; });
  pending_.erase(place);
  const auto cpus = static_cast<size_t>(set_.cpus);
  if (pending_.size() >= cpus) free_donors_of(pending_[cpus - 1].task);
  join_who_may();
}

void GpuQueues::free_donors_of(size_t task) {
  for (auto& donee : donee_)
    if (donee == task) donee.reset();
}

bool GpuQueues::may_join(size_t task) const {
  const size_t candidates = std::min(pending_.size(), static_cast<size_t>(set_.cpus));
  return !donee_[task] && std::any_of(pending_.begin(), pending_.begin() + static_cast<long>(candidates),
                                      [&](const Priority& pending) { return pending.task == task; });
}

void GpuQueues::join_who_may() {
  std::sort(outside_.begin(), outside_.end());
  std::erase_if(outside_, [&](const Priority& waiting) {
    if (!may_join(waiting.task)) return false;
    join(waiting);
    return true;
  });
}

void GpuQueues::request(const Priority& priority) {
  if (protocol_ == Protocol::donation && !may_join(priority.task))
    outside_.push_back(priority);
  else
    join(priority);
}

int GpuQueues::choose(size_t task) const {
  if (protocol_ == Protocol::omlp) return assigned_[task];
  const auto least =
      std::min_element(queues_.begin(), queues_.end(), [](const Queue& a, const Queue& b) { return a.work < b.work; });
  return static_cast<int>(least - queues_.begin());
}

void GpuQueues::join(const Priority& priority) {
  const int gpu = choose(priority.task);
  joined_[priority.task] = gpu;
  Queue& queue = queues_[static_cast<size_t>(gpu)];
  queue.work += set_.tasks[priority.task].section;
  const bool fits = protocol_ != Protocol::omlp || queue.in_order.size() < static_cast<size_t>(set_.cpus);
  if (fits)
    queue.in_order.push_back(priority);
  else
    queue.by_priority.push_back(priority);
}

void GpuQueues::release(size_t task) {
  Queue& queue = queues_[static_cast<size_t>(joined_[task])];
  joined_[task] = kNoGpu;
  queue.work -= set_.tasks[task].section;
  queue.in_order.pop_front();
  free_donors_of(task);
  join_who_may();
  if (queue.by_priority.empty()) return;
  const auto next = std::min_element(queue.by_priority.begin(), queue.by_priority.end());
  queue.in_order.push_back(*next);
  queue.by_priority.erase(next);
}

bool GpuQueues::holds(size_t task) const {
  return joined_[task] != kNoGpu && queues_[static_cast<size_t>(joined_[task])].in_order.front().task == task;
}

Priority GpuQueues::inherited(size_t task) const {
  const Queue& queue = queues_[static_cast<size_t>(joined_[task])];
  Priority most = *std::min_element(queue.in_order.begin(), queue.in_order.end());
  for (const Priority& waiting : queue.by_priority) most = std::min(most, waiting);
  for (const Priority& waiting : outside_)
    if (const auto donee = donee_[waiting.task]; donee && joined_[*donee] == joined_[task])
      most = std::min(most, waiting);
  return most;
}

}  // namespace samcl::analysis::locking
