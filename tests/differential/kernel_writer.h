// Writes the OpenCL C of one random kernel.
#pragma once

#include <string>

#include "benchmarks/host/random.h"

namespace differential {

// What the surroundings have decided about the kernel.
struct KernelPlan {
  std::string name;
  unsigned writers = 1, readers = 1;
  size_t slot_bytes = 32;       // per work-item and writer; a multiple of 16
  bool known_local = true;      // launched with a local size: group built-ins and local memory are allowed
  size_t local_items = 1;       // work-items per group, if known
  bool local_argument = false;  // the exchange memory is an argument and not a variable
  bool exchange = false;        // exchange values through local memory between barriers
  bool local_atomics = false;
  bool global_atomics = false;
  bool compares_and_exchanges = false;  // they are made of compare-exchange
  bool permuted = false;                // slots are assigned through the permutation buffer
  bool opencl_c_3 = false;
  // get_global_offset(d) may have a d that the compiler does not know. PoCL 3.1 fails to load such a kernel
  // when it is launched without an offset ("undefined symbol: _global_offset_x").
  bool variable_offset_dimension = false;
};

std::string write_kernel(const KernelPlan& plan, bench::Random& random);

}  // namespace differential
