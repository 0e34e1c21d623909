#include "analysis/model/task_set.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "analysis/model/limits.h"

namespace samcl::analysis {
namespace {

std::string number(Time value) { return std::to_string(value); }

Result<void> check(const Platform& platform) {
  for (const auto& [field, count] :
       {std::pair{"cpus", platform.cpus}, {"pci", platform.links}, {"gpus", platform.gpus}})
    if (auto good = within(std::string("platform, ") + field, count, 1, kMaxElements, ""); !good) return good;
  if (platform.bound && platform.links != platform.gpus)
    return fail("platform, pci: " + std::to_string(platform.links) + ", expected " + std::to_string(platform.gpus) +
                ": where GPUs are bound, each has its own link");
  return {};
}

// `what` has a value for each mode, or none: "2 times, expected none or one for each of the 4 modes".
Result<void> by_mode(const std::string& what, size_t values, size_t modes, const char* kind = "times") {
  if (values == modes || values == 0) return {};
  return fail(what + ": " + std::to_string(values) + " " + kind + ", expected none or one for each of the " +
              std::to_string(modes) + " modes");
}

std::string in_mode(size_t k) { return " in mode " + std::to_string(k + 1); }

Result<void> check_requests(const Stage& stage, const std::string& where, int modes) {
  if (auto good = within(where + ", requests", stage.requests, 1, kMaxRequests, ""); !good) return good;
  if (stage.requests > 1 && stage.resource == Resource::cpu)
    return fail(where + ", requests: " + number(stage.requests) + ", expected none: CPUs are not asked for");
  if (!stage.between.empty() && stage.requests == 1)
    return fail(where + ", between: given, expected none for a single request");
  if (auto good = by_mode(where + ", between", stage.between.size(), static_cast<size_t>(modes)); !good) return good;
  for (int mode = 1; mode <= modes; ++mode) {
    const Time between = stage.between_in(mode);
    if (between < stage.requests - 1 || between > kLongest)
      return fail(where + ", between in mode " + std::to_string(mode) + ": " + number(between) + " ns, expected " +
                  number(stage.requests - 1) + " (1 ns before each request but the first) to " + number(kLongest));
  }
  return {};
}

Result<void> check_at_least_0(const std::vector<Time>& times, const std::string& where, size_t modes) {
  if (auto good = by_mode(where, times.size(), modes); !good) return good;
  for (size_t k = 0; k < times.size(); ++k)
    if (times[k] < 0) return fail(where + in_mode(k) + ": " + number(times[k]) + " ns, expected 0 or more");
  return {};
}

Result<void> check_host(const Stage& stage, const std::string& where, size_t modes) {
  if (!stage.host_section.empty() && stage.host.empty()) return fail(where + ", host_section: given without host");
  if (auto good = check_at_least_0(stage.host_section, where + ", host_section", modes); !good) return good;
  if (stage.host.empty()) return {};
  if (stage.resource == Resource::cpu) return fail(where + ", host: expected none, it is on a CPU");
  if (auto good = by_mode(where + ", host", stage.host.size(), modes); !good) return good;
  for (size_t k = 0; k < modes; ++k)
    if (stage.host[k] < 0 || stage.host[k] > stage.worst[k])
      return fail(where + ", host" + in_mode(k) + ": " + number(stage.host[k]) + " ns, expected 0 to the worst, " +
                  number(stage.worst[k]));
  return {};
}

Result<void> check_threads(const Stage& stage, const std::string& where, size_t modes) {
  if (stage.threads.empty()) return {};
  if (stage.resource != Resource::cpu && stage.requests == 1)
    return fail(where + ", threads: given, expected none for a single request");
  if (auto good = by_mode(where + ", threads", stage.threads.size(), modes, "numbers"); !good) return good;
  for (size_t k = 0; k < modes; ++k)
    if (auto good = within(where + ", threads" + in_mode(k), stage.threads[k], 1, kMaxElements, ""); !good) return good;
  return {};
}

Result<void> check_stage(const Task& task, size_t index, int modes) {
  const Stage& stage = task.stages[index];
  const auto count = static_cast<size_t>(modes);
  const std::string where = name_of(task, index);
  if (stage.worst.size() != count)
    return fail(where + ", worst: " + std::to_string(stage.worst.size()) + " times, expected one for each of the " +
                std::to_string(count) + " modes");
  if (auto good = by_mode(where + ", best", stage.best.size(), count); !good) return good;
  for (size_t k = 0; k < count; ++k) {
    const Time worst = stage.worst[k], best = stage.best.empty() ? 0 : stage.best[k];
    if (auto good = within(where + ", worst" + in_mode(k), worst, 1, kLongest); !good) return good;
    if (best < 0 || best > worst)
      return fail(where + ", best" + in_mode(k) + ": " + number(best) + " ns, expected 0 to the worst, " +
                  number(worst));
  }
  if (auto good = check_at_least_0(stage.section, where + ", section", count); !good) return good;
  if (stage.resource == Resource::cpu && std::ranges::any_of(stage.section, [](Time time) { return time > 0; }))
    return fail(where + ", section: CPUs are preemptive, expected none");
  if (auto good = check_host(stage, where, count); !good) return good;
  if (auto good = check_threads(stage, where, count); !good) return good;
  return check_requests(stage, where, modes);
}

Result<void> check_work(const Task& task, size_t modes) {
  const std::string where = "task \"" + task.name + "\", work";
  if (auto good = by_mode(where, task.work.size(), modes); !good) return good;
  for (size_t k = 0; k < task.work.size(); ++k) {
    const int mode = static_cast<int>(k) + 1;
    Time best = 0, longest = 0;
    for (const Stage& stage : task.stages) {
      best += stage.best_in(mode);
      longest = std::max(longest, stage.length_in(mode));
    }
    if (const Time least = std::max(best, longest); task.work[k] < least || task.work[k] > kLongest)
      return fail(where + in_mode(k) + ": " + number(task.work[k]) + " ns, expected " + number(least) +
                  " (what its longest stage, and all at best, take) to " + number(kLongest));
  }
  return {};
}

Result<void> check_devices(const Task& task, const Platform& platform) {
  const std::string where = "task \"" + task.name + "\", devices: ";
  if (!task.devices.empty() && !platform.bound)
    return fail(where + "given, expected none where the platform's GPUs are not bound");
  std::set<int> seen;
  for (const int device : task.devices) {
    if (auto good = within("task \"" + task.name + "\", devices", device, 0, platform.gpus - 1, ""); !good) return good;
    if (!seen.insert(device).second) return fail(where + std::to_string(device) + " twice, expected distinct ones");
  }
  return {};
}

// What only analysis/access/ knows.
Result<void> check_unpartitioned(const Task& task) {
  const std::string where = "task \"" + task.name + "\", ";
  const std::string why = "expected none for this analysis; sam-analyze access knows it";
  if (task.cpu) return fail(where + "cpu: " + why);
  if (task.jitter != 0) return fail(where + "jitter: " + why);
  if (task.offset) return fail(where + "offset: " + why);
  if (task.busy_waits)
    return fail(where + "busy_waits: true, expected false for this analysis; sam-analyze access knows it");
  if (task.gpu_priority) return fail(where + "gpu_priority: " + why);
  return {};
}

Result<void> check_partitioned(const Task& task, const Platform& platform) {
  const std::string where = "task \"" + task.name + "\", ";
  if (task.cpu ? *task.cpu < 0 || *task.cpu >= platform.cpus : platform.cpus > 1)
    return fail(where + "cpu: " + (task.cpu ? std::to_string(*task.cpu) : "missing") + ", expected 0 to " +
                std::to_string(platform.cpus - 1));
  if (auto good = within(where + "jitter", task.jitter, 0, kLongest); !good) return good;
  if (auto good = within(where + "offset", task.offset.value_or(0), 0, kLongest); !good) return good;
  if (task.late != 0) return fail(where + "late: expected none for this analysis; sam-analyze rta knows it");
  for (size_t j = 0; j < task.stages.size(); ++j)
    if (task.stages[j].most_threads() > 1)
      return fail(name_of(task, j) + ", threads: " + std::to_string(task.stages[j].most_threads()) +
                  ", expected 1: the task runs on one CPU");
  return {};
}

Result<void> check_task(const Task& task, const Platform& platform, Model model) {
  const std::string where = "task \"" + task.name + "\"";
  if (auto good = within(where + ", period", task.period, 1, kLongest); !good) return good;
  const bool arbitrary = model == Model::partitioned;
  if (task.deadline < 1 || task.deadline > (arbitrary ? kLongest : task.period))
    return fail(where + ", deadline: " + number(task.deadline) + " ns, expected 1 to " +
                (arbitrary ? number(kLongest) : "the period, " + number(task.period)));
  if (auto good = arbitrary ? check_partitioned(task, platform) : check_unpartitioned(task); !good) return good;
  if (task.stages.empty()) return fail(where + ", stages: none, expected at least one");
  for (size_t j = 0; j < task.stages.size(); ++j)
    if (auto good = check_stage(task, j, platform.gpus); !good) return good;
  if (auto good = check_work(task, static_cast<size_t>(platform.gpus)); !good) return good;
  if (task.most_gpus < 0 || task.most_gpus > platform.gpus)
    return fail(where + ", most_gpus: " + std::to_string(task.most_gpus) + ", expected 1 to " +
                std::to_string(platform.gpus) + ", or none");
  if (task.links != kIdleLinks && (task.links < kBusyLinks || task.links > kMaxLinks))
    return fail(where + ", links: " + std::to_string(task.links) + ", expected " + std::to_string(kBusyLinks) + " to " +
                std::to_string(kMaxLinks) + " per cent");
  if (auto good = within(where + ", late", task.late, 0, kLongest); !good) return good;
  if (task.late_lease < 0 || task.late_lease > (task.late > 0 ? kLongest : 0))
    return fail(where + ", late_lease: " + number(task.late_lease) + " ns, expected " +
                (task.late > 0 ? "0 to " + number(kLongest) : "none without late"));
  if (task.early < 0 || task.early > (task.late > 0 ? kLongest : 0))
    return fail(where + ", early: " + number(task.early) + " ns, expected " +
                (task.late > 0 ? "0 to " + number(kLongest) : "none without late"));
  if (task.late > 0 && !platform.bound && (task.uses(Resource::link) || task.uses(Resource::gpu)))
    return fail(where + ", late: expected none where the platform's GPUs are not bound and the task uses any");
  return check_devices(task, platform);
}

Result<void> check_priorities(const TaskSet& set) {
  std::set<int> seen;
  for (const Task& task : set.tasks) {
    const std::string where = "task \"" + task.name + "\", priority: ";
    if (task.priority.has_value() != set.tasks.front().priority.has_value())
      return fail(where + (task.priority ? "given" : "missing") +
                  ", expected for all tasks or for none (then deadline-monotonic)");
    if (task.priority && !seen.insert(*task.priority).second)
      return fail(where + std::to_string(*task.priority) + " is another task's too, expected distinct ones");
  }
  return {};
}

template <typename Before>
PriorityOrder sorted(const TaskSet& set, Before before) {
  PriorityOrder order(set.tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return before(set.tasks[a], set.tasks[b]); });
  return order;
}

}  // namespace

