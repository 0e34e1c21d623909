// One launch of one kernel, as a person or a generator describes it: what --check runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/footprint/footprint.h"

namespace samcl::check {

// An argument: a buffer or image with contents, a number, local memory, or a sampler that finds the nearest pixel and
// repeats those at the edge.
struct CaseArgument {
  enum class Kind { buffer, image, value, local, sampler } kind = Kind::value;
  std::vector<std::byte> bytes;  // a buffer's or image's contents; a number's bytes
  uint64_t local_bytes = 0;
  uint64_t width = 0, height = 0;  // of an image: two dimensions, pixels of four bytes as unsigned integers

  bool has_contents() const { return kind == Kind::buffer || kind == Kind::image; }
  // What a footprint is evaluated with; it points into this and, of an image, to `numbers`.
  ArgumentValue value(ImageNumbers& numbers) const;
};

struct LaunchCase {
  std::string program;  // a name for people
  std::string source, options, kernel;
  Ndrange ndrange;
  std::vector<CaseArgument> arguments;
};

// Cases from a JSON array; each is an object with
//   "file" (relative to `folder`), "options", "kernel", "global": [x, y, z], "local": [...], "offset": [...],
//   "arguments": [...]
// whose arguments are one of
//   {"buffer": BYTES, "of": "float"|"uint"|"uchar", "below": N}   random contents, always the same
//   {"image": [WIDTH, HEIGHT]}                                    likewise
//   {"int": N}, {"uint": N}, {"float": X}, {"local": BYTES}, {"sampler": "edge"}
// Errors name the file or the field.
Result<std::vector<LaunchCase>> read_cases(const std::string& text, const std::string& folder);

}  // namespace samcl::check
