// Pipeline tasks on a machine of CPUs, PCI links and GPUs, as in Han et al., "GPU-SAM", JSS 117 (2016):
// a task releases a job at least a period after the one before; a job is its stages one after the other,
// each on one kind of resource; in mode k a GPU stage is k parallel subtasks and every other stage is one, but for
// CPU stages of several threads (Stage::threads): these are as many subtasks.
//
// CPUs are scheduled preemptively. A subtask on a PCI link or GPU runs in sections that nothing
// interrupts (slices of kernels, chunks of transfers); between two sections a more urgent subtask goes
// first. Jobs of one task never overlap: one released while its predecessor is unfinished waits for it.
//
// The elements of a resource are interchangeable, unless the platform binds: then GPU d and PCI link d belong
// together, a task uses a list of them in a fixed order (Task::devices, or model/placement.h), and in mode k
// a PCI or GPU stage is k subtasks, subtask l always on the list's l-th device.
//
// A PCI or GPU stage may ask for its resource several times (transfers that the program makes one by one, a
// kernel launched in a loop): it is then up to Stage::requests such stages, one after the other, whose times
// add up to no more than the stage's, and before each but the first the job runs on a CPU. Where one ends and
// the next begins is not known.
//
// What runs on a PCI link or GPU may need a CPU now and then (Stage::host; analysed where devices are bound): to start
// a slice, to copy into pinned memory. While it waits for one it keeps its link or GPU. It runs at its task's
// priority, or at that of the most urgent task that waits for what it holds, if that is higher: the manager
// lends it.
//
// All times are whole nanoseconds. No I/O here; analysis/json/ reads and writes these types.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis {

using Time = int64_t;  // nanoseconds

// The longest period (9.8 hours): bounds of up to kLimit periods on 16 elements stay below 2^53, so that
// integer arithmetic in 64 bits and in doubles are both exact.
inline constexpr Time kLongest = Time{1} << 45;
inline constexpr int kMaxElements = 64;         // of one resource
inline constexpr int kMaxRequests = 1'000'000;  // of one stage
// Task::links.
inline constexpr int kIdleLinks = 0, kBusyLinks = 100, kMaxLinks = 100'000;

enum class Resource : uint8_t { cpu, link, gpu };
inline constexpr std::array<Resource, 3> kResources = {Resource::cpu, Resource::link, Resource::gpu};
constexpr size_t at(Resource resource) { return static_cast<size_t>(resource); }  // in kResources
const char* name(Resource resource);                                              // "CPU", "PCI", "GPU"

// How many processing elements of each kind: N_cpu, N_pci (links) and M_G, the number of GPUs and so of modes.
struct Stage;
struct Platform {
  int cpus = 1;
  int links = 1;
  int gpus = 1;
  bool bound = false;  // every subtask has its device; links are then as many as gpus
  int elements(Resource resource) const;
  // Parallel subtasks of a stage in a mode.
  int subtasks(Resource resource, int mode) const {
    return resource == Resource::gpu || (bound && resource == Resource::link) ? mode : 1;
  }
  // The same of a stage on whichever resource: on CPUs, its threads.
  int subtasks(const Stage& stage, int mode) const;
  // What people read: "CPU 1", "GPU 2" count from 1; where devices are bound, "GPU of device 0" is an index.
  std::string name_of(Resource resource, int element) const;
};

struct Stage {
  Resource resource = Resource::cpu;
  // C^(k) of each subtask, [k - 1] for mode k = 1..M_G; at least 1 ns.
  std::vector<Time> worst;
  // Least execution time of each subtask by mode, at most the worst; empty: 0 in every mode.
  std::vector<Time> best;
  // PCI and GPU, by mode: no section is longer than this; sections may be shorter, and cut anywhere.
  // Empty, or 0 in a mode: the whole subtask is one section, however long.
  std::vector<Time> section = {};
  // PCI and GPU: how often the resource is asked for, at most. The subtasks of one request all end before the
  // next one; `worst` and `best` are of all requests together, the longest subtask of each.
  int requests = 1;
  // CPU time between requests, in all, by mode; at least 1 ns before each but the first. Empty: no more than
  // that.
  std::vector<Time> between = {};
  // PCI and GPU: the CPU time that each subtask's sections need, in all, by mode; part of `worst`. Empty: none.
  std::vector<Time> host = {};
  std::vector<Time> host_section = {};  // of it in one section, at most, by mode; empty or 0: any part of it
  // How many threads execute at once on CPUs, by mode, 1 to kMaxElements: `worst` each in a CPU stage, `between` each
  // between the requests of others (merging has one for each device). Empty: one.
  std::vector<int> threads = {};

