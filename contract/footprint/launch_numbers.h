// What a footprint depends on of a launch's arguments: not `t`, but `t % 2` where that is all that the kernel's indices
// are made of. Programs that count their launches then ask the same question again. Pure logic.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/footprint/footprint.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl::footprint {

class LaunchNumbers {
 public:
  explicit LaunchNumbers(const SymbolicFootprint& symbolic);

  // Two launches of the same NDRange with buffers of the same sizes, for which these are equal, touch the same bytes.
  std::vector<uint64_t> of(const SymbolicFootprint& symbolic, const LaunchInputs& launch) const;

 private:
  std::vector<Id> needed_;            // nodes that are the same for all work-items, operands before their users
  std::vector<size_t> among_needed_;  // by node: its place there
  std::vector<size_t> told_;          // places of those that anything else is made of
};

}  // namespace samcl::footprint
