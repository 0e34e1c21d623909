// A footprint that remembers its last answers: programs launch the same kernel on the same sizes again and again, and
// to evaluate a large footprint, or to gather the ranges of many accesses, can take longer than a short kernel.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "contract/footprint/footprint.h"
#include "contract/ndrange.h"
#include "libsamcl/program/partition.h"

namespace samcl {

// Copies share what they remember. Threads: any.
class RememberedFootprint {
 public:
  RememberedFootprint(Footprint footprint = {});

  // What each part reads and writes, by argument.
  using ByPart = std::vector<std::vector<ArgumentFootprint>>;
  std::shared_ptr<const ByPart> evaluate(const LaunchInputs& launch, const std::vector<Part>& parts) const;

  // Footprint::evaluate_writes(), which is not remembered.
  std::vector<ArgumentFootprint> evaluate_writes(const LaunchInputs& launch, const GroupBox& box) const;

  // Footprint::reaches(), likewise.
  std::vector<Reach> reaches(const LaunchInputs& launch) const;

  // The same by memory object: partition_of() what evaluate() finds.
  std::shared_ptr<const Partition> partition(const LaunchInputs& launch, const std::vector<Part>& parts,
                                             std::span<const ShownBytes> shown, bool asks_entangled) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace samcl
