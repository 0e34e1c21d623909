#include "libsamcl/cost/device_speeds.h"

#include <algorithm>

namespace samcl {
namespace {

// How long a launch takes with these weights, in the time that it takes with the best ones.
double slowdown(const std::vector<double>& weights, const std::vector<double>& speeds) {
  double all_weights = 0, all_speeds = 0, longest = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    all_weights += weights[i];
    all_speeds += speeds[i];
    longest = std::max(longest, weights[i] / speeds[i]);
  }
  return longest / all_weights * all_speeds;
}

}  // namespace

void DeviceSpeeds::took(unsigned device, uint64_t work_items, uint64_t ns) {
  const double speed =
      static_cast<double>(std::max<uint64_t>(work_items, 1)) / static_cast<double>(std::max<uint64_t>(ns, 1));
  const std::lock_guard lock(mutex_);
  if (device >= speeds_.size()) {
    speeds_.resize(device + 1);
    has_begun_.resize(device + 1);
  }
  if (!has_begun_[device]) {
    has_begun_[device] = true;
    return;
  }
  speeds_[device] = speeds_[device] == 0 ? speed : (speeds_[device] + speed) / 2;
}

std::vector<double> DeviceSpeeds::shares(std::span<const unsigned> devices) {
  const std::lock_guard lock(mutex_);
  std::vector<double> speeds, given;
  for (unsigned device : devices) {
    speeds.push_back(of(device));
    given.push_back(device < given_.size() ? given_[device] : 0);
  }
  if (std::find(speeds.begin(), speeds.end(), 0.0) != speeds.end()) return std::vector<double>(devices.size(), 1.0);
  const double least = *std::max_element(speeds.begin(), speeds.end()) * kLeast;
  for (double& speed : speeds) speed = std::max(speed, least);
  const bool is_new = std::find(given.begin(), given.end(), 0.0) != given.end();
  if (!is_new && slowdown(given, speeds) <= 1 + kWorthwhile) return given;
  if (given_.size() < speeds_.size()) given_.resize(speeds_.size());
  for (size_t i = 0; i < devices.size(); ++i) given_[devices[i]] = speeds[i];
  return speeds;
}

double DeviceSpeeds::relative(unsigned device, unsigned other) const {
  const std::lock_guard lock(mutex_);
  return of(device) > 0 && of(other) > 0 ? of(device) / of(other) : 1;
}

}  // namespace samcl
