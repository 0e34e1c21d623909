// Plays a plan through the OpenCL C API and compares what it shows with what the model saw.
#pragma once

#include <optional>
#include <string>

#include "benchmarks/host/session.h"
#include "tests/differential/sequences/model.h"
#include "tests/differential/sequences/ordering.h"

namespace sequences {

// Plays all of it. Empty: every call succeeded, everything read was as expected, nothing was written beside
// it, and every callback came once; else what was not, and at which action. `left_out`: that action does
// nothing, to see that it is noticed.
std::string play(const bench::Session& session, const bench::Program& kernels, const Plan& plan,
                 const Sights& expected, std::optional<size_t> left_out = {});

}  // namespace sequences
