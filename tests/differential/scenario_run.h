// Carries out a scenario on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/host/session.h"
#include "tests/differential/scenario.h"

namespace differential {

struct Outcome {
  uint64_t hash = 0;                            // of all memory afterwards and of all that was read on the way
  std::vector<std::vector<std::byte>> regions;  // final contents; the counters, if any, come last
};

// Throws std::runtime_error when OpenCL reports an error.
Outcome run_scenario(const bench::Session& session, const Scenario& scenario);

}  // namespace differential
