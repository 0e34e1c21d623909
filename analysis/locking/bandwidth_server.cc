#include "analysis/locking/bandwidth_server.h"

#include <algorithm>
#include <numeric>

#include "analysis/locking/wide.h"

namespace samcl::analysis::locking {
namespace {

constexpr Time kFinest = Time{1} << 40;

Time common_multiple(const TaskSet& set, const std::vector<int>& gpu_of, int gpu) {
  Time multiple = 1;
  for (size_t i = 0; i < gpu_of.size(); ++i) {
    if (gpu_of[i] != gpu) continue;
    const Time step = set.tasks[i].period / std::gcd(multiple, set.tasks[i].period);
    if (multiple > kFinest / step) return kFinest;
    multiple *= step;
  }
  return multiple;
}

}  // namespace

BandwidthServer::BandwidthServer(const TaskSet& set, const std::vector<int>& gpu_of, int gpu)
    : denominator_(common_multiple(set, gpu_of, gpu)) {
  for (size_t i = 0; i < gpu_of.size(); ++i) {
    const Task& task = set.tasks[i];
    if (gpu_of[i] != gpu) continue;
    numerator_ += static_cast<Time>(ceil_divide(static_cast<Wide>(task.execution()) * static_cast<Wide>(denominator_),
                                                static_cast<Wide>(task.period)));
  }
}

Time BandwidthServer::deadline(Time release, Time execution) {
  if (release >= last_) {
    start_ = release;
    work_ = 0;
  }
  work_ += execution;
  last_ = start_ + static_cast<Time>(ceil_divide(static_cast<Wide>(work_) * static_cast<Wide>(denominator_),
                                                 static_cast<Wide>(numerator_)));
  return last_;
}

}  // namespace samcl::analysis::locking
