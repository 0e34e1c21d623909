#include "sam-manager/planning/assignment.h"

#include <algorithm>
#include <climits>

#include "analysis/json/task_set_json.h"
#include "analysis/model/placement.h"
#include "analysis/modes/transition.h"
#include "base/duration.h"
#include "base/json_text.h"
#include "sam-manager/planning/profile.h"

namespace samcl::planning {

using analysis::Form;
using nlohmann::json;
using registry::Task;

namespace {

using Tasks = std::vector<const Task*>;

constexpr const char* kOthers = "(other programs on device ";  // no task of an administrator is called so

std::string time_text(uint64_t ns) { return format_duration(static_cast<analysis::Time>(ns)); }

bool is_others(const std::string& name) { return name.starts_with(kOthers); }

Tasks with_profile(const std::map<std::string, Task>& tasks) {
  Tasks profiled;
  for (const auto& [name, task] : tasks)
    if (!task.profile.empty()) profiled.push_back(&task);
  std::sort(profiled.begin(), profiled.end(), [](const Task* a, const Task* b) { return a->priority > b->priority; });
  return profiled;
}

// The devices that a task may use, as far as they can be told; empty: all.
std::vector<int> wished(const Task& task, const std::vector<std::string>& devices, int gpus) {
  std::vector<int> affinity;
  for (int index = 0; index < gpus; ++index) {
    const bool named = std::any_of(task.devices.begin(), task.devices.end(), [&](const std::string& name) {
      return name == std::to_string(index) ||
             (static_cast<size_t>(index) < devices.size() && devices[static_cast<size_t>(index)] == name);
    });
    if (named) affinity.push_back(index);
  }
  return affinity;
}

Result<analysis::Task> model(const Task& task, const Machine& machine, int gpus) {
  auto modelled = parse_profile(task.profile);
  if (!modelled) return fail("task \"" + task.name + "\", its profile: " + modelled.error().message);
  modelled->name = task.name;
  modelled->period = static_cast<analysis::Time>(task.period_ns);
  modelled->deadline = static_cast<analysis::Time>(task.deadline_ns);
  modelled->priority = task.priority;
  modelled->devices = wished(task, machine.devices, gpus);
  if (!modelled->devices.empty()) modelled->most_gpus = static_cast<int>(modelled->devices.size());
  fit_modes(*modelled, gpus);
  return modelled;
}

// All that is less urgent, as a task that delays others by a section and counts on nothing itself.
void add_others(analysis::TaskSet& set, int device, const Settings& settings) {
  analysis::Task others;
  others.name = kOthers + std::to_string(device) + ")";
  others.period = others.deadline = analysis::kLongest;
  others.priority = INT_MIN + device;
  others.devices = {device};
  for (const auto& [resource, longest] : {std::pair{analysis::Resource::link, settings.other_chunk_ns},
                                          {analysis::Resource::gpu, settings.other_slice_ns}}) {
    analysis::Stage stage;
    stage.resource = resource;
    const analysis::Time boundary = settings.handovers ? settings.handovers->section : 0;
    stage.worst.assign(static_cast<size_t>(set.platform.gpus), static_cast<analysis::Time>(longest) + boundary);
    if (longest > 0) others.stages.push_back(std::move(stage));
  }
  if (!others.stages.empty()) set.tasks.push_back(std::move(others));
}

int count_gpus(const Machine& machine, const Tasks& tasks) {
  if (machine.gpus > 0) return machine.gpus;
  if (!machine.devices.empty()) return static_cast<int>(machine.devices.size());
  int most = 1;
  for (const Task* task : tasks)
    if (const auto profile = parse_profile(task->profile))
      most = std::max(most, static_cast<int>(profile->stages.front().worst.size()));
  return most;
}

Result<analysis::TaskSet> model(const Tasks& tasks, const Machine& machine, const Settings& settings) {
  analysis::TaskSet set;
  const int gpus = count_gpus(machine, tasks);
  set.platform.cpus = machine.cpus;
  set.platform.links = set.platform.gpus = gpus;
  set.platform.bound = true;
  for (const Task* task : tasks) {
    auto modelled = model(*task, machine, gpus);
    if (!modelled) return tl::unexpected(modelled.error());
    const analysis::Handovers handovers = settings.handovers.value_or(analysis::Handovers{});
    if (settings.cpu_watch_ns) {
      modelled->late = static_cast<analysis::Time>(*settings.cpu_watch_ns) + handovers.section +
                       (analysis::own_handovers(*modelled, handovers) + machine.cpus - 1) / machine.cpus;
      modelled->late_lease = handovers.section;
      for (analysis::Stage& stage : modelled->stages)
        if (stage.longest_host() > 0) analysis::lengthen_sections(stage, static_cast<analysis::Time>(kDelayLookNs));
    }
    set.tasks.push_back(analysis::with_handovers(*std::move(modelled), handovers));
  }
  for (int device = 0; device < gpus; ++device) add_others(set, device, settings);
  if (auto good = analysis::check(set); !good) return fail(good.error().message);
  return set;
}

// What the analysis does not know of may be as urgent as the task.
std::string doubt_of(const Task& task, const std::map<std::string, Task>& tasks, const Settings& settings) {
  if (!settings.handovers) return "what a hand-over costs could not be measured";
  if (task.priority <= settings.default_priority)
    return "programs of no registered task run at priority " + std::to_string(settings.default_priority);
  for (const auto& [name, other] : tasks)
    if (other.profile.empty() && other.weight == 0 &&
        (other.priority >= task.priority || settings.policy != scheduler::kFixedPriority))
      return "task \"" + name + "\" is as urgent and has no profile";
  return "";
}

// What the analysis counts on and no profile tells.
std::string estimate_of(const analysis::TaskSet& set) {
  for (const analysis::Task& task : set.tasks)
    for (const analysis::Stage& stage : task.stages)
      if (stage.resource != analysis::Resource::cpu && stage.host.empty() && !is_others(task.name))
        return "the profile of \"" + task.name + "\" does not tell what CPU time its transfers and kernels need (host)";
  return "";
}

// Nor what the task's own transfers wait for, which take longer beside those on other links. What others' take longer
// than their profiles say is taken from them.
std::string idle_links(const analysis::TaskSet& set, const analysis::Task& task) {
  if (set.platform.links < 2 || task.links != analysis::kIdleLinks || !task.uses(analysis::Resource::link)) return "";
  return "the transfers of \"" + task.name + "\" were timed while other links were idle (links)";
}

// The manager sees jobs begin, not their release: after one that began late the next one seems early, and is held to
// what is left of the budgets of the one before, where that is not tolerated.
std::string begins_late(const AssignedTask& task) {
  if (task.late_start_ns <= task.early_ns) return "";
  return "its jobs may wait for a CPU for " + time_text(task.late_start_ns) +
         " before they begin, so that one seems to come too early after another (by more than " +
         time_text(task.early_ns) + ", and to tolerate that would cost another task its deadline)";
}

// The kernel's throttling is in no bound: whether tasks, wherever they compute, stay below what it begins at. At most
// so many jobs are under way in a period of it.
std::string throttled(const Assignment& plan, const analysis::TaskSet& set, const Settings& settings) {
  if (!settings.realtime) return "";
  const auto [runtime, period] = *settings.realtime;
  uint64_t all = 0;
  for (const AssignedTask& task : plan.tasks) {
    const auto same = std::ranges::find(set.tasks, task.name, &analysis::Task::name);
    if (!task.cpu_ns || !task.bound_ns)
      return "the kernel keeps real-time threads from CPUs now and then (kernel.sched_rt_runtime_us), and how much \"" +
             task.name + "\" computes is not known";
    const auto apart = static_cast<uint64_t>(same->period);
    all += (period + *task.bound_ns + apart - 1) / apart * *task.cpu_ns;
  }
  if (all <= runtime) return "";
  return "tasks may compute for " + time_text(all) + " in " + time_text(period) +
         ", and the kernel keeps real-time threads from a CPU on which they have for " + time_text(runtime) +
         " (kernel.sched_rt_runtime_us; -1 turns that off)";
}

// Which deadlines are met, the most urgent task's first.
std::vector<bool> met(const analysis::TaskSet& set, const analysis::Modes& modes) {
  const analysis::Bounds bounds = analysis::analyse(set, modes, Form::safe);
  std::vector<bool> met;
  for (const size_t task : analysis::priority_order(set))
    met.push_back(bounds.tasks[task].proven && bounds.tasks[task].response <= set.tasks[task].deadline);
  return met;
}

// The best policy looks for modes that meet all deadlines; where it finds none, for those that come near. Then what
// others choose may keep the deadlines of the most urgent tasks.
analysis::Modes modes_for(const analysis::TaskSet& set, analysis::ModePolicy policy) {
  const analysis::Choice choice = analysis::choose_modes(set, Form::safe, policy);
  if (choice.schedulable || policy != analysis::kBestPolicy) return choice.modes;
  analysis::Modes best = choice.modes;
  std::vector<bool> best_met = met(set, best);
  for (const analysis::ModePolicy other :
       {analysis::ModePolicy::single, analysis::ModePolicy::local, analysis::ModePolicy::gpa}) {
    const analysis::Modes modes = analysis::choose_modes(set, Form::safe, other).modes;
    std::vector<bool> others_met = met(set, modes);
    if (others_met <= best_met) continue;
    best = modes;
    best_met = std::move(others_met);
  }
  return best;
}

analysis::Time late_start(const analysis::TaskBound& bound) { return bound.stages.front().interference; }

// A change from one plan to another, as one set that can do all of both; none: it is not one, or not known.
std::optional<analysis::ModalTasks> change_from(const Assignment& before, const analysis::TaskSet& set,
                                                const analysis::Modes& modes) {
  if (before.tasks.empty()) return std::nullopt;
  const auto old = analysis::parse_task_set(before.task_set);
  if (!old) return std::nullopt;
  const auto both = analysis::either({old->set, old->modes}, {set, modes});
  return both ? std::optional(*both) : std::nullopt;
}

// For how long a job of the task can wait for a CPU before it begins: from now on, and while tasks change.
analysis::Time late_start(const analysis::TaskSet& set, const analysis::Modes& modes, const Assignment& before,
                          size_t task) {
  const analysis::TaskBound bound = analysis::analyse(set, modes, Form::safe).tasks[task];
  analysis::Time late = bound.proven ? late_start(bound) : 0;
  if (const auto both = change_from(before, set, modes)) {
    const auto same = std::ranges::find(both->set.tasks, set.tasks[task].name, &analysis::Task::name);
    const analysis::TaskBound changing = analysis::analyse(both->set, both->modes, Form::safe)
                                             .tasks[static_cast<size_t>(same - both->set.tasks.begin())];
    if (changing.proven) late = std::max(late, late_start(changing));
  }
  return late;
}

// Jobs that begin late are tolerated, where that costs no task its deadline: then they are none that come too early.
// That delays less urgent tasks alone, so the most urgent comes first.
void tolerate_late_starts(analysis::TaskSet& set, const analysis::Modes& modes, const Assignment& before) {
  for (const size_t i : analysis::priority_order(set)) {
    analysis::Task& task = set.tasks[i];
    if (task.late == 0) continue;
    const analysis::Time late = late_start(set, modes, before, i);
    if (late <= task.tolerated()) continue;
    const std::vector<bool> kept = met(set, modes);
    task.early = late;
    const std::vector<bool> keeps = met(set, modes);
    for (size_t k = 0; k < kept.size(); ++k)
      if (kept[k] && !keeps[k]) task.early = 0;
  }
}

// What the task is held to. Asking for links and GPUs takes its threads CPU time that no stage tells of.
void promise(AssignedTask& planned, const analysis::TaskSet& set, const analysis::Task& task,
             const analysis::TaskBound& bound, int mode, const analysis::Handovers& handovers) {
  analysis::Time budget = task.work_in(mode);
  const bool is_known = std::ranges::none_of(task.stages, [](const analysis::Stage& stage) {
    return stage.resource != analysis::Resource::cpu && stage.host.empty();
  });
  if (is_known)
    planned.cpu_ns =
        static_cast<uint64_t>(task.cpu_time(set.platform, mode) + analysis::own_handovers(task, handovers));
  for (size_t j = 0; j < task.stages.size(); ++j) {
    const analysis::Stage& stage = task.stages[j];
    if (stage.resource == analysis::Resource::gpu)
      planned.gpu_requests += static_cast<uint64_t>(stage.requests);
    else if (stage.resource == analysis::Resource::link)
      planned.link_requests += static_cast<uint64_t>(stage.requests);
    // It waits for CPUs there, and between requests.
    const bool waits = stage.resource == analysis::Resource::cpu || stage.requests > 1;
    if (waits && j < bound.stages.size()) budget += bound.stages[j].interference;
  }
  planned.budget_ns = static_cast<uint64_t>(budget);
  // While it waits for a CPU that it needs there it has it, too: who does not say how much it needs, or how long it
  // waits is not known, may have it up to its bound.
  const auto most = static_cast<analysis::Time>(planned.bound_ns.value_or(0));
  const bool is_bounded = is_known && !bound.stages.empty();
  planned.gpu_ns = static_cast<uint64_t>(is_bounded ? bound.holds_gpu : most);
  planned.link_ns = static_cast<uint64_t>(is_bounded ? bound.holds_link : most);
}

UnderPolicy under_fixed_priority(const analysis::TaskSet& set, const analysis::Bounds& bounds) {
  UnderPolicy fixed;
  fixed.policy = scheduler::kFixedPriority.name;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const analysis::TaskBound& bound = bounds.tasks[i];
    if (is_others(set.tasks[i].name)) continue;
    const bool is_known = bound.proven && bound.response != analysis::kUnbounded;
    fixed.tasks.push_back(
        {set.tasks[i].name, is_known ? std::optional(static_cast<uint64_t>(bound.response)) : std::nullopt});
  }
  return fixed;
}

// What is planned, as the policy's analysis bounds it.
void take_bound(AssignedTask& planned, const analysis::Task& task, const UnderPolicy& under,
                const UnderPolicy::Task& known) {
  planned.bound_ns = known.bound_ns;
  planned.doubt = under.problem;
  planned.estimate = under.estimate;
  if (!known.bound_ns) return;
  planned.terms = {{Term::Kind::deadline, "", task.deadline},
                   {Term::Kind::tardiness, "", static_cast<analysis::Time>(known.late_ns)}};
}

void choose(analysis::TaskSet& set, const Settings& settings, const Assignment& before, Assignment& plan) {
  const analysis::Handovers handovers = settings.handovers.value_or(analysis::Handovers{});
  const bool uses_any = settings.policy.candidates > 0;
  const bool is_single = settings.policy.gives_own_gpus();
  const analysis::Modes modes = is_single ? analysis::Modes(set.tasks.size(), 1) : modes_for(set, settings.modes);
  if (settings.policy == scheduler::kFixedPriority) tolerate_late_starts(set, modes, before);
  const analysis::Bounds bounds = analysis::analyse(set, modes, Form::safe);
  const auto devices = analysis::place_devices(set, analysis::priority_order(set), modes);
  const PlacedTasks placed{set, modes, devices, is_others, handovers};
  plan.task_set = analysis::format_task_set({set, modes});
  for (const scheduler::Policy& policy : scheduler::policies(set.platform.cpus))
    plan.under.push_back(policy == scheduler::kFixedPriority ? under_fixed_priority(set, bounds)
                                                             : bounds_under(policy, placed));
  const auto active = std::ranges::find(plan.under, settings.policy.name, &UnderPolicy::policy);
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (is_others(set.tasks[i].name)) continue;
    AssignedTask task;
    task.name = set.tasks[i].name;
    task.priority = *set.tasks[i].priority;
    task.deadline_ns = static_cast<uint64_t>(set.tasks[i].deadline);
    task.early_ns = static_cast<uint64_t>(set.tasks[i].tolerated());
    task.mode = modes[i];
    task.uses_any = uses_any;
    if (uses_any) task.critical_section_ns = static_cast<uint64_t>(critical_section(placed, set.tasks[i]));
    for (const int device : devices[i]) task.devices.push_back(static_cast<uint8_t>(device));
    if (settings.policy != scheduler::kFixedPriority) {
      take_bound(task, set.tasks[i], *active, active->tasks[plan.tasks.size()]);
      promise(task, set, set.tasks[i], {}, modes[i], handovers);
      task.budget_ns = 0;  // what it waits for CPUs is not known
    } else if (bounds.tasks[i].response != analysis::kUnbounded && bounds.tasks[i].proven) {
      task.bound_ns = static_cast<uint64_t>(bounds.tasks[i].response);
      promise(task, set, set.tasks[i], bounds.tasks[i], modes[i], handovers);
      task.late_start_ns = static_cast<uint64_t>(late_start(bounds.tasks[i]));
      task.terms = explain(set, modes, bounds, i, handovers);
    }
    plan.sections[task.name] = longest_sections(set.tasks[i], modes[i], modes[i]);
    plan.tasks.push_back(std::move(task));
  }
}

