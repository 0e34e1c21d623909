// For how long several parties can keep all elements of a resource busy.
#pragma once

#include <cstdint>
#include <span>

namespace samcl::analysis {

// What one party executes: on so many elements at once, and so much in all.
struct Share {
  int64_t elements = 0;
  int64_t work = 0;
};

// The longest w with elements * w <= sum of min(share.elements * w, share.work).
int64_t longest_busy(int64_t elements, std::span<const Share> shares);

}  // namespace samcl::analysis
