// OpenCL C that fills a work-item's slot in a loop: upwards, downwards, by a pointer that moves, with gaps,
// as far as an argument says, or where data tells it to.
#pragma once

#include <cstddef>
#include <string>

#include "benchmarks/host/random.h"

namespace differential {

struct Slots {
  std::string array, type;  // of what the slots lie in, and its elements
  size_t elements = 1;      // per slot
  std::string qualifier;    // of global memory: "global" or "__global"
};

// A statement over the kernel's variables slot, a, b, c, d and s, all of uint.
std::string write_slot_loop(const Slots& slots, bench::Random& random);

}  // namespace differential
