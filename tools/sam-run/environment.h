// The environment in which sam-run starts the program: the one it was started in, with libsamcl.so in front.
#pragma once

#include <map>
#include <string>

#include "tools/sam-run/options.h"

namespace samcl::run {

// Where the parts of samcl lie.
struct Parts {
  std::string library;         // libsamcl.so
  std::string translator;      // sam-translate; empty if it is not there
  std::string link_directory;  // holds libOpenCL.so and libOpenCL.so.1 that are links to `library`
};

using Environment = std::map<std::string, std::string>;

// Variables to set for `options`, given the present ones:
//   LD_PRELOAD       our library first, what was there behind it
//   LD_LIBRARY_PATH  only with `needs_links`: parts.link_directory first
//   SAMCL_SHARE, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE  with options.share
//   SAMCL_DEVICES, SAMCL_GPUS, SAMCL_MIX, SAMCL_MANAGER, SAMCL_TASK, SAMCL_REPORT  where an option was given
//   SAMCL_INSTANCE   `instance` unless it is empty
//   SAMCL_TRANSLATOR parts.translator unless it is set already
// Errors: a path that LD_PRELOAD cannot express (it separates by blanks and colons).
Result<Environment> environment_changes(const Options& options, const Parts& parts, const Environment& present,
                                        const std::string& instance, bool needs_links);

// Whether the OpenCL loader in that file knows layers. One that does not can only be caught by its symbols:
// a program that opens it by name then needs the directory of links. True if the file cannot be read.
bool loader_knows_layers(const std::string& loader);

}  // namespace samcl::run
