// Whether a kernel keeps to its footprint, found out by running it. Each box of work-groups runs three times:
// on the buffers as given, and on buffers in which every byte that it is said not to read is another
// (inverted; then random). A byte outside the possible writes must stay as it was; one that is surely written
// must come out the same each time; one that may be written must come out the same each time or stay as it
// was each time. So a read or write that the footprint does not tell of shows, as far as the values make a
// difference.
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/check/box_runner.h"

namespace samcl::check {

// What was found about one buffer argument, summed over all boxes.
struct ArgumentEvidence {
  std::string name;
  bool reads_anywhere = false, writes_anywhere = false;  // nothing is known but that it ends with the buffer
  uint64_t bytes = 0;                                    // size of the buffer, times boxes
  uint64_t said_read = 0;                                // bytes
  uint64_t said_written = 0;                             // bytes that may be written, as the footprint says
  uint64_t said_surely = 0;                              // bytes that are surely written
  uint64_t written = 0;                                  // bytes seen to be written
};

struct Evidence {
  std::vector<ArgumentEvidence> arguments;  // buffers only
  std::vector<std::string> breaches;        // what contradicts the footprint, in words
  unsigned boxes = 0;
  double microseconds = 0;  // to evaluate the footprint of the whole NDRange once
};

// Errors: the driver refused. The second checks another footprint than the translator's.
Result<Evidence> check_footprint(const BoxRunner& runner, const LaunchCase& launch);
Result<Evidence> check_footprint(const BoxRunner& runner, const LaunchCase& launch, const Footprint& footprint);

}  // namespace samcl::check
