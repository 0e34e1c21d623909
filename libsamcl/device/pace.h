// The pace of a program that is to have only a share of a device's time: after it has computed there, it leaves the
// device to others for as long as these have of it. What it did not use is not saved up.
//
// Of one device's compute lane.
#pragma once

#include <algorithm>
#include <cstdint>

namespace samcl {

class Pace {
 public:
  // share: more than 0; with 1 it never rests.
  explicit Pace(double share) : rest_per_ns_(1 / share - 1) {}

  // It has computed for `ns`, until `now`.
  void computed(uint64_t ns, uint64_t now) {
    rests_until_ = std::max(rests_until_, now) + static_cast<uint64_t>(static_cast<double>(ns) * rest_per_ns_);
  }

  // When it may compute again.
  uint64_t rests_until() const { return rests_until_; }

 private:
  const double rest_per_ns_;
  uint64_t rests_until_ = 0;
};

}  // namespace samcl
