// Whether a kernel keeps to its footprint, and how tight that is, by the loads and stores themselves: each box of
// work-groups runs once on a device that tells of them (recorder.h).
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/check/box_runner.h"
#include "kernel-translator/check/recorder.h"

namespace samcl::check {

// Of one buffer or image; bytes, summed over all boxes.
struct ArgumentAccesses {
  std::string name;
  uint64_t said_read = 0, loaded = 0;     // loaded: of those said
  uint64_t said_written = 0, stored = 0;  // likewise; said: that may be written
};

struct Accesses {
  std::vector<ArgumentAccesses> arguments;
  std::vector<std::string> breaches;  // accesses outside the footprint, sure writes that were none; in words
};

// runner: on a device of the recorder's platform. Errors: the simulator refused. The second checks another footprint
// than the translator's.
Result<Accesses> check_accesses(const BoxRunner& runner, const LaunchCase& launch, Recorder& recorder);
Result<Accesses> check_accesses(const BoxRunner& runner, const LaunchCase& launch, Recorder& recorder,
                                const Footprint& footprint);

}  // namespace samcl::check