// At the change at most one job of each task is under way if none is later than its period. Before each
// request of a job a section of the others may be in the way.
std::optional<uint64_t> transition_after(const analysis::TaskSet& before, const analysis::Modes& old_modes,
                                         const analysis::TaskSet& now, const analysis::Modes& modes,
                                         const Assignment& plan) {
  for (const AssignedTask& task : plan.tasks)
    if (!task.changing_ns || *task.changing_ns > task.deadline_ns) return std::nullopt;
  auto both = analysis::either({before, old_modes}, {now, modes});
  if (!both) return std::nullopt;
  analysis::Time slice = 0, chunk = 0;
  for (const analysis::Task& task : now.tasks)
    for (const analysis::Stage& stage : task.stages)
      if (is_others(task.name)) (stage.resource == analysis::Resource::gpu ? slice : chunk) = stage.worst_in(1);
  analysis::ModalTasks known;
  known.set.platform = both->set.platform;
  std::vector<analysis::Time> besides;
  for (size_t i = 0; i < both->set.tasks.size(); ++i) {
    const analysis::Task& task = both->set.tasks[i];
    if (is_others(task.name)) continue;
    known.set.tasks.push_back(task);
    known.modes.push_back(both->modes[i]);
    besides.push_back(0);
    for (const analysis::Stage& stage : task.stages)
      if (stage.resource != analysis::Resource::cpu)
        besides.back() += stage.requests * (stage.resource == analysis::Resource::gpu ? slice : chunk);
  }
  const auto idle = analysis::idle_within(known, besides);
  return idle ? std::optional(static_cast<uint64_t>(*idle)) : std::nullopt;
}

