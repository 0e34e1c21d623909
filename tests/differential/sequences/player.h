// Plays an ordering through the OpenCL C API and compares what it shows with what the model saw.
#pragma once

#include <optional>
#include <string>

#include "benchmarks/host/session.h"
#include "tests/differential/sequences/model.h"
#include "tests/differential/sequences/ordering.h"

namespace sequences {

struct Playing {
  std::optional<size_t> left_out{};  // this action does nothing, to see that it is noticed
  bool narrate = false;              // each action is printed before it is done
};

// Plays all of it. Empty: every call succeeded, everything read was as expected, nothing was written beside
// it, and every callback came once; else what was not, and at which action.
std::string play(const bench::Session& session, const bench::Program& kernels, const Ordering& ordering,
                 const Sights& expected, const Playing& how = {});

}  // namespace sequences
