// What an experiment found: numbers, curves, and the papers' statements beside them.
#pragma once

#include "analysis/experiment/tally.h"

namespace samcl::analysis {

// One tally per point of the figure.
using Tallies = std::vector<Tally>;
Tallies tallies(const std::vector<Counts>& points);

// One line per point below a line of column names: the point, the sets, their mean number of tasks, and how
// many sets each policy makes schedulable.
std::string format_csv(const Figure& figure, const Tallies& tallies);

// A curve per policy: the share of schedulable sets.
std::string curves_svg(const Figure& figure, const Tallies& tallies);

// By how much a policy falls behind OPTIMAL, at the point where that is the most.
struct Loss {
  double point = 0;
  double of_sets = 0;     // in parts of all sets
  double of_optimal = 0;  // in parts of the sets that OPTIMAL makes schedulable, there
};
Loss greatest_loss(const Figure& figure, const Tallies& tallies, Policy policy);

struct Statement {
  std::string paper;
  std::string found;
};
std::vector<Statement> statements(const Figure& figure, const Tallies& tallies);

}  // namespace samcl::analysis
