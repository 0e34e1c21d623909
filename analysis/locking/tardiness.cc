#include "analysis/locking/tardiness.h"

#include <algorithm>
#include <functional>

#include "analysis/locking/exact_sum.h"

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
  const auto x = static_cast<Time>(ceil_divide(static_cast<Wide>(std::max<Time>(0, largest - least)) * kOne, capacity));
  for (size_t i = 0; i < late.size(); ++i) late[i] = x + streams[i].cost;
  return late;
}

// PROOF.md, "Tardiness", and for `earlier` > 0 "Earlier deadlines": all deadlines that much earlier, at most
// the least period. The least vector x of whole nanoseconds with m x_i >= L(x) - C_i; from below, so each
// step is a lower bound of it.
std::vector<Time> compliant_vector(std::span<const Stream> streams, size_t lambda, int cpus, Time earlier) {
  std::vector<Time> x(streams.size(), 0), terms(streams.size()), early(streams.size(), 0);
  Time unfinished = 0;  // S: what the even schedule has left
  for (size_t i = 0; earlier > 0 && i < streams.size(); ++i) {
    const auto [cost, rate, period] = streams[i];
    const Wide part = static_cast<Wide>(cost) * static_cast<Wide>(earlier);
    early[i] = static_cast<Time>(part / static_cast<Wide>(period));
    unfinished += static_cast<Time>(ceil_divide(part, static_cast<Wide>(period)));
  }
  const auto share = [&](size_t i, Time time) {  // U_i times it, exactly where the period is known
    const auto [cost, rate, period] = streams[i];
    const Wide whole = period > 0 ? static_cast<Wide>(cost) : rate;
    return static_cast<Time>(
        ceil_divide(whole * static_cast<Wide>(time), period > 0 ? static_cast<Wide>(period) : kOne));
  };
  Time left = 0;  // L(x)
  for (bool settled = false; !settled;) {
    for (size_t i = 0; i < x.size(); ++i) {
      terms[i] = streams[i].cost - early[i] + share(i, x[i]);
      if (earlier > 0) terms[i] = std::max(terms[i], share(i, (streams[i].cost + cpus - 1) / cpus));
    }
    left = unfinished + sum_of_largest(terms, lambda);
    settled = true;
    for (size_t i = 0; i < x.size(); ++i) {
      const Time above = std::max<Time>(0, left - streams[i].cost);
      const Time needed = (above + cpus - 1) / cpus;
      settled = settled && needed == x[i];
      x[i] = needed;
    }
  }
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::max<Time>(0, x[i] + std::min(streams[i].cost, left) - earlier);
  return x;
}

Time least_period(std::span<const Stream> streams) {
  Time least = streams.empty() ? 0 : streams.front().period;
  for (const Stream& stream : streams) least = std::min(least, stream.period);
  return least;
}

}  // namespace

const char* name(TardinessBound bound) {
  constexpr const char* kNames[] = {"devi-anderson", "compliant-vector", "earlier-deadlines", "least"};
  return kNames[static_cast<size_t>(bound)];
}

Stream stream(Time cost, Time period) {
  return {cost, static_cast<uint64_t>(ceil_divide(static_cast<Wide>(cost) * kOne, static_cast<Wide>(period))), period};
}

std::vector<Time> tardiness(std::span<const Stream> streams, const ExactSum& total, int cpus, TardinessBound bound) {
  const auto lambda = static_cast<size_t>(std::max<int64_t>(1, total.ceiling()) - 1);
  switch (bound) {
    case TardinessBound::devi_anderson: return devi_anderson(streams, lambda, cpus);
    case TardinessBound::compliant_vector: return compliant_vector(streams, lambda, cpus, 0);
    case TardinessBound::earlier_deadlines: return compliant_vector(streams, lambda, cpus, least_period(streams));
    case TardinessBound::least: break;
  }
  std::vector<Time> least = devi_anderson(streams, lambda, cpus);
  for (const Time earlier : {Time{0}, least_period(streams)}) {
    const std::vector<Time> other = compliant_vector(streams, lambda, cpus, earlier);
    for (size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], other[i]);
  }
  return least;
}

}  // namespace samcl::analysis::locking
