#include "analysis/makespan/bounds.h"

namespace samcl::analysis::makespan {

Slots published_bound(const Kernel& kernel, int warps) {
  Slots bound = 0;
  for (const Instruction& instruction : kernel.instructions) {
    const int capacity = kernel.units[instruction.unit].capacity;
    bound += (warps + capacity - 1) / capacity + instruction.latency - 1;
  }
  return bound;
}

bool published_bound_is_safe(const Kernel& kernel) {
  for (const Instruction& instruction : kernel.instructions)
    if (kernel.units[instruction.unit].capacity != 1) return false;
  return true;
}

Slots safe_bound(const Kernel& kernel, int warps) {
  const Chain chain(kernel);
  return last_warp_bound(chain, chain.start(warps).data());
}

Slots last_warp_bound(const Chain& chain, const Count* counts) {
  size_t last = 0;
  while (last < chain.places() && counts[last] == 0) ++last;
  if (last == chain.places()) return 0;
  auto bound = static_cast<Slots>(chain.places() - last);
  for (size_t unit = 0; unit < chain.units(); ++unit) {
    Slots others = -chain.left(last, unit);
    for (size_t place = last; place < chain.places(); ++place)
      others += static_cast<Slots>(counts[place]) * chain.left(place, unit);
    bound += others / chain.capacity(unit);
  }
  return bound;
}

}  // namespace samcl::analysis::makespan
