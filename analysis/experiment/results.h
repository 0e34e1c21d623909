// What an experiment found: numbers, curves, and the papers' statements beside them.
#pragma once

#include "analysis/experiment/chart.h"
#include "analysis/experiment/tally.h"

namespace samcl::analysis {

// Point by point of what varies.
class Results {
 public:
  Results(Figure figure, const std::vector<Counts>& by_dependency);

  const Figure& figure() const { return figure_; }
  const Tally& at(Reading reading, size_t point) const;
  // In parts of all sets, and of those that OPTIMAL makes schedulable; 0 of none.
  double share(Reading reading, size_t point, size_t policy) const;
  double of_optimal(Reading reading, size_t point, size_t policy) const;

 private:
  Figure figure_;
  std::vector<Tallies> by_dependency_;
};

// One line per reading and point below a line of column names: the sets, their mean number of tasks, and how
// many sets each policy makes schedulable.
std::string format_csv(const Results& results);

// A chart per reading, a curve per policy: over U_G in parts of OPTIMAL's sets, as the papers have it; over
// P_D of all sets.
std::vector<Chart> charts(const Results& results);

// By how much a policy falls behind OPTIMAL, at the point where that is the most of OPTIMAL's sets.
struct Loss {
  double point = 0;
  double of_sets = 0;     // in parts of all sets
  double of_optimal = 0;  // in parts of the sets that OPTIMAL makes schedulable, there
};
Loss greatest_loss(const Results& results, Reading reading, ModePolicy policy);

struct Statement {
  std::string paper;
  std::string found;
};
std::vector<Statement> statements(const Results& results);

}  // namespace samcl::analysis
