// Elliott & Anderson's Observations 1 to 10 beside what was counted; and the counts as CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/locking/experiment/elliott_figures.h"

namespace samcl::analysis::locking {

// A line per scenario, speed-up and class that has sets, below a line of column names.
std::string format_csv(const Histograms& all);

struct Observation {
  int number = 0;
  std::string paper;  // what it says, with the numbers that it reads off its figures
  std::string found;
  std::optional<bool> agrees;  // nothing where too few sets were counted to tell
};
// Readings agree within 1 of effective utilisation, or 10 % of the sets: they are read off curves.
std::vector<Observation> observations(const Histograms& all);

}  // namespace samcl::analysis::locking
