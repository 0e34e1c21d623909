#include "libsamcl/cost/balance.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace samcl {
namespace {

double sum(std::span<const uint64_t> work) {
  return static_cast<double>(std::accumulate(work.begin(), work.end(), uint64_t{0}));
}

}  // namespace

double imbalance(std::span<const uint64_t> work) {
  const double all = sum(work);
  if (all == 0) return 1;
  return static_cast<double>(*std::max_element(work.begin(), work.end())) * static_cast<double>(work.size()) / all;
}

std::vector<double> balanced(std::span<const double> lengths, std::span<const uint64_t> work) {
  const double even = sum(work) / static_cast<double>(work.size());
  std::vector<double> result;
  double place = 0, last_cut = 0, before = 0;  // work
  size_t part = 0;
  for (size_t cut = 1; cut < work.size(); ++cut) {
    const double wanted = even * static_cast<double>(cut);
    while (part + 1 < work.size() && before + static_cast<double>(work[part]) < wanted) {
      before += static_cast<double>(work[part]);
      place += lengths[part++];
    }
    const double here = static_cast<double>(work[part]);
    const double at = place + (here > 0 ? lengths[part] * std::min((wanted - before) / here, 1.0) : 0);
    result.push_back(at - last_cut);
    last_cut = at;
  }
  result.push_back(std::accumulate(lengths.begin(), lengths.end(), -last_cut));
  return result;
}

std::vector<double> Balance::shares(size_t parts, unsigned dimension) const {
  std::lock_guard lock(mutex_);
  const auto& known = shares_[dimension];
  return known.size() == parts ? known : std::vector<double>(parts, 1.0);
}

void Balance::found(unsigned dimension, std::vector<double> shares) {
  std::lock_guard lock(mutex_);
  shares_[dimension] = std::move(shares);
}

}  // namespace samcl
