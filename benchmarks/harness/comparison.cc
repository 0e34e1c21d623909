#include "benchmarks/harness/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace samcl::bench {
namespace {

using Group = std::vector<const Execution*>;

double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(position));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

template <typename Value>
Spread spread_over(const Group& runs, Value value) {
  std::vector<double> values;
  for (const Execution* run : runs) {
    if (run->outcome == Outcome::pass) values.push_back(value(*run));
  }
  return spread_of(std::move(values));
}

std::optional<Spread> speedup(const Group& runs, const Group& bare) {
  std::vector<double> ratios;
  for (const Execution* run : runs) {
    for (const Execution* base : bare) {
      const bool both = run->outcome == Outcome::pass && base->outcome == Outcome::pass;
      if (both && run->round == base->round && run->total_ms > 0) ratios.push_back(base->total_ms / run->total_ms);
    }
  }
  if (ratios.empty()) return std::nullopt;
  return spread_of(std::move(ratios));
}

std::optional<bool> same_result(const Group& runs, const Group& bare) {
  const auto first =
      std::find_if(bare.begin(), bare.end(), [](const Execution* run) { return !run->checksum.empty(); });
  if (first == bare.end()) return std::nullopt;
  std::optional<bool> same;
  for (const Execution* run : runs) {
    if (!run->checksum.empty()) same = same.value_or(true) && run->checksum == (*first)->checksum;
  }
  return same;
}

Row row_of(const Group& runs) {
  Row row;
  row.program = runs.front()->program;
  row.parameter = runs.front()->parameter;
  row.devices = runs.front()->devices;
  for (const Execution* run : runs) {
    if (row.size.empty()) row.size = run->size;
    if (row.outcome == Outcome::pass && run->outcome != Outcome::pass) {
      row.outcome = run->outcome;
      row.note = run->detail;
    }
    row.devices_used = std::max(row.devices_used, run->devices_used);
    if (row.note.empty()) row.note = run->why_not_more;
  }
  row.total_ms = spread_over(runs, [](const Execution& run) { return run.total_ms; });
  for (size_t p = 0; p < kPhases; ++p)
    row.phases_ms[p] = spread_over(runs, [p](const Execution& run) { return run.phases_ms[p]; }).median;
  row.uploaded_bytes = spread_over(runs, [](const Execution& run) { return run.uploaded_bytes; }).median;
  row.downloaded_bytes = spread_over(runs, [](const Execution& run) { return run.downloaded_bytes; }).median;
  return row;
}

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto at = values.begin() + static_cast<ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.size(), quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

std::vector<Row> summarize(const std::vector<Execution>& runs) {
  using Key = std::tuple<std::string, uint64_t, unsigned>;
  std::vector<Key> order;
  std::map<Key, Group> groups;
  for (const Execution& run : runs) {
    const Key key{run.program, run.parameter, run.devices};
    if (groups[key].empty()) order.push_back(key);
    groups[key].push_back(&run);
  }
  std::vector<Row> rows;
  for (const Key& key : order) {
    Row row = row_of(groups[key]);
    const auto bare = groups.find({std::get<0>(key), std::get<1>(key), kBare});
    if (row.devices != kBare && bare != groups.end()) {
      row.speedup = speedup(groups[key], bare->second);
      row.same_result = same_result(groups[key], bare->second);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool all_good(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const Row& row) { return row.outcome == Outcome::pass && row.same_result.value_or(true); });
}

std::vector<unsigned> order_in_round(std::vector<unsigned> devices, unsigned round) {
  if (round % 2 == 1) std::reverse(devices.begin(), devices.end());
  return devices;
}

}  // namespace samcl::bench
