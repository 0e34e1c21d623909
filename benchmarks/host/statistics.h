// Order statistics over measured times.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

struct Summary {
  size_t count = 0;
  double min = 0;
  double median = 0;  // mean of the two middle ones if the count is even
  double p95 = 0;     // nearest rank: the smallest value that 95 % do not exceed
  double max = 0;
};

// All zero for no values.
Summary summarize(std::vector<double> values);

}  // namespace bench
