// The scenarios of Elliott & Anderson's schedulability experiments (Section 5.1): 3 ranges of utilisations x
// 3 of periods x 3 patterns of GPU use x 10 shares of tasks that use the GPU x 4, 8 or 12 CPUs; one GPU.
#pragma once

#include <array>
#include <string>

#include "analysis/model/task_set.h"

namespace samcl::analysis::locking {

struct Range {
  const char* name;
  double low;
  double high;
};

inline constexpr std::array<Range, 3> kUtilisations = {
    {{"light", 0.01, 0.1}, {"medium", 0.1, 0.4}, {"heavy", 0.5, 0.9}}};
inline constexpr size_t kLight = 0, kMedium = 1, kHeavy = 2;  // of these; (e + s) / p
inline constexpr std::array<Range, 3> kPeriods = {
    {{"3-33ms", 3e6, 33e6}, {"15-60ms", 15e6, 60e6}, {"50-250ms", 50e6, 250e6}}};  // ns
inline constexpr std::array<int, 3> kGpuUse = {25, 50, 75};  // % of e + s that are the critical section
inline constexpr int kShares = 10;  // above 0 to 10 %, 10 to 20 %, ..., 90 to 100 % of the tasks use the GPU
inline constexpr std::array<int, 3> kCpus = {4, 8, 12};
inline constexpr std::array<int, 4> kSpeedUps = {2, 4, 8, 16};

inline constexpr size_t kScenarios = kUtilisations.size() * kPeriods.size() * kGpuUse.size() * kShares * kCpus.size();

// Indices into the ranges above.
struct Scenario {
  size_t utilisation = 0;
  size_t period = 0;
  size_t gpu_use = 0;
  size_t share = 0;
  size_t cpus = 0;

  int cpu_count() const { return kCpus[cpus]; }
  bool operator==(const Scenario&) const = default;
};

Scenario scenario(size_t index);  // 0..kScenarios - 1
size_t index_of(const Scenario& scenario);

std::string share_name(size_t share);  // "0-10"

}  // namespace samcl::analysis::locking
