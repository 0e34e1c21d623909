// Where to cut a kernel's launches so that all parts have equally much to do.
//
// How much that is, is told by the bytes that a part writes, where the footprint knows them: of an NDRange that covers
// a whole matrix while the kernel works on what is left of it (LU decomposition, triangles), the other work-items do
// nothing. The cut of one launch is the first guess for the next, so that no bytes move as long as it serves.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace samcl {

// How many times as long as an even part the longest one takes; 1 where there is nothing to do.
double imbalance(std::span<const uint64_t> work);

// How long parts, one after the other, have to be to have equally much to do, if they have so much as long as they are:
// as much everywhere inside each. lengths: positive, in any unit; that of the result, whose sum is the same.
std::vector<double> balanced(std::span<const double> lengths, std::span<const uint64_t> work);

// What was found last, by dimension of the NDRange.
class Balance {
 public:
  // For so many parts, as weights; equal ones if nothing was found for as many.
  std::vector<double> shares(size_t parts, unsigned dimension) const;
  void found(unsigned dimension, std::vector<double> shares);

 private:
  mutable std::mutex mutex_;
  std::array<std::vector<double>, 3> shares_;
};

}  // namespace samcl
