// sam-translate --instructions: its answer and its option.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel-translator/read/source_facts.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {

// "12=64,20=8": rounds by line. Nothing if it is not like that.
std::optional<std::map<unsigned, uint64_t>> parse_loop_bounds(const std::string& text);

// Prints {"kernel", "string", "units": {"L": "memory", ...}, "static", "loops": [{"line", "rounds",
// "given"}], "unseen": [...]}; gives the exit status. 1, with a line on stderr: no such kernel, or it has no
// string.
int print_instructions(llvm::Module& module, const std::vector<KernelFacts>& kernels, const std::string& name,
                       const std::map<unsigned, uint64_t>& rounds);

}  // namespace samcl::translator
