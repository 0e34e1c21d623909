#include "analysis/locking/experiment/histogram.h"

#include <cmath>

namespace samcl::analysis::locking {
namespace {

constexpr size_t kUtilisationClasses = 20, kEffectiveClasses = 40;

// Where an axis' counts begin.
size_t offset(size_t axis) {
  return kCounted * (axis == 0 ? 0 : kUtilisationClasses + (axis - 1) * kEffectiveClasses);
}

size_t class_of(const Axis& axis, double per_cpu) {
  const double above = std::ceil(per_cpu / axis.width) - 1;
  if (above <= 0) return 0;
  return std::min(axis.classes - 1, static_cast<size_t>(above));
}

}  // namespace

const char* name(Counted counted) {
  constexpr const char* kNames[kCounted] = {"sets",       "fmlp_long", "shared_resource",
                                            "containers", "both",      "either"};
  return kNames[static_cast<size_t>(counted)];
}

Axis axis(size_t index) {
  if (index == 0) return {1, kUtilisationClasses, 0.05};
  return {kSpeedUps[index - 1], kEffectiveClasses, 0.1};
}

Histogram::Histogram() : counts_(offset(kAxes), 0) {}

void Histogram::add(const QuickSet& set, int cpus, const QuickVerdict& verdict) {
  const bool shared = verdict.shared_resource(), contained = verdict.containers;
  const bool counts[kCounted] = {true,      verdict.fmlp_long,   shared,
                                 contained, shared && contained, shared || contained};
  for (size_t n = 0; n < kAxes; ++n) {
    const Axis where = axis(n);
    int64_t* bin =
        &counts_[offset(n) + kCounted * class_of(where, set.effective_utilisation(where.speed_up) / cpus)];
    for (size_t c = 0; c < kCounted; ++c) bin[c] += counts[c] ? 1 : 0;
  }
}

int64_t Histogram::at(size_t axis, size_t bin, Counted counted) const {
  return counts_[offset(axis) + kCounted * bin + static_cast<size_t>(counted)];
}

int64_t Histogram::total(Counted counted) const {
  int64_t sum = 0;
  for (size_t bin = 0; bin < axis(0).classes; ++bin) sum += at(0, bin, counted);
  return sum;
}

double Histogram::share(Counted counted) const {
  const int64_t sets = total(Counted::sets);
  return sets == 0 ? 0 : static_cast<double>(total(counted)) / static_cast<double>(sets);
}

}  // namespace samcl::analysis::locking
