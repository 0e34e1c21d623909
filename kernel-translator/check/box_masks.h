// A footprint of one box of work-groups as bytes, one flag each, to hold what was seen against it.
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/check/launch_case.h"

namespace samcl::check {

using Mask = std::vector<bool>;
uint64_t count(const Mask& mask);

// Of one argument; empty if it has no contents.
struct Masks {
  Mask reads, may_write, surely;
};

// A case's arguments as a footprint takes them; refers to the case.
class CaseValues {
 public:
  explicit CaseValues(const LaunchCase& launch);
  CaseValues(const CaseValues&) = delete;
  CaseValues& operator=(const CaseValues&) = delete;

  const std::vector<ArgumentValue>& values() const { return values_; }
  // By argument.
  std::vector<Masks> masks(const Footprint& footprint, const GroupBox& box) const;

 private:
  const LaunchCase& launch_;
  std::vector<ImageNumbers> images_;
  std::vector<ArgumentValue> values_;
};

// The boxes that are looked at: halves along every dimension, one work-group, all.
std::vector<GroupBox> boxes_of(const Ndrange& ndrange);

// "work-groups [0,4) x [0,1) x [0,1)"
std::string words(const GroupBox& box);

}  // namespace samcl::check
