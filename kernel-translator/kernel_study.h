// What is found out about each kernel of a program, as sam-translate reports it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "kernel-translator/read/source_facts.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {

// Fills in `kernels` and gives a report for each, in their order. Their gathers_by is what their text allows; it stays
// where what they do allows it, too.
std::vector<nlohmann::json> study(llvm::Module& program, std::vector<KernelFacts>& kernels, bool split_printf);

// The same, with a process for each kernel, all of them together in at most `most_ms`: a kernel whose process dies or
// takes too long may do anything and runs whole. `kernels` get only why they are not to be sliced, and gathers_by.
std::vector<nlohmann::json> study_apart(llvm::Module& program, std::vector<KernelFacts>& kernels, bool split_printf,
                                        int most_ms);

}  // namespace samcl::translator
