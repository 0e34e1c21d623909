// What a program's kernels took, and their parts to build, kept on disk beside the translations: the first launches of
// the next process are then judged as the later ones of this.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libsamcl/cost/kernel_times.h"
#include "libsamcl/cost/parts_build.h"
#include "libsamcl/program/build_specification.h"

namespace samcl {

struct RememberedKernel {
  KernelTimes::Known times;
  Promise promise;
  uint64_t compiling_ns = 0;  // for a first launch of its parts, by each device; 0: none, or there was one

  bool operator==(const RememberedKernel&) const = default;
};

struct RememberedTimes {
  uint64_t parts_build_ns = 0;
  std::map<std::string, RememberedKernel> kernels = {};  // by name
  // What launches took in that process that were in parts, or might have been: once this is long it is kept
  // whenever it has grown to one and a half or twice a power of two of that.
  uint64_t promising_ns = 0;
  // What they took in all processes since one built the parts: a program that is run again and again gets them in the
  // end, also where each of its runs is too short for them.
  uint64_t rented_ns = 0;
  // So many more processes build the variants that run gathered launches (program/launch_series.h) at once: fewer after
  // each that has no use for them.
  uint32_t gathers = 0;
  // Processes that have built the parts, no more than kBuildIsKnown (cost/parts_build.h).
  uint32_t built = 0;

  bool operator==(const RememberedTimes&) const = default;
};

// Of a program on devices like that one. The next replace those that are kept.
void remember_times(const BuildSpecification& specification, const DeviceFacts& device, const RememberedTimes& times);

// nullopt if none are remembered.
std::optional<RememberedTimes> remembered_times(const BuildSpecification& specification, const DeviceFacts& device);

}  // namespace samcl
