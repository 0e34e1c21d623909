#include "benchmarks/host/statistics.h"

#include <algorithm>

namespace bench {

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  const size_t rank95 = (n * 95 + 99) / 100;
  return {n, values.front(), (values[(n - 1) / 2] + values[n / 2]) / 2, values[rank95 - 1], values.back()};
}

}  // namespace bench
