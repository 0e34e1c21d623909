// On how many GPUs, and on which, every registered task runs: chosen by analysis/modes from the tasks'
// profiles, so that all deadlines are met, with the bound on every response time. Pure logic.
//
// What is claimed of a task holds if its profile's times are true bounds, its jobs come no faster than its
// period, and its threads have its real-time priority.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/handovers.h"
#include "analysis/modes/choice.h"
#include "sam-manager/planning/explain.h"
#include "sam-manager/planning/sections.h"
#include "sam-manager/planning/under_policy.h"
#include "sam-manager/registry/registry.h"

namespace samcl::planning {

struct Machine {
  int cpus = 1;
  std::vector<std::string> devices;   // their names by index, as far as known
  int gpus = 0;                       // how many there are; 0: as many as known, or as profiles were measured on
  std::vector<uint64_t> memory = {};  // of the devices, bytes; 0 or missing: nobody told
};

// What the kernel lets threads at real-time priorities have of a CPU in each period (kernel.sched_rt_runtime_us); then
// it keeps them all from it until the next one.
struct RealTimeShare {
  uint64_t runtime_ns = 0, period_ns = 0;
};

struct Settings {
  analysis::ModePolicy modes = analysis::kBestPolicy;
  // By which the scheduler grants; its bounds are the plan's.
  scheduler::Policy policy = scheduler::kFixedPriority;
  // Programs that are no registered task run at this priority.
  int default_priority = 0;
  // Longest slice and chunk, ns, of programs that no profile tells of.
  uint64_t other_slice_ns = 2'000'000;
  uint64_t other_chunk_ns = 1'000'000;
  // What passing a link or GPU on costs; in every bound. None: nobody knows, and nothing is guaranteed.
  std::optional<analysis::Handovers> handovers = analysis::Handovers{};
  // How long it may take to notice that a job has used up its CPU time, before what it then takes to act upon it. None:
  // nobody keeps jobs to it.
  std::optional<uint64_t> cpu_watch_ns = {};
  std::optional<RealTimeShare> realtime = {};  // none: all
};

struct AssignedTask {
  std::string name;
  int priority = 0;
  uint64_t deadline_ns = 0;
  int mode = 1;
  std::vector<uint8_t> devices;      // indices, as many as its mode, the first one first
  bool uses_any = false;             // of the devices that it may use, each job another one
  std::optional<uint64_t> bound_ns;  // no job takes longer; none if that is not known
  // The same while tasks change from the plan before (if no other change is under way) to this one: until all
  // are idle at once, after each has begun a job in its new mode.
  std::optional<uint64_t> changing_ns;
  // What is promised to others of it besides its sections: what a job executes, waiting for CPUs included; 0: nobody
  // knows.
  uint64_t budget_ns = 0;
  // And for how long it has each of its GPUs, and links, with what it may wait for CPUs meanwhile.
  uint64_t gpu_ns = 0, link_ns = 0;
  // How often a job asks for each of them, as its profile tells; 0: it has none.
  uint64_t gpu_requests = 0, link_requests = 0;
  std::optional<uint64_t> cpu_ns;  // and CPU time, on all CPUs together; none: the profile does not tell of it
  // How long after its release a job can wait for a CPU before it begins, and how much sooner than its time the next
  // one may begin for that, or otherwise.
  uint64_t late_start_ns = 0, early_ns = 0;
  uint64_t critical_section_ns = 0;  // from a job's first command to its end; waiting left out
  std::string doubt;                 // why the bound is not proven; "" if it is
  // Why the proof counts on what nobody measured or enforces; "" if it does not.
  std::string estimate;
  std::vector<Term> terms;  // of the bound

  // By the proof.
  bool meets_deadline() const { return bound_ns && doubt.empty() && *bound_ns <= deadline_ns; }
  bool guaranteed() const { return meets_deadline() && estimate.empty(); }
};

struct Assignment {
  std::vector<AssignedTask> tasks;      // those with a profile, the most urgent first
  std::vector<std::string> unprofiled;  // names of the others that have deadlines
  // Of each task with a profile, by name: in the mode that is planned; where nothing could be planned, in whichever.
  std::map<std::string, LongestSections> sections;
  std::string problem;  // why nothing could be planned; "" if it could
  // How long after the change from the plan before the bounds hold, at the latest; none: that is not known.
  std::optional<uint64_t> transition_ns;
  std::string policy;              // of the scheduler, whose bounds these are
  std::string changing;            // why nothing is known of the time of change; "" if it is
  std::vector<UnderPolicy> under;  // the bounds under each policy of the scheduler
  std::string task_set;            // what was analysed, as JSON for sam-analyze; "" if nothing was

  const AssignedTask* find(const std::string& name) const;
};

// None yet: of each task is known what its profile tells.
Assignment unplanned(const std::map<std::string, registry::Task>& tasks, const Settings& settings);

// `before`: the plan that tasks change from.
Assignment assign_modes(const std::map<std::string, registry::Task>& tasks, const Machine& machine,
                        const Settings& settings, const Assignment& before = {});

// What an administrator who admits only tasks that are proven to meet their deadlines has against going from one
// plan to the other because of a newcomer: it has a profile but no such bound, or others lose theirs, if only while
// tasks change. "" if nothing; else whose, and by how much.
std::string objection(const Assignment& before, const Assignment& after, const std::string& newcomer);

// For sam-ctl: the plan, and what was different before. `unenforced`: why, for the time being, no bound is more
// than an estimate; "" if that is not so.
nlohmann::json to_json(const Assignment& plan, const Assignment& before, const Machine& machine,
                       const std::string& unenforced = "");

}  // namespace samcl::planning