// Bounds for as long as jobs of both plans may be under way.
Result<void> bound_change(const Assignment& before, Assignment& plan) {
  if (before.tasks.empty() || before.task_set == plan.task_set) {
    for (AssignedTask& task : plan.tasks) {
      const AssignedTask* known = before.find(task.name);
      task.changing_ns = known ? known->changing_ns : task.bound_ns;
    }
    plan.changing = before.changing;
    plan.transition_ns = before.transition_ns;
    return {};
  }
  const auto old = analysis::parse_task_set(before.task_set), now = analysis::parse_task_set(plan.task_set);
  if (!old) return fail(old.error().message);
  if (!now) return fail(now.error().message);
  const auto both = analysis::either({old->set, old->modes}, {now->set, now->modes});
  if (!both) return fail(both.error().message);
  const analysis::Bounds bounds = analysis::analyse(both->set, both->modes, Form::safe);
  for (AssignedTask& task : plan.tasks)
    for (size_t i = 0; i < both->set.tasks.size(); ++i)
      if (both->set.tasks[i].name == task.name && bounds.tasks[i].proven &&
          (both->set.tasks[i].late == 0 || static_cast<uint64_t>(late_start(bounds.tasks[i])) <= task.early_ns))
        task.changing_ns = static_cast<uint64_t>(bounds.tasks[i].response);
  plan.transition_ns = transition_after(old->set, old->modes, now->set, now->modes, plan);
  return {};
}

