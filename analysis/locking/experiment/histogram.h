// What the experiment "elliott" counts in one scenario: how many sets there are, and how many each method
// makes schedulable, over the sets' utilisation and over their effective utilisation for each speed-up.
#pragma once

#include <array>

#include "analysis/experiment/blocks.h"
#include "analysis/locking/experiment/quick_test.h"
#include "analysis/locking/experiment/scenario.h"

namespace samcl::analysis::locking {

enum class Counted { sets, fmlp_long, shared_resource, containers, both, either };
inline constexpr size_t kCounted = 6;
const char* name(Counted counted);

// One axis per speed-up, and first one for the utilisation itself. A class is a range, its upper end
// included, of the (effective) utilisation per CPU; the last class holds all above, too.
struct Axis {
  int speed_up = 1;
  size_t classes = 0;
  double width = 0;  // of a class
};
inline constexpr size_t kAxes = 1 + kSpeedUps.size();
Axis axis(size_t index);  // 0..kAxes - 1

// Counts of one or several scenarios: kCounted numbers per class, class after class, axis after axis.
class Histogram {
 public:
  Histogram();
  explicit Histogram(Counts counts) : counts_(std::move(counts)) {}

  void add(const QuickSet& set, int cpus, const QuickVerdict& verdict);
  void add(const Histogram& other) { analysis::add(counts_, other.counts_); }

  int64_t at(size_t axis, size_t bin, Counted counted) const;
  int64_t total(Counted counted) const;
  // Of all sets, 0 to 1; 0 if there are none.
  double share(Counted counted) const;
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
};

}  // namespace samcl::analysis::locking
