// The scenarios of the experiment "elliott": 3 ranges of utilisations x 3 of periods x 3 patterns of GPU use
// x 10 shares of tasks that use the GPU x 4, 8 or 12 CPUs; one GPU.
//
// The numbers of scenarios are Elliott & Anderson's. The ranges are not taken from their paper: utilisations
// and periods are those which "SchedCAT" (Brandenburg) lists as used in several papers of the same group, the
// patterns of GPU use and how sets are drawn (draw_set.h) are ours.
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
    {{"light", 0.001, 0.1}, {"medium", 0.1, 0.4}, {"heavy", 0.5, 0.9}}};  // (e + s) / p
inline constexpr std::array<Range, 3> kPeriods = {
    {{"short", 3e6, 33e6}, {"moderate", 10e6, 100e6}, {"long", 50e6, 250e6}}};  // ns
inline constexpr std::array<Range, 3> kGpuUse = {
    {{"little", 0.1, 0.3}, {"half", 0.3, 0.6}, {"most", 0.6, 0.9}}};  // s / (e + s)
inline constexpr int kShares = 10;  // 0 to 10 %, ..., 90 to 100 % of the tasks
inline constexpr std::array<int, 3> kCpus = {4, 8, 12};
inline constexpr std::array<int, 4> kSpeedUps = {2, 4, 8, 16};

inline constexpr size_t kScenarios =
    kUtilisations.size() * kPeriods.size() * kGpuUse.size() * kShares * kCpus.size();

// Indices into the ranges above.
struct Scenario {
  size_t utilisation = 0;
  size_t period = 0;
  size_t gpu_use = 0;
  size_t share = 0;
  size_t cpus = 0;

  int cpu_count() const { return kCpus[cpus]; }
};

Scenario scenario(size_t index);  // 0..kScenarios - 1

}  // namespace samcl::analysis::locking
