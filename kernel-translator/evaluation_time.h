// How long a footprint takes to evaluate, by the clock.
#pragma once

#include <algorithm>
#include <chrono>

#include "contract/footprint/footprint.h"

namespace samcl {

// Microseconds, the best of `batches` averages of `times` evaluations: other programs run, too.
inline double time_of_evaluation(const Footprint& footprint, const LaunchInputs& launch, int batches, int times) {
  double best = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) footprint.evaluate(launch);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / times);
  }
  return best;
}

}  // namespace samcl