  Time worst_in(int mode) const { return worst[static_cast<size_t>(mode - 1)]; }
  Time best_in(int mode) const { return best.empty() ? 0 : best[static_cast<size_t>(mode - 1)]; }
  Time between_in(int mode) const { return between.empty() ? requests - 1 : between[static_cast<size_t>(mode - 1)]; }
  int threads_in(int mode) const { return threads.empty() ? 1 : threads[static_cast<size_t>(mode - 1)]; }
  // In any mode.
  int most_threads() const;
  Time host_in(int mode) const { return host.empty() ? 0 : host[static_cast<size_t>(mode - 1)]; }
  // Of it in one section: in the mode, and in any.
  Time longest_host_in(int mode) const;
  Time longest_host() const;
  // What a job executes one after the other.
  Time length_in(int mode) const { return worst_in(mode) + between_in(mode); }
  // Nothing interrupts a subtask once it has started (of one request).
  bool whole_in(int mode) const {
    return resource != Resource::cpu && (section.empty() || section[static_cast<size_t>(mode - 1)] == 0);
  }
  // The longest time that a more urgent subtask can wait for one section of this stage; 0 on a CPU.
  Time section_in(int mode) const;
};

// Where the stage is cut.
void lengthen_sections(Stage& stage, Time by);

struct Task {
  std::string name;
  Time period = 0;
  Time deadline = 0;            // relative to the release, at most the period
  std::optional<int> priority;  // larger is more urgent; given for all tasks or for none
  std::vector<Stage> stages;
  // Bound platforms: distinct indices of GPUs in the order of use; mode k uses the first k, and no mode more
  // than there are. Empty: place_devices() chooses.
  std::vector<int> devices = {};
  // No mode above it can be chosen (its kernels can't be split further, or nobody measured that); 0: any can.
  int most_gpus = 0;
  // By mode: how much a job's stages take together at most, of each its longest subtask and what is between its
  // requests, where that was measured of whole jobs: no job need be the one in which every stage takes its worst time.
  // Empty: the sum of these. A matter of the task's own bound alone.
  std::vector<Time> work = {};
  // How its transfers were timed, since links share the host's memory and switches: while other links were idle
  // (kIdleLinks, or nobody says), while all of them were at work (kBusyLinks), or idle, and the times multiplied by so
  // many per cent, by which transfers were measured to take longer beside others. No analysis uses it.
  int links = kIdleLinks;
  // Whoever keeps the task's jobs to the CPU time that its stages tell of (a manager) notices that one has used it up
  // this much later at most; until then its threads may compute on all CPUs. What they have they may use in any order,
  // at any time of a period, and likewise links and GPUs (bound devices). 0: nobody does, and jobs keep to their stages
  // by themselves. A matter of less urgent tasks'.
  Time late = 0;
  // Where somebody does: how much later a link or GPU is taken from a job that has had it for as long as it may.
  Time late_lease = 0;
  // Where somebody does, he sees jobs begin, not their release: after one that waited for a CPU first, the next one
  // seems to come sooner than a period later. By how much it may have its budgets sooner for that, if that is more than
  // a sixteenth of the period.
  Time early = 0;

  // Known to the analyses of analysis/access/ alone, as are deadlines above the period.
  std::optional<int> cpu = {};           // the one CPU on which the task runs, from 0
  Time jitter = 0;                       // a job is released up to so long after it has arrived
  std::optional<Time> offset = {};       // jobs arrive at it and at whole periods after, neither earlier nor later
  bool busy_waits = false;               // the task keeps its CPU while the GPU works for it
  std::optional<int> gpu_priority = {};  // on the GPU, where that is another than on the CPU

  bool uses(Resource resource) const;
  // How much sooner than its time a job may seem to come and yet have its budgets.
  Time tolerated() const { return std::max(period / 16, early); }
  // CPU time of a job, on all CPUs together: its CPU stages, what is between requests, and in sections.
  Time cpu_time(const Platform& platform, int mode) const;
  int largest_mode(const Platform& platform) const;
  // What a job's stages take one after the other at most.
  Time work_in(int mode) const;
};

struct TaskSet {
  Platform platform;
  std::vector<Task> tasks;
};

// "task \"camera\", stage 3 (GPU)": stages count from 1 there, as in the papers.
std::string name_of(const Task& task, size_t stage);

// One mode per task, 1..M_G, in the order of TaskSet::tasks.
using Modes = std::vector<int>;
// Indices into TaskSet::tasks, most urgent first: each task once.
using PriorityOrder = std::vector<size_t>;

// What an analysis knows of a task: `pipeline` is the model at the head of this file, in which every task may run on
// any CPU; `partitioned` that of analysis/access/tasks.h.
enum class Model { pipeline, partitioned };

// What makes no sense, or is not known to the model, is an error naming task, stage and field: nothing may be
// analysed before this.
Result<void> check(const TaskSet& set, Model model = Model::pipeline);
Result<void> check(const TaskSet& set, std::span<const int> modes);

// By the given priorities, or deadline-monotonic where none are given; ties go to the task listed first.
PriorityOrder priority_order(const TaskSet& set);
PriorityOrder deadline_monotonic(const TaskSet& set);

}  // namespace samcl::analysis