json to_json(const AssignedTask& task, const std::string& unenforced) {
  return {{"mode", task.mode},
          {"bound_ns", task.bound_ns ? json(*task.bound_ns) : json()},
          {"changing_ns", task.changing_ns ? json(*task.changing_ns) : json()},
          {"meets_deadline", task.meets_deadline()},
          {"guaranteed", task.guaranteed() && unenforced.empty()}};
}

}  // namespace

const AssignedTask* Assignment::find(const std::string& name) const {
  const auto found =
      std::find_if(tasks.begin(), tasks.end(), [&](const AssignedTask& task) { return task.name == name; });
  return found == tasks.end() ? nullptr : &*found;
}

Assignment unplanned(const std::map<std::string, Task>& tasks, const Settings& settings) {
  Assignment plan;
  plan.policy = settings.policy.name;
  for (const auto& [name, task] : tasks)
    if (task.profile.empty() && task.weight == 0) plan.unprofiled.push_back(name);
  plan.sections = longest_sections(tasks, settings.handovers.value_or(analysis::Handovers{}));
  return plan;
}

Assignment assign_modes(const std::map<std::string, Task>& tasks, const Machine& machine, const Settings& settings,
                        const Assignment& before) {
  Assignment plan = unplanned(tasks, settings);
  const Tasks profiled = with_profile(tasks);
  if (profiled.empty()) return plan;
  auto set = model(profiled, machine, settings);
  if (!set) {
    plan.problem = set.error().message;
    return plan;
  }
  choose(*set, settings, before, plan);
  for (AssignedTask& task : plan.tasks) {
    if (const std::string doubt = doubt_of(tasks.at(task.name), tasks, settings); !doubt.empty()) task.doubt = doubt;
    if (const std::string estimate = estimate_of(*set); !estimate.empty()) task.estimate = estimate;
    const auto modelled = std::ranges::find(set->tasks, task.name, &analysis::Task::name);
    if (task.estimate.empty()) task.estimate = idle_links(*set, *modelled);
    if (task.estimate.empty()) task.estimate = begins_late(task);
  }
  if (const std::string estimate = throttled(plan, *set, settings); !estimate.empty())
    for (AssignedTask& task : plan.tasks)
      if (task.estimate.empty()) task.estimate = estimate;
  if (settings.policy != scheduler::kFixedPriority)
    plan.changing = "the analysis of " + plan.policy + " does not tell of changes";
  else if (!before.tasks.empty() && before.policy != plan.policy)
    plan.changing = "the policy was " + before.policy + " before";
  else if (auto good = bound_change(before, plan); !good)
    plan.changing = good.error().message;
  return plan;
}

