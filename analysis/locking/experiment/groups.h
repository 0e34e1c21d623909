// Scenarios that have one thing in common, added up.
#pragma once

#include "analysis/locking/experiment/elliott_results.h"

namespace samcl::analysis::locking {

// One histogram per value of a field of Scenario, in the order of its values.
inline Histograms by(size_t Scenario::*field, size_t values, const Histograms& all) {
  Histograms sums(values);
  for (size_t point = 0; point < all.size(); ++point) sums[scenario(point).*field].add(all[point]);
  return sums;
}

inline Histogram sum(const Histograms& all) {
  Histogram sum;
  for (const Histogram& histogram : all) sum.add(histogram);
  return sum;
}

}  // namespace samcl::analysis::locking
