// How fast devices that are not alike compute a kernel, and which share of a launch each gets, so that all end at once.
//
// A share follows what was measured: a device that took longer than the others gets less of the next launch. Small
// differences change nothing, since with every change of shares bytes have to move.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace samcl {

class DeviceSpeeds {
 public:
  // A part of so many work-items took that long on a device. The first one is left out: many drivers compile for it.
  void took(unsigned device, uint64_t work_items, uint64_t ns);

  // Weights for these devices, in their order; equal ones until parts have run on each. A slow device is given
  // something, too, so that it is noticed when it is slow no more.
  std::vector<double> shares(std::span<const unsigned> devices);

  // How many times as fast as `other` a device is; 1 as long as that is not known.
  double relative(unsigned device, unsigned other) const;

  // What is predicted to be won by new shares must be more than that part of a launch.
  static constexpr double kWorthwhile = 0.03;
  // The least weight, of the largest.
  static constexpr double kLeast = 1.0 / 64;

 private:
  double of(unsigned device) const { return device < speeds_.size() ? speeds_[device] : 0; }

  mutable std::mutex mutex_;
  std::vector<bool> has_begun_;
  std::vector<double> speeds_;  // work-items per ns, by device; 0: not known
  std::vector<double> given_;   // the weights that launches get at present, by device; 0: none yet
};

}  // namespace samcl
