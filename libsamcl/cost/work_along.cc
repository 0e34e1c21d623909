#include "libsamcl/cost/work_along.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace samcl {

double WorkAlong::before(double place) const {
  const double at = std::clamp(place, 0.0, 1.0) * kParts;
  const auto whole = static_cast<size_t>(at);
  double sum = std::accumulate(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(whole), 0.0);
  if (whole < kParts) sum += parts_[whole] * (at - static_cast<double>(whole));
  return sum / kParts;
}

double WorkAlong::place_of(double work) const {
  double left = work * kParts;
  for (size_t i = 0; i < kParts; ++i) {
    if (left <= parts_[i]) return (static_cast<double>(i) + left / parts_[i]) / kParts;
    left -= parts_[i];
  }
  return 1;
}

double WorkAlong::scale(double begin, double end, double factor) {
  for (size_t i = 0; i < kParts; ++i) {
    const double from = std::max(begin * kParts, static_cast<double>(i));
    const double to = std::min(end * kParts, static_cast<double>(i + 1));
    if (to > from) parts_[i] *= std::pow(factor, to - from);
  }
  const double all = std::accumulate(parts_.begin(), parts_.end(), 0.0) / kParts;
  for (double& part : parts_) part = std::max(part / all, 1e-6);
  return all;
}

}  // namespace samcl
