#include "analysis/locking/tardiness.h"

#include <algorithm>
#include <functional>

#include "analysis/locking/wide.h"

namespace samcl::analysis::locking {
namespace {

constexpr uint64_t kOne = uint64_t{1} << 32;  // a whole CPU

// The sum of the `count` largest; disturbs the order.
template <typename Number>
Number sum_of_largest(std::vector<Number>& numbers, size_t count) {
  count = std::min(count, numbers.size());
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(numbers.begin(), end, numbers.end(), std::greater<>());
  Number sum = 0;
  for (auto at = numbers.begin(); at != end; ++at) sum += *at;
  return sum;
}

// Theorem 2's x: (E_L - min e) / (m - U_L), E_L the sum of the Lambda largest costs, U_L that of the Lambda -
// 1 largest utilisations, Lambda the total utilisation rounded up, less 1. A job is late by at most x + e.
std::vector<Time> devi_anderson(std::span<const Stream> streams, size_t lambda, int cpus) {
  std::vector<Time> late(streams.size(), 0);
  if (lambda == 0) return late;  // as on one CPU
  std::vector<Time> costs;
  std::vector<uint64_t> rates;
  for (const Stream& stream : streams) {
    costs.push_back(stream.cost);
    rates.push_back(stream.rate);
  }
  const Time least = *std::min_element(costs.begin(), costs.end());
  const Time largest = sum_of_largest(costs, lambda);
  const uint64_t capacity = static_cast<uint64_t>(cpus) * kOne - sum_of_largest(rates, lambda - 1);
  const auto x =
      static_cast<Time>(ceil_divide(static_cast<Wide>(std::max<Time>(0, largest - least)) * kOne, capacity));
  for (size_t i = 0; i < late.size(); ++i) late[i] = x + streams[i].cost;
  return late;
}

// PROOF.md, "Tardiness". The least vector x of whole nanoseconds with m x_i >= L(x) - C_i, where L(x) is the
// sum of the Lambda largest C_j + U_j x_j; from below, so each step is a lower bound of it.
std::vector<Time> compliant_vector(std::span<const Stream> streams, size_t lambda, int cpus) {
  std::vector<Time> x(streams.size(), 0), terms(streams.size());
  Time largest = 0;
  for (bool settled = false; !settled;) {
    for (size_t i = 0; i < x.size(); ++i) {
      const Wide share = static_cast<Wide>(streams[i].rate) * static_cast<Wide>(x[i]);
      terms[i] = streams[i].cost + static_cast<Time>(ceil_divide(share, kOne));
    }
    largest = sum_of_largest(terms, lambda);
    settled = true;
    for (size_t i = 0; i < x.size(); ++i) {
      const Time above = std::max<Time>(0, largest - streams[i].cost);
      const Time needed = (above + cpus - 1) / cpus;
      settled = settled && needed == x[i];
      x[i] = needed;
    }
  }
  for (size_t i = 0; i < x.size(); ++i) x[i] += std::min(streams[i].cost, largest);
  return x;
}

}  // namespace

const char* name(TardinessBound bound) {
  return bound == TardinessBound::devi_anderson ? "devi-anderson" : "compliant-vector";
}

Stream stream(Time cost, Time period) {
  return {cost,
          static_cast<uint64_t>(ceil_divide(static_cast<Wide>(cost) * kOne, static_cast<Wide>(period)))};
}

std::vector<Time> tardiness(std::span<const Stream> streams, const ExactSum& total, int cpus,
                            TardinessBound bound) {
  const auto lambda = static_cast<size_t>(std::max<int64_t>(1, total.ceiling()) - 1);
  return bound == TardinessBound::devi_anderson ? devi_anderson(streams, lambda, cpus)
                                                : compliant_vector(streams, lambda, cpus);
}

}  // namespace samcl::analysis::locking
