// Footprints for people.
#pragma once

#include <string>
#include <vector>

#include "contract/footprint/symbolic_footprint.h"
#include "kernel-translator/read/source_facts.h"

namespace samcl::translator {

// One line per access, e.g. "c: surely writes 4 bytes at 4 * gid0 where gid0 < n". Nothing for a kernel that
// touches no buffer.
std::vector<std::string> describe(const footprint::SymbolicFootprint& symbolic, const KernelFacts& kernel);

}  // namespace samcl::translator
