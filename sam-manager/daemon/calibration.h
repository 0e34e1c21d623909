// What it costs on this machine to pass a resource on (analysis/model/handovers.h): measured by two threads
// that speak to a third one through sockets and shared memory as programs do to the daemon, with its scheduler,
// all at real-time priorities where the system allows it. Kept in a file, for the system that it was measured on.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/model/handovers.h"
#include "base/result.h"

namespace samcl::daemon {

struct Measured {
  uint64_t p50_ns = 0, p99_ns = 0, max_ns = 0;
};

struct Calibration {
  Measured request, section, wake;
  unsigned rounds = 0;    // of each
  bool realtime = false;  // at real-time priorities
  std::string system;     // kernel and CPUs

  // What bounds count with: the longest that was seen.
  analysis::Handovers handovers() const;
  nlohmann::json describe() const;
};

// Errors: the system refuses memory, sockets or threads, or is too busy to come to an end.
Result<Calibration> calibrate(unsigned rounds);

// What save() wrote on the same system. Errors: no such file, of another system, or spoiled.
Result<Calibration> load_calibration(const std::string& file);
Result<void> save(const std::string& file, const Calibration& calibration);

}  // namespace samcl::daemon
