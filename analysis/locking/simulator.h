// Discrete-event simulation of tasks that share GPUs under preemptive global EDF: what the analyses here
// bound. A job that waits for a GPU or runs on it leaves its CPU to others. Exact: integer times, no time
// step; pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/locking/blocking.h"

namespace samcl::analysis::locking {

enum class Method {
  fmlp_long,  // blocking.h's protocols, in their order, with priority inheritance
  omlp,
  donation,
  smlp,
  containers,  // container.h
};
inline constexpr std::array kMethods = {Method::fmlp_long, Method::omlp, Method::donation, Method::smlp,
                                        Method::containers};
const char* name(Method method);

// The phases of one job, in this order: on a CPU before the critical section; then, holding a GPU, on a CPU,
// on the GPU and on a CPU again; then on a CPU after it. A task that uses no GPU has `before` alone.
struct Job {
  Time release = 0;
  Time before = 0;
  Time copying_in = 0;
  Time gpu = 0;  // with parts: of the time on all of them; on fewer it falls short of the worst by as much
  Time copying_out = 0;
  Time after = 0;
};

// Jobs of each task in order of release, at least a period apart. A job's phases are at most: all CPU phases
// together e, copying cs - s, gpu s.
using JobSequences = std::vector<std::vector<Job>>;

// All tasks released at 0 and then each period, `jobs` jobs of each; worst-case times, the critical section
// as late as possible, half of the copying before the GPU.
JobSequences synchronous_plan(const TaskSet& set, int jobs);

struct Ended {
  size_t task = 0;
  size_t job = 0;
  Time release = 0;
  Time end = 0;
  Time blocked = 0;  // it waited for a GPU while among the m most urgent jobs: at most b
};

// Something ran without a break.
struct Ran {
  size_t task = 0;
  size_t job = 0;
  bool on_gpu = false;
  int element = 0;  // which CPU or GPU
  Time start = 0;
  Time end = 0;
};

struct Schedule {
  std::vector<Ended> ended;  // in order of their ends
  std::vector<Ran> ran;      // in order of their ends
};

// The set has passed check(). Simulates all jobs of the plan to their ends, which come since each job is
// finite.
Schedule simulate(const TaskSet& set, Method method, const JobSequences& plan);

// How late each task's latest job is, 0 where none is.
std::vector<Time> lateness(const TaskSet& set, const Schedule& schedule);

}  // namespace samcl::analysis::locking