std::string name_of(const Task& task, size_t stage) {
  return "task \"" + task.name + "\", stage " + std::to_string(stage + 1) + " (" + name(task.stages[stage].resource) +
         ")";
}

const char* name(Resource resource) {
  switch (resource) {
    case Resource::cpu: return "CPU";
    case Resource::link: return "PCI";
    case Resource::gpu: return "GPU";
  }
  return "?";
}

int Platform::elements(Resource resource) const {
  switch (resource) {
    case Resource::cpu: return cpus;
    case Resource::link: return links;
    case Resource::gpu: return gpus;
  }
  return 1;
}

int Platform::subtasks(const Stage& stage, int mode) const {
  return stage.resource == Resource::cpu ? stage.threads_in(mode) : subtasks(stage.resource, mode);
}

std::string Platform::name_of(Resource resource, int element) const {
  if (bound && resource != Resource::cpu) return std::string(name(resource)) + " of device " + std::to_string(element);
  return std::string(name(resource)) + " " + std::to_string(element + 1);
}

Time Task::cpu_time(const Platform& platform, int mode) const {
  Time sum = 0;
  for (const Stage& stage : stages) {
    const int threads = stage.threads_in(mode);
    sum += threads * stage.between_in(mode) + platform.subtasks(stage, mode) * stage.host_in(mode);
    if (stage.resource == Resource::cpu) sum += threads * stage.worst_in(mode);
  }
  return sum;
}

