// One launch of one kernel, as a person or a generator describes it: what --check runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libsamcl/footprint/footprint.h"
#include "libsamcl/result.h"

namespace samcl::check {

// An argument: a buffer with contents, a number, or local memory.
struct CaseArgument {
  enum class Kind { buffer, value, local } kind = Kind::value;
  std::vector<std::byte> bytes;  // a buffer's contents; a number's bytes
  uint64_t local_bytes = 0;
};

struct LaunchCase {
  std::string source, options, kernel;
  Ndrange ndrange;
  std::vector<CaseArgument> arguments;
};

// Cases from a JSON array; each is an object with
//   "file" (relative to `folder`), "options", "kernel", "global": [x, y, z], "local": [...], "arguments":
//   [...]
// whose arguments are one of
//   {"buffer": BYTES, "of": "float"|"uint"|"uchar", "below": N}   random contents, always the same
//   {"int": N}, {"uint": N}, {"float": X}, {"local": BYTES}
// Errors name the file or the field.
Result<std::vector<LaunchCase>> read_cases(const std::string& json_text, const std::string& folder);

}  // namespace samcl::check
