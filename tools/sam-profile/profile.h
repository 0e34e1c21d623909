// What was measured of a program in its modes, and the task that the analysis makes of it. Pure.
//
// Jobs of all modes are laid over each other, first launch on first launch: where one has more launches than
// another, the longest series is the task's, and every stage has the worst that any job showed in its place.
// So the task needs at each stage at least what any job that was seen needed there, and in all stages together what any
// job needed in all of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/json/task_set_json.h"
#include "tools/sam-profile/stages.h"

namespace samcl::profile {

// One run of the program on `gpus` GPUs.
struct Measurement {
  unsigned gpus = 1;
  Segmentation segmentation;
  bool managed = false;
  uint64_t dropped = 0;
  std::map<std::string, std::string> why_not_more;  // by kernel: why it ran on fewer than it was given
  unsigned beside = 0;                              // how many copies of the program kept other links busy
  bool realtime = true;                             // its threads had a real-time priority, as tasks' have
};

struct Samples {
  size_t count = 0;
  Time worst = 0, mean = 0, median = 0, best = 0;
};
Samples samples_of(std::vector<Time> values);

// A stage of the task.
struct StageProfile {
  analysis::Resource resource = analysis::Resource::cpu;
  std::string what;  // "host", "merging", "transfers", or the kernels' names
  std::map<unsigned, Samples> by_mode;
  std::map<unsigned, Time> between;       // by mode: the longest between requests
  std::map<unsigned, Time> host;          // by mode: the most CPU time that it needed; kNotTold: that is not known
  std::map<unsigned, Time> host_section;  // of it in one section, likewise
  std::map<unsigned, size_t> threads;     // by mode: the most that computed at once, in it or between requests
  size_t requests = 1;                    // the most in one job
  std::map<unsigned, Time> section;       // PCI and GPU, by mode: the longest seen
  size_t transfers = 0;                   // the most in one job
};

struct ModeProfile {
  unsigned gpus = 1;
  size_t jobs = 0;
  Boundaries boundaries = Boundaries::none;
  std::string boundary_words;
  Samples length;                             // of a job
  Time work = 0;                              // the most that a job's stages were together
  Time host = 0, transfers = 0, kernels = 0;  // of a job, means; `host` with what is between requests
  bool same_launches = true;                  // in all jobs
  Time overlap = 0;                           // mean, of what the stages count twice
  unsigned gpus_used = 0;                     // the most a launch ran on
  std::map<std::string, std::string> why_not_more;
  bool managed = false;
  uint64_t dropped = 0;
  unsigned beside = 0;  // how many copies of the program kept other links busy
  bool realtime = true;
};

struct Profile {
  std::vector<ModeProfile> modes;  // by number of GPUs
  std::vector<StageProfile> stages;
};

// Leaves out the first `warmup` jobs of each run: what happens once (building kernels, first touches of
// memory) is no part of the task. Error: a run without a job left.
Result<Profile> make_profile(const std::vector<Measurement>& measurements, size_t warmup);

struct TaskParameters {
  std::string name;
  std::optional<Time> period{}, deadline{};  // ns; without a period: twice the task's longest time in any mode
  std::optional<int> priority{};
  unsigned margin_percent = 20;
  int links = analysis::kIdleLinks;  // Task::links; above 100 transfers' times are multiplied by it
  int cpus = 1;
};

// The task alone, on a platform with as many GPUs as the largest mode. Worst-case times are the longest seen
// and the margin, best-case ones the shortest seen, divided by it. Modes that were not measured get, stage by
// stage, the worst (best) of the next measured ones on both sides. All links are one element: a stage's
// transfers use any of them. The mode is the one with the least worst-case length. Error: what the analysis
// would not accept.
Result<analysis::TaskSetDocument> make_task(const Profile& profile, const TaskParameters& parameters);

}  // namespace samcl::profile