namespace {

std::string lateness(const AssignedTask& task) {
  const std::string name = "\"" + task.name + "\"";
  if (!task.bound_ns) return name + " may take longer than its period";
  if (!task.doubt.empty()) return name + ": " + task.doubt;
  return name + " may take " + time_text(*task.bound_ns) + ", " + time_text(*task.bound_ns - task.deadline_ns) +
         " beyond its deadline of " + time_text(task.deadline_ns);
}

std::string lateness_in_change(const AssignedTask& task) {
  return "\"" + task.name + "\" may take " +
         (task.changing_ns
              ? time_text(*task.changing_ns) + ", beyond its deadline of " + time_text(task.deadline_ns) + ","
              : std::string("longer than its period")) +
         " while tasks change";
}

}  // namespace

std::string objection(const Assignment& before, const Assignment& after, const std::string& newcomer) {
  if (!after.problem.empty()) return after.problem;
  const bool guards = std::any_of(before.tasks.begin(), before.tasks.end(),
                                  [](const AssignedTask& task) { return task.meets_deadline(); });
  if (guards && !after.changing.empty()) return "while tasks change, nothing is known: " + after.changing;
  std::string all;
  for (const AssignedTask& task : after.tasks) {
    const AssignedTask* known = before.find(task.name);
    const bool matters = task.name == newcomer || (known && known->meets_deadline());
    if (matters && !task.meets_deadline())
      all += (all.empty() ? "" : "; ") + lateness(task);
    else if (known && known->meets_deadline() && (!task.changing_ns || *task.changing_ns > task.deadline_ns))
      all += (all.empty() ? "" : "; ") + lateness_in_change(task);
  }
  return all;
}

