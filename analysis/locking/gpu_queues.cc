#include "analysis/locking/gpu_queues.h"

#include <algorithm>

namespace samcl::analysis::locking {

GpuQueues::GpuQueues(const TaskSet& set, Protocol protocol)
    : set_(set),
      protocol_(protocol),
      assigned_(assign_gpus(set)),
      joined_(set.tasks.size(), kNoGpu),
      queues_(static_cast<size_t>(set.gpus)),
      donation_(set.cpus, set.gpus) {}

void GpuQueues::arrive(const Priority& priority) {
  if (donates()) donation_.arrive(priority);
}

void GpuQueues::leave(size_t task) {
  if (donates()) donation_.leave(task);
}

int GpuQueues::choose(size_t task) const {
  if (protocol_ == Protocol::omlp) return assigned_[task];
  const auto least =
      std::min_element(queues_.begin(), queues_.end(), [](const Queue& a, const Queue& b) { return a.work < b.work; });
  return static_cast<int>(least - queues_.begin());
}

void GpuQueues::request(const Priority& priority) {
  if (donates()) return donation_.request(priority.task, set_.tasks[priority.task].section);
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
  if (donates()) return donation_.release(task);
  Queue& queue = queues_[static_cast<size_t>(joined_[task])];
  joined_[task] = kNoGpu;
  queue.work -= set_.tasks[task].section;
  queue.in_order.pop_front();
  if (queue.by_priority.empty()) return;
  const auto next = std::min_element(queue.by_priority.begin(), queue.by_priority.end());
  queue.in_order.push_back(*next);
  queue.by_priority.erase(next);
}

bool GpuQueues::holds(size_t task) const {
  if (donates()) return donation_.holds(task);
  return joined_[task] != kNoGpu && queues_[static_cast<size_t>(joined_[task])].in_order.front().task == task;
}

Priority GpuQueues::inherited(size_t task) const {
  if (donates()) return donation_.inherited(task);
  const Queue& queue = queues_[static_cast<size_t>(joined_[task])];
  Priority most = *std::min_element(queue.in_order.begin(), queue.in_order.end());
  for (const Priority& waiting : queue.by_priority) most = std::min(most, waiting);
  return most;
}

}  // namespace samcl::analysis::locking
