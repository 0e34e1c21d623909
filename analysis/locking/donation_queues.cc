#include "analysis/locking/donation_queues.h"

#include <algorithm>
#include <utility>

namespace samcl::analysis::locking {

void DonationQueues::arrive(const Priority& priority) {
  Job& job = jobs_[priority.task] = {priority};
  const auto place = pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), priority), priority);
  if (static_cast<size_t>(place - pending_.begin()) >= cpus_ || pending_.size() <= cpus_) return;
  Job& displaced = jobs_.at(pending_[cpus_].task);
  if (displaced.joined != kNoGpu)
    job.donee = displaced.priority.task;
  else
    job.donee = std::exchange(displaced.donee, std::nullopt);
}

void DonationQueues::leave(size_t task) {
  const auto found = jobs_.find(task);
  if (found == jobs_.end()) return;
  leave_queue(task);
  const bool was_candidate = is_candidate(task);
  const auto donee = found->second.donee;
  std::erase_if(pending_, [task](const Priority& pending) { return pending.task == task; });
  jobs_.erase(found);
  if (was_candidate && pending_.size() >= cpus_) {
    // Its request needs no donor any more, who may take over another's; else it does that itself.
    const size_t next = pending_[cpus_ - 1].task;
    const auto donor = donor_of(next);
    const auto heir = jobs_.at(next).joined != kNoGpu ? donor : std::optional(next);
    if (donor) jobs_.at(*donor).donee.reset();
    if (heir && donee != next) jobs_.at(*heir).donee = donee;
  }
  join_who_may();
}

void DonationQueues::request(size_t task, Time section, std::span<const int> gpus) {
  Job& job = jobs_.at(task);
  job.section = section;
  job.gpus.assign(gpus.begin(), gpus.end());
  job.is_outside = true;
  join_who_may();
}

void DonationQueues::release(size_t task) {
  leave_queue(task);
  join_who_may();
}

int DonationQueues::gpu_of(size_t task) const {
  const auto job = jobs_.find(task);
  return job == jobs_.end() ? kNoGpu : job->second.joined;
}

std::optional<size_t> DonationQueues::holder(int gpu) const {
  const Queue& queue = queues_[static_cast<size_t>(gpu)];
  return queue.tasks.empty() ? std::nullopt : std::optional(queue.tasks.front());
}

std::vector<size_t> DonationQueues::waiting_for(int gpu) const {
  const std::deque<size_t>& tasks = queues_[static_cast<size_t>(gpu)].tasks;
  std::vector<size_t> waiting;
  if (tasks.empty()) return waiting;
  waiting.assign(tasks.begin() + 1, tasks.end());
  for (const auto& [task, job] : jobs_)
    if (job.is_outside && job.donee && jobs_.at(*job.donee).joined == gpu) waiting.push_back(task);
  return waiting;
}

Priority DonationQueues::inherited(size_t task) const {
  Priority most = jobs_.at(task).priority;
  for (const size_t waiting : waiting_for(gpu_of(task))) most = std::min(most, jobs_.at(waiting).priority);
  return most;
}

bool DonationQueues::is_candidate(size_t task) const {
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(std::min(pending_.size(), cpus_));
  return std::any_of(pending_.begin(), end, [task](const Priority& pending) { return pending.task == task; });
}

std::optional<size_t> DonationQueues::donor_of(size_t task) const {
  for (const auto& [donor, job] : jobs_)
    if (job.donee == task) return donor;
  return std::nullopt;
}

int DonationQueues::choose(const Job& job) const {
  const auto has_less = [this](int a, int b) {
    return queues_[static_cast<size_t>(a)].work < queues_[static_cast<size_t>(b)].work;
  };
  if (!job.gpus.empty()) return *std::min_element(job.gpus.begin(), job.gpus.end(), has_less);
  int least = 0;
  for (int gpu = 1; gpu < static_cast<int>(queues_.size()); ++gpu)
    if (has_less(gpu, least)) least = gpu;
  return least;
}

void DonationQueues::join_who_may() {
  for (size_t place = 0; place < std::min(pending_.size(), cpus_); ++place) {
    Job& job = jobs_.at(pending_[place].task);
    if (!job.is_outside || job.donee) continue;
    job.is_outside = false;
    job.joined = choose(job);
    Queue& queue = queues_[static_cast<size_t>(job.joined)];
    const auto is_before = [this](const Priority& one, size_t other) { return one < jobs_.at(other).priority; };
    const auto behind_holder = queue.tasks.begin() + (queue.tasks.empty() ? 0 : 1);
    queue.tasks.insert(is_by_priority_ ? std::upper_bound(behind_holder, queue.tasks.end(), job.priority, is_before)
                                       : queue.tasks.end(),
                       job.priority.task);
    queue.work += job.section;
  }
}

void DonationQueues::leave_queue(size_t task) {
  const auto found = jobs_.find(task);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  job.is_outside = false;
  if (job.joined == kNoGpu) return;
  Queue& queue = queues_[static_cast<size_t>(job.joined)];
  std::erase(queue.tasks, task);
  queue.work -= job.section;
  job.joined = kNoGpu;
  if (const auto donor = donor_of(task)) jobs_.at(*donor).donee.reset();
}

}  // namespace samcl::analysis::locking