json to_json(const Assignment& plan, const Assignment& before, const Machine& machine, const std::string& unenforced) {
  json tasks = json::array();
  for (const AssignedTask& task : plan.tasks) {
    json entry = to_json(task, unenforced);
    entry["name"] = task.name;
    entry["priority"] = task.priority;
    entry["deadline_ns"] = task.deadline_ns;
    entry["late_start_ns"] = task.late_start_ns;
    entry["early_ns"] = task.early_ns;
    entry["doubt"] = task.doubt;
    entry["estimate"] = unenforced.empty() ? task.estimate : unenforced;
    entry["terms"] = json::array();
    for (const Term& term : task.terms)
      entry["terms"].push_back({{"kind", name(term.kind)}, {"of", term.of}, {"ns", term.time}});
    entry["devices"] = json::array();
    for (const uint8_t device : task.devices)
      entry["devices"].push_back(device < machine.devices.size() ? machine.devices[device] : std::to_string(device));
    const AssignedTask* known = before.find(task.name);
    entry["before"] = known ? to_json(*known, unenforced) : json();
    tasks.push_back(std::move(entry));
  }
  json under = json::array();
  for (const UnderPolicy& policy : plan.under) {
    json bounds = json::array();
    for (const UnderPolicy::Task& task : policy.tasks)
      bounds.push_back({{"name", task.name}, {"bound_ns", task.bound_ns ? json(*task.bound_ns) : json()}});
    under.push_back(
        {{"policy", policy.policy}, {"problem", policy.problem}, {"estimate", policy.estimate}, {"tasks", bounds}});
  }
  const json task_set = plan.task_set.empty() ? json() : read_json(plan.task_set);
  return {{"tasks", tasks},
          {"without_profile", plan.unprofiled},
          {"problem", plan.problem},
          {"changing", plan.changing},
          {"transition_ns", plan.transition_ns ? json(*plan.transition_ns) : json()},
          {"under", under},
          {"task_set", task_set}};
}

}  // namespace samcl::planning
