// Which ends of a kernel's parts exchange bytes with other parts, a stencil's halo, and how thick the layer of
// work-groups there is: what is cut off there is launched apart from the part's inside, so that bytes pass between
// devices while these compute.
//
// Found by trying (plan/layers.h), and remembered for launches of the same shape. Trying costs about as much as
// planning the launch, so what failed is tried ever more seldom: a program's first launches distribute its data.
//
// Guarded by the lock of the context's graph.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "contract/ndrange.h"

namespace samcl {

// Of one part, along the dimension that it is cut along: whether a layer is cut off at its lower and upper end.
struct Ends {
  bool low = false, high = false;
  bool any() const { return low || high; }
  bool operator==(const Ends&) const = default;
};

// Of all parts of a launch. A layer has a `share`-th of its part's work-groups, one at least.
struct Cut {
  std::vector<Ends> ends;
  uint64_t share = 16;
  bool operator==(const Cut&) const = default;
};

// The parts with their layers cut off along `dimension`: first all layers, then what is left, so that what others wait
// for is computed first. A part too thin for its layers stays whole, among the layers.
std::vector<Part> with_layers(const std::vector<Part>& parts, unsigned dimension, const Cut& cut);

class Layers {
 public:
  // What was found for parts of such a launch; nothing if nothing was.
  std::optional<Cut> known(const Ndrange& ndrange, size_t parts) const;
  void found(const Ndrange& ndrange, Cut cut);

  // Whether to look for layers, if none are known: asked once for each launch.
  bool wants_trial();

  // A launch with layers: whether any of them exchanged bytes, and only they did. Layers that are of no use any more
  // are forgotten.
  void served(bool well);

 private:
  Ndrange of_;
  std::optional<Cut> cut_;
  unsigned launches_ = 0, next_trial_ = 1;  // without layers
  unsigned in_vain_ = 0;                    // launches in a row
};

}  // namespace samcl
