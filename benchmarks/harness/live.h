// The papers' live experiments: three periodic programs under a manager, under one policy of choosing modes after
// the other. The response time of every job, beside its deadline and the analysis' bound.
//
//   gpu-sam     Han et al., "GPU-SAM", JSS 117 (2016), Table 5
//   gpu-sparc   the GPU-SPARC paper, Table IV
//
// Sizes and periods are scaled: each program's size so that a job takes the paper's time on one GPU, times the scale;
// each period so that its utilisation of one GPU is the paper's, times a load that fits the machine. Pure logic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/choice.h"
#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

struct LiveTask {
  std::string program;
  int priority;                           // larger is more urgent
  double period_ms, execution_ms;         // the paper's; on one GPU
  std::vector<std::string> size_options;  // each is given the size
  double size;                            // to begin with
  double growth;                          // execution time grows with this power of it
  double largest;                         // that the program takes

  double utilisation() const { return execution_ms / period_ms; }
};

struct LiveExperiment {
  std::string name;
  std::vector<LiveTask> tasks;
  std::vector<analysis::ModePolicy> policies;
};

// Nothing if there is none of that name.
std::optional<LiveExperiment> find_live(const std::string& name);

// A size in the direction of `wanted_ms`, when `size` took `took_ms`. A device that the program does not fill takes
// as long for more: it may need several steps.
double better_size(const LiveTask& task, double size, double took_ms, double wanted_ms);

// A task under a policy, beside some programs of no task.
struct LiveRow {
  std::string policy, task;
  unsigned beside = 0;  // programs of no task that never rest
  unsigned gpus = 0;
  double period_ms = 0;            // the deadline too
  std::optional<double> bound_ms;  // proven by the manager's analysis
  bool guaranteed = false;
  std::string why_not;               // it is not guaranteed, as the manager says; "" if it does not
  std::vector<double> responses_ms;  // of every job, in their order
  std::string failure;               // why there is nothing; "" if there is

  std::string verdict() const;
  size_t misses() const;
  size_t beyond_bound() const;  // jobs
  double longest_ms() const;
  double median_ms() const;
  double percentile_ms(double share) const;  // nearest rank: that many of all responses are no longer
};

struct LiveSession {
  std::string experiment;
  Machine machine;
  double scale = 1, load = 1;
  std::vector<LiveRow> rows;
};

std::string live_text(const LiveSession& session);
std::string live_json(const LiveSession& session);
// A panel for each run: the responses over time, in parts of the deadline; bounds as lines.
std::string live_svg(const LiveSession& session);

}  // namespace samcl::bench
