#include "analysis/locking/gpu_queues.h"

#include <algorithm>

namespace samcl::analysis::locking {

void OmlpQueue::add(const Priority& priority) {
  by_priority_.push_back(priority);
  fill();
}

void OmlpQueue::erase(size_t place) {
  in_order_.erase(in_order_.begin() + static_cast<std::ptrdiff_t>(place));
  fill();
}

Priority OmlpQueue::most_urgent() const {
  Priority most = *std::min_element(in_order_.begin(), in_order_.end());
  for (const Priority& waiting : by_priority_) most = std::min(most, waiting);
  return most;
}

void OmlpQueue::fill() {
  while (in_order_.size() < most_ && !by_priority_.empty()) {
    const auto next = std::min_element(by_priority_.begin(), by_priority_.end());
    in_order_.push_back(*next);
    by_priority_.erase(next);
  }
}

// FMLP-Long's queues are those with donation where everybody is a candidate: nobody donates then.
GpuQueues::GpuQueues(const TaskSet& set, Protocol protocol)
    : set_(set),
      is_omlp_(protocol == Protocol::omlp),
      assigned_(assign_gpus(set)),
      omlp_(static_cast<size_t>(set.gpus), OmlpQueue(set.cpus)),
      queues_(protocol == Protocol::donation ? set.cpus : INT_MAX, set.gpus) {}

void GpuQueues::arrive(const Priority& priority) {
  if (!is_omlp_) queues_.arrive(priority);
}

void GpuQueues::leave(size_t task) {
  if (!is_omlp_) queues_.leave(task);
}

void GpuQueues::request(const Priority& priority) {
  if (is_omlp_)
    omlp_of(priority.task).add(priority);
  else
    queues_.request(priority.task, set_.tasks[priority.task].section);
}

void GpuQueues::release(size_t task) {
  if (is_omlp_)
    omlp_of(task).erase(0);
  else
    queues_.release(task);
}

bool GpuQueues::holds(size_t task) const {
  if (!is_omlp_) return queues_.holds(task);
  if (assigned_[task] == kNoGpu) return false;
  const auto& in_order = omlp_of(task).in_order();
  return !in_order.empty() && in_order.front().task == task;
}

Priority GpuQueues::inherited(size_t task) const {
  return is_omlp_ ? omlp_of(task).most_urgent() : queues_.inherited(task);
}

}  // namespace samcl::analysis::locking
