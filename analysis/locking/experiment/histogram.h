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

// One axis per speed-up, the first one for the utilisation itself (speed-up 1). A class is a range, its upper
// end included, of the sets' (effective) utilisation; the last class holds all above, too.
inline constexpr size_t kAxes = 1 + kSpeedUps.size();
inline constexpr double kClassWidth = 0.25;
inline constexpr size_t kClasses = 112;  // up to 12 CPUs and a GPU of speed-up 16
int speed_up(size_t axis);

// Counts of one or several scenarios: kCounted numbers per class, class after class, axis after axis.
class Histogram {
 public:
  Histogram();
  explicit Histogram(Counts counts) : counts_(std::move(counts)) {}

  void add(const QuickSet& set, const QuickVerdict& verdict);
  void add(const Histogram& other) { analysis::add(counts_, other.counts_); }

  int64_t at(size_t axis, size_t bin, Counted counted) const;
  int64_t total(Counted counted) const;
  // Of all sets, 0 to 1; 0 if there are none.
  double share(Counted counted) const;
  // Likewise of those in one class.
  double share(size_t axis, size_t bin, Counted counted) const;
  // The upper end of the highest class with at least 10 sets of which at least this part is schedulable; 0 if
  // there is none.
  double reached(size_t axis, Counted counted, double part = 0.01) const;
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
};

}  // namespace samcl::analysis::locking
