// The rows of a trace that are devices', links' and the host's, and what ran on them when; to be drawn. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::report {

struct Block {
  int64_t begin = 0, end = 0;  // ns since the trace's first block
  std::string name;            // the longest of those that it stands for
  unsigned count = 1;          // operations so close to each other that they are one to the eye
  uint64_t bytes = 0;          // of all
  int64_t busy = 0;            // time of all
};

struct TimelineRow {
  std::string name;
  std::vector<Block> blocks;  // by begin, beside each other
  int64_t busy = 0;           // ns
};

struct Timeline {
  int64_t length = 0;  // ns
  std::vector<TimelineRow> rows;
};

// Operations that would be less than a `resolution`th of the whole apart are one block. Errors: no trace.
Result<Timeline> timeline_of(const std::string& trace, unsigned resolution);

}  // namespace samcl::report
