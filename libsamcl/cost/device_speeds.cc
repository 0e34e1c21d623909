#include "libsamcl/cost/device_speeds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace samcl {
namespace {

// Of the difference between a time and its prediction, as exponents: what is taken for the device's, and for the
// work's.
constexpr double kToSpeed = 0.3, kToWork = 0.7;
// A time is as predicted that is no further off.
constexpr double kMostOff = 0.1;
// What one time may change.
constexpr double kMostChange = 16;

}  // namespace

void DeviceSpeeds::took(unsigned device, uint64_t work_items, uint64_t ns, const Covered& covered) {
  const std::lock_guard lock(mutex_);
  if (device >= speeds_.size()) {
    speeds_.resize(device + 1);
    has_begun_.resize(device + 1);
  }
  if (!has_begun_[device]) {
    has_begun_[device] = true;
    return;
  }
  WorkAlong& work = work_[covered.dimension];
  const double density = work.between(covered.begin, covered.end) / (covered.end - covered.begin);
  const double speed =
      density * static_cast<double>(std::max<uint64_t>(work_items, 1)) / static_cast<double>(std::max<uint64_t>(ns, 1));
  if (speeds_[device] == 0) {
    speeds_[device] = speed;
    return;
  }
  const double longer = std::clamp(speeds_[device] / speed, 1 / kMostChange, kMostChange);
  as_predicted_ = std::abs(longer - 1) < kMostOff ? as_predicted_ + 1 : 0;
  speeds_[device] /= std::pow(longer, kToSpeed);
  const double all = work.scale(covered.begin, covered.end, std::pow(longer, kToWork));
  for (double& each : speeds_) each /= all;
}

std::vector<double> DeviceSpeeds::shares(std::span<const unsigned> devices, unsigned dimension) {
  const std::lock_guard lock(mutex_);
  std::vector<double> speeds;
  for (const unsigned device : devices) speeds.push_back(of(device));
  if (std::find(speeds.begin(), speeds.end(), 0.0) != speeds.end()) return std::vector<double>(devices.size(), 1.0);
  const double least = *std::max_element(speeds.begin(), speeds.end()) * kLeast;
  for (double& speed : speeds) speed = std::max(speed, least);
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const WorkAlong& work = work_[dimension];
  Given& given = given_[dimension];
  if (std::equal(devices.begin(), devices.end(), given.devices.begin(), given.devices.end())) {
    // How long the parts of a launch take that is cut so, in the time that it takes at best.
    double longest = 0, sum = 0, begin = 0;
    for (size_t i = 0; i < devices.size(); ++i) {
      const double end = begin + given.weights[i];
      const double takes = work.between(begin, end) / speeds[i] * all;
      longest = std::max(longest, takes);
      sum += takes;
      begin = end;
    }
    if (longest <= 1 + kWorthwhile) {
      if (sum >= kEven * longest * static_cast<double>(devices.size()))
        given.uneven -= given.uneven > 0 ? 1 : 0;
      else
        ++given.uneven;
      if (given.uneven < given.patience) return given.weights;
      given.patience *= 2;
    }
  } else {
    given.patience = kPatience;
  }
  given = {{devices.begin(), devices.end()}, {}, 0, given.patience};
  double done = 0, begin = 0;
  for (const double speed : speeds) {
    done += speed / all;
    const double end = work.place_of(std::min(done, 1.0));
    given.weights.push_back(std::max(end - begin, 1e-9));
    begin = end;
  }
  return given.weights;
}

bool DeviceSpeeds::wants_times() {
  const std::lock_guard lock(mutex_);
  return as_predicted_ < kAsPredicted || ++asked_ % kEvery == 0;
}

void DeviceSpeeds::kept_whole() {
  const std::lock_guard lock(mutex_);
  if (++kept_whole_ < stay_) return;
  kept_whole_ = as_predicted_ = 0;
  stay_ = std::min(4 * stay_, kMostStay);
  speeds_.assign(speeds_.size(), 0);
  work_ = {};
}

bool DeviceSpeeds::are_known(std::span<const unsigned> devices) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(devices, [this](unsigned device) { return of(device) > 0; });
}

double DeviceSpeeds::relative(unsigned device, unsigned other) const {
  const std::lock_guard lock(mutex_);
  return of(device) > 0 && of(other) > 0 ? of(device) / of(other) : 1;
}

}  // namespace samcl
