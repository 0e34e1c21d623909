// Random OpenCL kernels whose accesses stay inside their buffers.
#pragma once

#include <random>
#include <string>

#include "kernel-translator/check/launch_case.h"

namespace samcl::check {

// The arguments of all of them; the buffers have kRandomElements elements each (random_expression.h).
constexpr char kRandomParameters[] =
    "(__global int* p, __global const int* q, __global short* r, int n, uint m, struct Shape shape, int2 "
    "pair)";

// What comes before the kernels: the types they use.
extern const char kRandomTypes[];

// `count` kernels k0, k1, ... in one source.
std::string random_kernels(std::mt19937_64& random, unsigned count);

// A launch for one of them.
LaunchCase random_launch(std::mt19937_64& random, const std::string& source, const std::string& kernel);

}  // namespace samcl::check
