// The experiments of sam-analyze experiment: one function per family of figures.
#pragma once

#include <optional>

#include "analysis/cli/counting.h"
#include "analysis/generator/paper_sets.h"
#include "analysis/locking/tardiness.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis::cli {

struct ExperimentOptions {
  std::string figure;
  std::optional<int64_t> sets;
  uint64_t seed = 1;
  Counting counting;
  // For the figures on modes alone.
  std::optional<Form> form;
  bool classes = false;
  std::optional<double> dependency, gpu_utilisation, share;
  std::optional<Split> split;
  // For "elliott" alone.
  std::optional<locking::TardinessBound> bound;
  std::optional<int> elliott_figure;
  std::string inset;
  std::optional<size_t> period;
};

// Counts, writes the results beside each other and prints them; exit codes as in subcommand.h.
int run_figure(const ExperimentOptions& options);
int run_running_time(const ExperimentOptions& options);
int run_elliott(const ExperimentOptions& options);
int run_access(const ExperimentOptions& options);

}  // namespace samcl::analysis::cli
