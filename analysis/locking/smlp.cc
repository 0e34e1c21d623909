#include "analysis/locking/smlp.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis::locking {
namespace {

// The most that one request can take of the parts' time.
Time most_area(const Task& task, int parts) {
  Time most = 0;
  for (int free = 1; free <= parts; ++free) {
    const int taken = parts_taken(task, free);
    most = std::max(most, taken * task.gpu_on(taken));
  }
  return most;
}

}  // namespace

int parts_taken(const Task& task, int free) {
  int taken = free;
  while (taken > 1 && task.gpu_on(taken - 1) <= task.gpu_on(free)) --taken;
  return taken;
}

std::vector<Time> smlp_blocking(const TaskSet& set) {
  std::vector<Time> areas(set.tasks.size(), 0);
  std::vector<size_t> users;
  Time longest_of_all = 0;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (!set.tasks[i].uses_gpu()) continue;
    users.push_back(i);
    areas[i] = most_area(set.tasks[i], set.parts);
    longest_of_all = std::max(longest_of_all, set.tasks[i].gpu_on(1));
  }
  std::sort(users.begin(), users.end(), [&](size_t a, size_t b) { return areas[a] > areas[b]; });
  std::vector<Time> blocking(set.tasks.size(), 0);
  for (const size_t i : users) {
    Time all = 0, ahead = 0, longest = 0;
    int left = set.cpus - 1;
    for (const size_t j : users) {
      if (j == i) continue;
      all += areas[j];
      if (left-- > 0) ahead += areas[j];
      longest = std::max(longest, set.tasks[j].gpu_on(1));
    }
    Time wait = std::min(all, ahead + set.parts * longest) / set.parts;
    if (set.slice > 0) wait += (wait / (set.slice - longest_of_all) + 1) * longest_of_all;
    blocking[i] = users.size() > static_cast<size_t>(set.cpus) ? 2 * wait : wait;
  }
  return blocking;
}

PartQueue::PartQueue(const TaskSet& set)
    : set_(set), free_(static_cast<size_t>(set.parts)), queue_(set.cpus), parts_of_(set.tasks.size()) {
  std::iota(free_.begin(), free_.end(), 0);
}

void PartQueue::release(size_t task) {
  free_.insert(free_.end(), parts_of_[task].begin(), parts_of_[task].end());
  std::sort(free_.begin(), free_.end());
  parts_of_[task].clear();
}

void PartQueue::grant(Time now) {
  for (size_t place = 0; place < queue_.in_order().size() && !free_.empty();) {
    const size_t task = queue_.in_order()[place].task;
    const int taken = parts_taken(set_.tasks[task], static_cast<int>(free_.size()));
    if (set_.slice > 0 && now % set_.slice + set_.tasks[task].gpu_on(taken) > set_.slice) {
      ++place;
      continue;
    }
    parts_of_[task].assign(free_.begin(), free_.begin() + taken);
    free_.erase(free_.begin(), free_.begin() + taken);
    queue_.erase(place);
  }
}

std::optional<Time> PartQueue::next_slice(Time now) const {
  if (queue_.in_order().empty() || free_.empty()) return std::nullopt;
  return (now / set_.slice + 1) * set_.slice;
}

}  // namespace samcl::analysis::locking
