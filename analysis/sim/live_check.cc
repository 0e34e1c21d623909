#include "analysis/sim/live_check.h"

#include <algorithm>
#include <climits>
#include <map>

namespace samcl::analysis {
namespace {

using Rule = Violation::Rule;
using Holding = LiveSchedule::Holding;

std::string us(Time time) { return std::to_string((time + 500) / 1000) + " us"; }

class Check {
 public:
  Check(const TaskSet& set, const Modes& modes, const Bounds& bounds, const LiveSchedule& live, Time tolerance,
        GrantOrder granted)
      : set_(set), modes_(modes), bounds_(bounds), live_(live), tolerance_(tolerance), granted_(granted) {
    const PriorityOrder order = priority_order(set);
    rank_.resize(set.tasks.size());
    for (size_t place = 0; place < order.size(); ++place) rank_[order[place]] = place;
    for (const Holding& holding : live.holdings) of_resource_[holding.name].push_back(&holding);
    for (auto& [name, holdings] : of_resource_)
      std::ranges::stable_sort(holdings, {}, [](const Holding* one) { return one->begin; });
  }

  std::vector<Violation> run() {
    exclusion();
    sections();
    priorities();
    jobs();
    std::ranges::stable_sort(found_, {}, &Violation::at);
    return std::move(found_);
  }

 private:
  void found(Rule rule, Time at, std::string what) { found_.push_back({rule, at, std::move(what)}); }
  const std::string& name_of(size_t program) const { return live_.programs[program].name; }
  const Task* task_of(size_t program) const {
    const auto& task = live_.programs[program].task;
    return task ? &set_.tasks[*task] : nullptr;
  }
  // Less is more urgent.
  size_t rank_of(size_t program) const {
    const auto& task = live_.programs[program].task;
    return task ? rank_[*task] : SIZE_MAX;
  }

  void exclusion() {
    for (const auto& [name, holdings] : of_resource_) {
      const Holding* before = nullptr;
      for (const Holding* holding : holdings) {
        if (before && before->program != holding->program && before->end > holding->begin + tolerance_)
          found(Rule::exclusion, holding->begin,
                name + ": " + name_of(holding->program) + " has it while " + name_of(before->program) + " does, for " +
                    us(std::min(before->end, holding->end) - holding->begin));
        if (!before || holding->end > before->end) before = holding;
      }
    }
  }

  // Of the task, or of the programs that the set has in place of those without a profile: its least urgent
  // tasks.
  Time longest_section(size_t program, Resource kind) const {
    Time longest = 0;
    const auto add = [&](const Task& task, int mode) {
      for (const Stage& stage : task.stages)
        if (stage.resource == kind) longest = std::max(longest, stage.section_in(mode));
    };
    if (const auto& task = live_.programs[program].task) {
      add(set_.tasks[*task], modes_[*task]);
    } else {
      for (size_t i = 0; i < set_.tasks.size(); ++i)
        if (set_.tasks[i].period == kLongest) add(set_.tasks[i], modes_[i]);
    }
    return longest;
  }

  void sections() {
    for (const Holding& holding : live_.holdings) {
      const Time longest = longest_section(holding.program, holding.kind);
      if (task_of(holding.program) && holding.section > longest + tolerance_)
        found(Rule::section, holding.begin,
              name_of(holding.program) + ": a section of " + us(holding.section) + " on " + holding.name + ", where " +
                  us(longest) + " are the longest");
    }
  }

  // By the policy, or since programs that no profile tells of come after all tasks, whatever it is.
  void priorities() {
    for (const LiveSchedule::Wait& wait : live_.waits) {
      const auto known = of_resource_.find(wait.name);
      if (known == of_resource_.end()) continue;
      for (const Holding* holding : known->second) {
        if (holding->begin >= wait.end) break;
        if (holding->end <= wait.begin || rank_of(holding->program) <= rank_of(wait.program)) continue;
        const Time kept = std::min(holding->end, wait.end) - std::max(holding->begin, wait.begin);
        const bool by_priority = granted_ == GrantOrder::priority;
        if (!by_priority && task_of(holding->program)) continue;
        if (by_priority && holding->begin > wait.begin + tolerance_)
          found(Rule::priority, holding->begin,
                wait.name + ": " + name_of(holding->program) + " gets it though " + name_of(wait.program) +
                    ", which is more urgent, has waited for " + us(holding->begin - wait.begin));
        else if (const Time longest = longest_section(holding->program, holding->kind); kept > longest + tolerance_)
          found(Rule::priority, wait.begin,
                wait.name + ": " + name_of(holding->program) + " keeps " + name_of(wait.program) +
                    ", which is more urgent, waiting for " + us(kept) + ", where a section of " + us(longest) +
                    " is the longest");
      }
    }
  }

  void jobs() {
    std::map<size_t, Time> last;  // release, by program
    std::vector<LiveSchedule::Job> ordered = live_.jobs;
    std::ranges::stable_sort(ordered, {}, &LiveSchedule::Job::begin);
    for (const LiveSchedule::Job& job : ordered) {
      const Task* task = task_of(job.program);
      if (!task) continue;
      const auto before = last.find(job.program);
      if (before != last.end() && job.begin + tolerance_ < before->second + task->period)
        found(Rule::period, job.begin,
              name_of(job.program) + ": a job begins " + us(job.begin - before->second) +
                  " after the one before, and its period is " + us(task->period));
      last[job.program] = job.begin;
      stages(job, *task);
      const TaskBound& bound = bounds_.tasks[*live_.programs[job.program].task];
      if (granted_ == GrantOrder::priority && bound.proven && job.end - job.begin > bound.response)
        found(Rule::bound, job.end,
              name_of(job.program) + ": a job takes " + us(job.end - job.begin) + ", and its bound is " +
                  us(bound.response));
    }
  }

  void stages(const LiveSchedule::Job& job, const Task& task) {
    const int mode = modes_[*live_.programs[job.program].task];
    for (const Resource kind : {Resource::link, Resource::gpu}) {
      Time most = 0;
      for (const Stage& stage : task.stages)
        if (stage.resource == kind) most += stage.worst_in(mode);
      for (const auto& [name, holdings] : of_resource_) {
        Time had = 0;
        for (const Holding* holding : holdings)
          if (holding->program == job.program && holding->kind == kind)
            had += std::max<Time>(0, std::min(job.end, holding->end) - std::max(job.begin, holding->begin));
        if (had > most + tolerance_)
          found(Rule::stages, job.begin,
                name_of(job.program) + ": a job has " + name + " for " + us(had) + ", and its stages there take " +
                    us(most) + " at most");
      }
    }
  }

  const TaskSet& set_;
  const Modes& modes_;
  const Bounds& bounds_;
  const LiveSchedule& live_;
  const Time tolerance_;
  const GrantOrder granted_;
  std::vector<size_t> rank_;  // by task
  std::map<std::string, std::vector<const Holding*>> of_resource_;
  std::vector<Violation> found_;
};

}  // namespace

const char* name(Rule rule) {
  constexpr const char* kNames[] = {"exclusion", "section", "priority", "stages", "period", "bound"};
  return kNames[static_cast<size_t>(rule)];
}

std::vector<Violation> check_live(const TaskSet& set, const Modes& modes, const Bounds& bounds,
                                  const LiveSchedule& live, Time tolerance, GrantOrder order) {
  return Check(set, modes, bounds, live, tolerance, order).run();
}

}  // namespace samcl::analysis
