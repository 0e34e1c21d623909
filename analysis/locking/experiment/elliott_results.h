// What the experiment "elliott" found: numbers, curves, and statements that the numbers settle.
//
// The paper draws curves (its Figures 6 to 13) and states ten observations. Its text was not at hand: which
// scenarios its figures show, and how its observations are worded, is not known here. Curves and statements
// are ours, on the same questions: the methods over utilisation, over the share of tasks that use the GPU,
// and over effective utilisation.
#pragma once

#include <string>
#include <vector>

#include "analysis/experiment/chart.h"
#include "analysis/locking/experiment/histogram.h"

namespace samcl::analysis::locking {

// By scenario, in their order.
using Histograms = std::vector<Histogram>;

// A line per scenario, axis and class that has sets, below a line of column names.
std::string format_csv(const Histograms& all);

// Eight charts.
std::vector<Chart> charts(const Histograms& all);

struct Finding {
  std::string statement;
  bool holds = false;
  std::string numbers;
};
std::vector<Finding> findings(const Histograms& all);

}  // namespace samcl::analysis::locking