int Stage::most_threads() const { return threads.empty() ? 1 : *std::max_element(threads.begin(), threads.end()); }

Time Stage::longest_host() const {
  Time longest = 0;
  for (size_t mode = 1; mode <= host.size(); ++mode)
    longest = std::max(longest, longest_host_in(static_cast<int>(mode)));
  return longest;
}

Time Stage::longest_host_in(int mode) const {
  const Time limit = host_section.empty() ? 0 : host_section[static_cast<size_t>(mode - 1)];
  return limit == 0 ? host_in(mode) : std::min(limit, host_in(mode));
}

Time Stage::section_in(int mode) const {
  if (resource == Resource::cpu) return 0;
  return whole_in(mode) ? worst_in(mode) : std::min(section[static_cast<size_t>(mode - 1)], worst_in(mode));
}

void lengthen_sections(Stage& stage, Time by) {
  for (Time& time : stage.section)
    if (time > 0) time += by;
}

bool Task::uses(Resource resource) const {
  return std::any_of(stages.begin(), stages.end(), [&](const Stage& stage) { return stage.resource == resource; });
}

int Task::largest_mode(const Platform& platform) const {
  const int most = devices.empty() ? platform.gpus : static_cast<int>(devices.size());
  return most_gpus == 0 ? most : std::min(most, most_gpus);
}

