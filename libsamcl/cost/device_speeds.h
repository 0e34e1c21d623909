// How fast devices that are not alike compute a kernel, and where to cut its launches, so that all end at once.
//
// Learned from what parts took: how fast each device is, and how the kernel's work lies along each dimension of the
// NDRange, since not all work-groups of a kernel have equally much to do (rows of a triangle, the lit part of a scene).
// A part that took longer than was predicted raises the work that is believed to lie in it and lowers the speed that is
// believed of its device, each by a part of the difference (multiplicative algebraic reconstruction: Gordon, Bender and
// Herman, 1970); later launches are cut elsewhere, which tells the two apart. Shares by speeds alone (HGuided of
// EngineCL) swing to and fro where most of the work lies in a small place.
//
// Small differences change nothing, since with every change of cuts bytes have to move. What is believed of a slow
// device may be why it is thought that it could not do much more: where devices go on being idle for long, that is
// tried now and then, ever more seldom.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "libsamcl/cost/work_along.h"

namespace samcl {

class DeviceSpeeds {
 public:
  // A part of so many work-items took that long on a device. The first one is left out: many drivers compile for it.
  void took(unsigned device, uint64_t work_items, uint64_t ns, const Covered& covered = {});

  // How much of that dimension each of these devices gets, as weights, one after the other in their order; equal ones
  // until parts have run on each. A slow device is given something, too, so that it is noticed when it is slow no more.
  std::vector<double> shares(std::span<const unsigned> devices, unsigned dimension = 0);

  // Whether the times of the next launch's parts should be taken, where that costs something: until so many in a row
  // were what was predicted, then now and then. Asked once for each.
  bool wants_times();

  // A launch stayed whole, since parts would take longer at these speeds. They may be those of a device that had been
  // idle: after so many such launches they are forgotten, and after four times as many the next time.
  void kept_whole();

  // Whether parts have run on all of them.
  bool are_known(std::span<const unsigned> devices) const;

  // How many times as fast as `other` a device is; 1 as long as that is not known.
  double relative(unsigned device, unsigned other) const;

  // What is predicted to be won by new shares must be more than that part of a launch.
  static constexpr double kWorthwhile = 0.03;
  // Devices are idle for long if they are busy for less than that part of the longest one's time, on average; when that
  // was so in so many launches more than it was not, a new cut is tried, and after twice as many the next time.
  static constexpr double kEven = 0.94;
  static constexpr unsigned kPatience = 4;
  // The least speed that is believed of a device, of the largest.
  static constexpr double kLeast = 1.0 / 64;

 private:
  struct Given {
    std::vector<unsigned> devices;
    std::vector<double> weights;
    unsigned uneven = 0, patience = kPatience;  // launches that left devices idle, less others; how many may
  };
  double of(unsigned device) const { return device < speeds_.size() ? speeds_[device] : 0; }

  static constexpr unsigned kAsPredicted = 16, kEvery = 32, kStay = 64, kMostStay = 1 << 20;

  mutable std::mutex mutex_;
  unsigned as_predicted_ = 0, asked_ = 0, kept_whole_ = 0, stay_ = kStay;
  std::vector<bool> has_begun_;
  std::vector<double> speeds_;     // work-items per ns where work is even, by device; 0: not known
  std::array<WorkAlong, 3> work_;  // by dimension
  std::array<Given, 3> given_;     // what launches get at present, by dimension
};

}  // namespace samcl
