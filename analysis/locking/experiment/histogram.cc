#include "analysis/locking/experiment/histogram.h"

#include <cmath>

namespace samcl::analysis::locking {
namespace {

size_t class_of(double utilisation) {
  const double above = std::ceil(utilisation / kClassWidth) - 1;
  return above <= 0 ? 0 : std::min(kClasses - 1, static_cast<size_t>(above));
}

size_t index_of(size_t axis, size_t bin) { return kCounted * (axis * kClasses + bin); }

double part(int64_t count, int64_t of) { return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of); }

}  // namespace

const char* name(Counted counted) {
  constexpr const char* kNames[kCounted] = {"sets", "fmlp_long", "shared_resource", "containers", "both", "either"};
  return kNames[static_cast<size_t>(counted)];
}

int speed_up(size_t axis) { return axis == 0 ? 1 : kSpeedUps[axis - 1]; }

Histogram::Histogram() : counts_(index_of(kAxes, 0), 0) {}

void Histogram::add(const QuickSet& set, const QuickVerdict& verdict) {
  const bool shared = verdict.shared_resource(), contained = verdict.containers;
  const bool counts[kCounted] = {true, verdict.fmlp_long, shared, contained, shared && contained, shared || contained};
  for (size_t n = 0; n < kAxes; ++n) {
    int64_t* bin = &counts_[index_of(n, class_of(set.effective_utilisation(speed_up(n))))];
    for (size_t c = 0; c < kCounted; ++c) bin[c] += counts[c] ? 1 : 0;
  }
}

int64_t Histogram::at(size_t axis, size_t bin, Counted counted) const {
  return counts_[index_of(axis, bin) + static_cast<size_t>(counted)];
}

int64_t Histogram::total(Counted counted) const {
  int64_t sum = 0;
  for (size_t bin = 0; bin < kClasses; ++bin) sum += at(0, bin, counted);
  return sum;
}

double Histogram::share(Counted counted) const { return part(total(counted), total(Counted::sets)); }

double Histogram::share(size_t axis, size_t bin, Counted counted) const {
  return part(at(axis, bin, counted), at(axis, bin, Counted::sets));
}

double Histogram::reached(size_t axis, Counted counted, double part) const {
  for (size_t bin = kClasses; bin > 0; --bin)
    if (at(axis, bin - 1, Counted::sets) >= 10 && share(axis, bin - 1, counted) >= part)
      return kClassWidth * static_cast<double>(bin);
  return 0;
}

}  // namespace samcl::analysis::locking
