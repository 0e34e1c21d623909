// Random OpenCL kernels whose accesses stay inside their buffers.
#pragma once

#include <random>
#include <string>

#include "kernel-translator/check/launch_case.h"

namespace samcl::check {

constexpr unsigned kRandomBufferInts = 8192;

// `count` kernels k0, k1, ... in one source, each (global int* p, global const int* q, int n, uint m).
std::string random_kernels(std::mt19937_64& random, unsigned count);

// A launch for one of them.
LaunchCase random_launch(std::mt19937_64& random, const std::string& source, const std::string& kernel);

}  // namespace samcl::check
