#include "analysis/sim/liars.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/model/placement.h"

namespace samcl::analysis {
namespace {

// A stage of so long on the resource.
Stage stage_of(const Platform& platform, Resource resource, Time longest) {
  Stage stage;
  stage.resource = resource;
  stage.worst.assign(static_cast<size_t>(platform.gpus), std::max<Time>(1, longest));
  return stage;
}

// It comes about once for a budget, or several times.
Task part_of(const Task& liar, const std::string& name, Stage stage, Random& random) {
  Task part;
  part.name = liar.name + name;
  const Time budgets_apart = liar.period - liar.tolerated();
  part.period = part.deadline = std::max<Time>(1, budgets_apart / draw(random, 1, 3));
  part.stages.push_back(std::move(stage));
  return part;
}

// All of it at once, or a part.
Time some_of(Time all, Time least, Random& random) {
  switch (draw(random, 0, 2)) {
    case 0: return all;
    case 1: return least;
    default: return draw(random, std::min<Time>(1, all), all);
  }
}

}  // namespace

Liars::Liars(const TaskSet& set, std::span<const int> modes, const Bounds& bounds, std::span<const size_t> lying,
             Random& random) {
  set_.platform = set.platform;
  const PriorityOrder order = priority_order(set);
  const Placement placement = place_devices(set, order, modes);
  const auto lies = [&](size_t task) { return std::find(lying.begin(), lying.end(), task) != lying.end(); };
  std::vector<size_t> becomes(set.tasks.size());
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (lies(i)) continue;
    Task task = set.tasks[i];
    if (set.platform.bound) task.devices = placement[i];
    honest_.push_back(i);
    becomes[i] = add(std::move(task), modes[i]);
  }
  PriorityOrder last;
  for (const size_t i : order) {
    if (lies(i)) {
      add_cpus(set.tasks[i], modes[i], random);
      if (set.platform.bound) add_devices(set.tasks[i], modes[i], placement[i], bounds.tasks[i], random, last);
    } else {
      order_.push_back(becomes[i]);
    }
  }
  order_.insert(order_.end(), last.begin(), last.end());
}

size_t Liars::add(Task task, int mode) {
  set_.tasks.push_back(std::move(task));
  modes_.push_back(mode);
  return set_.tasks.size() - 1;
}

void Liars::add_cpus(const Task& liar, int mode, Random& random) {
  Budget budget;
  budget.period = liar.period;
  budget.early = liar.tolerated();
  Share& share = budget.shares.emplace_back();
  share.each = liar.cpu_time(set_.platform, mode) + set_.platform.cpus * liar.late;
  const Time longest = some_of(share.each, (share.each + set_.platform.cpus - 1) / set_.platform.cpus, random);
  for (int cpu = 0; cpu < set_.platform.cpus; ++cpu) {
    const Stage stage = stage_of(set_.platform, Resource::cpu, longest);
    share.tasks.push_back(add(part_of(liar, " computes " + std::to_string(cpu), stage, random), 1));
    order_.push_back(share.tasks.back());
  }
  budgets_.push_back(std::move(budget));
}

void Liars::add_devices(const Task& liar, int mode, const std::vector<int>& devices, const TaskBound& bound,
                        Random& random, PriorityOrder& last) {
  Budget budget;
  budget.period = liar.period;
  budget.early = liar.tolerated();
  budget.longest = bound.response + liar.late_lease;
  for (const Resource resource : {Resource::link, Resource::gpu}) {
    if (!liar.uses(resource)) continue;
    Share share;
    share.each = (resource == Resource::link ? bound.holds_link : bound.holds_gpu) + liar.late_lease;
    Time section = 0, host = 0;
    for (const Stage& stage : liar.stages) {
      if (stage.resource != resource) continue;
      share.requests += stage.requests;
      section = std::max(section, stage.section_in(mode));
      host = std::max(host, stage.longest_host_in(mode));
    }
    Stage has = stage_of(set_.platform, resource, some_of(share.each, section, random));
    has.section.assign(has.worst.size(), section);
    Stage has_for_now = has;  // while nobody more urgent wants it
    if (host > 0) {
      has_for_now.host = has_for_now.worst;
      has_for_now.host_section.assign(has.worst.size(), std::min(host, section));
    }
    for (const int device : devices) {
      Task urgent = part_of(liar, std::string(" has ") + name(resource) + " " + std::to_string(device), has, random);
      Task less =
          part_of(liar, std::string(" had ") + name(resource) + " " + std::to_string(device), has_for_now, random);
      urgent.devices = less.devices = {device};
      share.tasks = {add(std::move(urgent), 1)};
      order_.push_back(share.tasks.back());
      last.push_back(add(std::move(less), 1));
      share.less_urgent = last.back();
      budget.shares.push_back(share);
    }
  }
  budgets_.push_back(std::move(budget));
}

void Liars::enforce(BehaviourPlan& plan) const {
  for (const Budget& budget : budgets_) {
    enforce(budget, plan);
    for (const Share& share : budget.shares) enforce_one_at_a_time(share, plan);
  }
}

void Liars::enforce_one_at_a_time(const Share& share, BehaviourPlan& plan) {
  if (!share.less_urgent) return;
  for (PlannedJob& less : plan.jobs[*share.less_urgent]) {
    less.dropped = kNoInstant;
    for (const size_t task : share.tasks)
      for (const PlannedJob& job : plan.jobs[task]) {
        if (job.execution.front().front() == 0 || job.dropped <= less.release) continue;
        less.dropped = std::min(less.dropped, job.release);
      }
  }
}

void Liars::enforce(const Budget& budget, BehaviourPlan& plan) {
  struct Part {
    PlannedJob* job = nullptr;
    size_t share = 0;
  };
  struct Left {
    Time time = 0;
    int requests = 0;
  };
  std::vector<Part> parts;
  for (size_t share = 0; share < budget.shares.size(); ++share)
    for (const size_t task : budget.shares[share].tasks)
      for (PlannedJob& job : plan.jobs[task]) parts.push_back({&job, share});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.job->release < b.job->release; });
  std::optional<Time> due;
  Time begin = 0;
  std::vector<Left> left(budget.shares.size());
  std::vector<PlannedJob*> current;
  for (const auto& [job, number] : parts) {
    if (!due || job->release >= *due - budget.early) {
      begin = job->release;
      for (PlannedJob* before : current) before->dropped = std::min(before->dropped, begin);
      current.clear();
      due = std::max(begin, due.value_or(begin)) + budget.period;
      for (size_t n = 0; n < left.size(); ++n) {
        const int requests = budget.shares[n].requests;
        left[n] = {budget.shares[n].each, requests > 0 ? requests : std::numeric_limits<int>::max()};
      }
    }
    Left& rest = left[number];
    Time& time = job->execution.front().front();
    time = rest.requests == 0 ? 0 : std::min(time, rest.time);
    rest.time -= time;
    rest.requests -= time > 0 ? 1 : 0;
    job->dropped = budget.longest == kNoInstant ? kNoInstant : begin + budget.longest;
    current.push_back(job);
  }
}

}  // namespace samcl::analysis
