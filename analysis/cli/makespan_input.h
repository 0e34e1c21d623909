// What `sam-analyze makespan` reads: OpenCL C, and files with all that it needs to know.
#pragma once

#include <string>
#include <vector>

#include "analysis/makespan/model.h"
#include "base/result.h"

namespace samcl::analysis::cli {

// Kernel strings from OpenCL C, by sam-translate, which lies beside sam-analyze.
struct KernelSource {
  std::string file;
  std::string name;
  std::string loop_bounds;                 // "12=64,20=8", or empty
  std::vector<std::string> build_options;  // a word each
};

struct SourceString {
  std::string string;                // for makespan::parse_kernel
  std::vector<std::string> remarks;  // on its letters and loops, and on what it does not tell
};

// Errors: sam-translate is not there, takes longer than a minute, or what it says about the source.
Result<SourceString> string_of(const KernelSource& source);

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
struct MakespanConfig {
  std::string instructions;
  int64_t warps = 0;
  std::vector<makespan::UnitRate> rates;
};

// Errors name the line and what was expected.
Result<MakespanConfig> parse_makespan_config(const std::string& text);

}  // namespace samcl::analysis::cli
