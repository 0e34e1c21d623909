// Kernel strings from OpenCL C, by sam-translate, which lies beside sam-analyze.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis::cli {

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

}  // namespace samcl::analysis::cli
