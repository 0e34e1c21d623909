// The words that sam-translate is started with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel-translator/read/frontend.h"

namespace samcl::translator {

struct CommandLine {
  std::vector<std::string> files;
  bool json = false, sources = false, preprocess = false;
  std::string instructions;  // of which kernel
  std::map<unsigned, uint64_t> loop_bounds;
  TargetDevice device;
  bool split_printf = false;
  std::optional<int> apart_ms;
  std::vector<std::string> build_options;  // taken apart
};

// Errors name the word that is wrong and what was expected.
Result<CommandLine> parse_command(const std::vector<std::string>& words);

std::string usage();  // one line
std::string help();

}  // namespace samcl::translator
