// Random sequences of host commands, from a seed: the same seed and limits always give the same sequence.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/differential/sequences/sequence.h"

namespace sequences {

struct Limits {
  size_t steps = 40;                        // about so many
  size_t largest_buffer = size_t{9} << 20;  // bytes
  bool failures = true;                     // steps of StepKind::failing
  bool gates = true;                        // user events, and what callbacks enqueue
  bool late = true;                         // gates that another thread opens while the host waits
  bool copy_rect_of_sub_buffers = true;
  bool few_local_sizes = false;        // one per number of dimensions: a driver may compile the kernel for each anew
  std::vector<std::string> kernels{};  // only these; none: all
};

Sequence generate(uint64_t seed, const Limits& limits);

}  // namespace sequences