Time Task::work_in(int mode) const {
  Time sum = 0;
  for (const Stage& stage : stages) sum += stage.length_in(mode);
  return work.empty() ? sum : std::min(sum, work[static_cast<size_t>(mode - 1)]);
}

Result<void> check(const TaskSet& set, Model model) {
  if (auto good = check(set.platform); !good) return good;
  std::set<std::string> names;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (set.tasks[i].name.empty()) return fail("task " + std::to_string(i + 1) + ", name: empty");
    if (!names.insert(set.tasks[i].name).second)
      return fail("task \"" + set.tasks[i].name + "\", name: another task has it too");
    if (auto good = check_task(set.tasks[i], set.platform, model); !good) return good;
  }
  return check_priorities(set);
}

Result<void> check(const TaskSet& set, std::span<const int> modes) {
  if (modes.size() != set.tasks.size())
    return fail("modes: " + std::to_string(modes.size()) + ", expected one for each of the " +
                std::to_string(set.tasks.size()) + " tasks");
  for (size_t i = 0; i < modes.size(); ++i) {
    const int most = set.tasks[i].largest_mode(set.platform);
    if (modes[i] < 1 || modes[i] > most)
      return fail("task \"" + set.tasks[i].name + "\", mode: " + std::to_string(modes[i]) + ", expected 1 to " +
                  std::to_string(most) + (most < set.platform.gpus ? ", the most GPUs that it can use" : ""));
  }
  return {};
}

PriorityOrder deadline_monotonic(const TaskSet& set) {
  return sorted(set, [](const Task& a, const Task& b) { return a.deadline < b.deadline; });
}

PriorityOrder priority_order(const TaskSet& set) {
  if (set.tasks.empty() || !set.tasks.front().priority) return deadline_monotonic(set);
  return sorted(set, [](const Task& a, const Task& b) { return *a.priority > *b.priority; });
}

}  // namespace samcl::analysis
