// A footprint that remembers its last answers: programs launch the same kernel on the same sizes again and again, and
// to evaluate a large footprint can take longer than a short kernel.
#pragma once

#include <memory>
#include <vector>

#include "contract/footprint/footprint.h"
#include "contract/ndrange.h"

namespace samcl {

// Copies share what they remember. Threads: any.
class RememberedFootprint {
 public:
  RememberedFootprint(Footprint footprint = {});

  // What each part reads and writes, by argument.
  using ByPart = std::vector<std::vector<ArgumentFootprint>>;
  std::shared_ptr<const ByPart> evaluate(const LaunchInputs& launch, const std::vector<Part>& parts) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace samcl
