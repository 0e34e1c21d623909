#include "analysis/locking/blocking.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis::locking {
namespace {

// The `count` longest critical sections of which each other user of the GPU offers as many as it can have
// jobs pending beside one of task i. `users`: longest section first.
Time longest_sections(const TaskSet& set, std::span<const size_t> users, std::span<const Time> late, size_t i,
                      Time count) {
  const Time window = set.tasks[i].period + late[i];
  Time sum = 0;
  for (const size_t j : users) {
    if (count == 0) break;
    if (j == i) continue;
    const Task& other = set.tasks[j];
    const Time jobs = (window + late[j] + 2 * other.period - 1) / other.period;
    const Time taken = std::min(count, jobs);
    sum += taken * other.section;
    count -= taken;
  }
  return sum;
}

// The users of GPUs by their critical sections.
struct SectionsByLength {
  explicit SectionsByLength(const TaskSet& set) : set(set) {
    for (size_t i = 0; i < set.tasks.size(); ++i)
      if (set.tasks[i].uses_gpu()) users.push_back(i);
    std::stable_sort(users.begin(), users.end(),
                     [&](size_t a, size_t b) { return set.tasks[a].section > set.tasks[b].section; });
    for (size_t place = 0; place < users.size(); ++place) sum.push_back(sum.back() + of(place));
  }

  Time of(size_t place) const { return set.tasks[users[place]].section; }

  // Sum of the `count` longest but for those at these places, in rising order.
  Time longest(int count, std::initializer_list<size_t> without) const {
    size_t end = std::min(static_cast<size_t>(count), users.size());
    Time left_out = 0;
    for (const size_t place : without) {
      if (place >= end) continue;
      left_out += of(place);
      end = std::min(end + 1, users.size());
    }
    return sum[end] - left_out;
  }

  const TaskSet& set;
  std::vector<size_t> users;    // longest first
  std::vector<Time> sum = {0};  // of the n longest
};

}  // namespace

const char* name(Protocol protocol) {
  constexpr const char* kNames[] = {"fmlp-long", "omlp", "donation", "smlp"};
  return kNames[static_cast<size_t>(protocol)];
}

std::vector<int> assign_gpus(const TaskSet& set) {
  const auto bandwidth = [&](size_t i) {
    return static_cast<double>(set.tasks[i].execution()) / static_cast<double>(set.tasks[i].period);
  };
  std::vector<size_t> users;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    if (set.tasks[i].uses_gpu()) users.push_back(i);
  std::stable_sort(users.begin(), users.end(), [&](size_t a, size_t b) { return bandwidth(a) > bandwidth(b); });
  std::vector<double> load(static_cast<size_t>(set.gpus), 0);
  std::vector<int> gpu_of(set.tasks.size(), kNoGpu);
  for (const size_t i : users) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += bandwidth(i);
    gpu_of[i] = static_cast<int>(least - load.begin());
  }
  return gpu_of;
}

std::vector<Time> fmlp_long_blocking(const TaskSet& set) {
  Time all = 0;
  for (const Task& task : set.tasks) all += task.section;
  std::vector<Time> blocking(set.tasks.size(), 0);
  for (size_t i = 0; i < blocking.size(); ++i)
    if (set.tasks[i].uses_gpu()) blocking[i] = (all - set.tasks[i].section) / set.gpus;
  return blocking;
}

std::vector<Time> omlp_blocking(const TaskSet& set, std::span<const int> gpu_of, std::span<const Time> late) {
  std::vector<Time> blocking(set.tasks.size(), 0);
  for (int gpu = 0; gpu < set.gpus; ++gpu) {
    std::vector<size_t> users;
    for (size_t i = 0; i < set.tasks.size(); ++i)
      if (gpu_of[i] == gpu) users.push_back(i);
    if (users.size() <= static_cast<size_t>(set.cpus)) {
      Time all = 0;
      for (const size_t i : users) all += set.tasks[i].section;
      for (const size_t i : users) blocking[i] = all - set.tasks[i].section;
      continue;
    }
    std::stable_sort(users.begin(), users.end(),
                     [&](size_t a, size_t b) { return set.tasks[a].section > set.tasks[b].section; });
    for (const size_t i : users) blocking[i] = longest_sections(set, users, late, i, 2 * Time{set.cpus} - 1);
  }
  return blocking;
}

std::vector<Time> loose_omlp_blocking(const TaskSet& set) {
  Time longest = 0;
  for (const Task& task : set.tasks) longest = std::max(longest, task.section);
  std::vector<Time> blocking(set.tasks.size(), 0);
  for (size_t i = 0; i < blocking.size(); ++i)
    if (set.tasks[i].uses_gpu()) blocking[i] = (2 * Time{set.cpus} - 1) * longest;
  return blocking;
}

std::vector<Time> donation_blocking(const TaskSet& set) {
  const SectionsByLength sections(set);
  const int most = set.cpus - 1, most_in_queue = most / set.gpus;
  const auto in_queue = [&](size_t i) {
    return std::min(sections.longest(most, {i}) / set.gpus, sections.longest(most_in_queue, {i}));
  };
  const size_t users = sections.users.size();
  // Behind the m longest and the task's own, all have the same in front of them.
  const size_t looked_at = users > static_cast<size_t>(set.cpus) ? static_cast<size_t>(set.cpus) + 2 : 0;
  std::vector<Time> blocking(set.tasks.size(), 0);
  for (size_t i = 0; i < users; ++i) {
    Time donating = 0;
    for (size_t j = 0; j < std::min(looked_at, users); ++j)
      if (j != i)
        donating = std::max(
            donating, std::min(in_queue(j), sections.longest(most, {std::min(i, j), std::max(i, j)})) + sections.of(j));
    blocking[sections.users[i]] = in_queue(i) + donating;
  }
  return blocking;
}

}  // namespace samcl::analysis::locking
