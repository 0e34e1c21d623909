// A problem as a configuration file: what the paper's Fig. 4 shows of its application's input. The figure's
// text is not readable in what we have of the paper; the keys are the quantities of its Sections 2 and 3:
//
//   instructions = LLCLL
//   warps = 600
//   warp_size = 32             S
//   load_store_units = 16      16 / 32: a warp's L takes two slots
//   cuda_cores = 32
//
// Lambda of a letter is its units divided by the warp size. L and C are those of load_store_units and
// cuda_cores; other letters are given as `units_M = 8`. What is left out is 1 warp per slot. # begins a
// comment.
#pragma once

#include <string>
#include <vector>

#include "analysis/makespan/model.h"

namespace samcl::analysis::cli {

struct MakespanConfig {
  std::string instructions;
  int64_t warps = 0;
  std::vector<makespan::UnitRate> rates;
};

// Errors name the line and what was expected.
Result<MakespanConfig> parse_makespan_config(const std::string& text);

}  // namespace samcl::analysis::cli
