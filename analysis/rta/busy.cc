#include "analysis/rta/busy.h"

namespace samcl::analysis {

// Down from above: the sum is concave in w, so that its tangent at a bound gives another bound.
int64_t longest_busy(int64_t elements, std::span<const Share> shares) {
  int64_t sum = 0;
  for (const Share& share : shares) sum += share.work;
  int64_t busy = sum / elements;
  while (busy > 0) {
    int64_t taken = 0, work = 0;
    for (const Share& share : shares)
      if (share.work >= share.elements * busy)
        taken += share.elements;
      else
        work += share.work;
    if (taken >= elements) break;
    const int64_t less = work / (elements - taken);
    if (less >= busy) break;
    busy = less;
  }
  return busy;
}

}  // namespace samcl::analysis
