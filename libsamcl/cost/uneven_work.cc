#include "libsamcl/cost/uneven_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace samcl {
namespace {

// Launches are cut alike whose cuts are no further apart, of the NDRange: sizes are rounded to work-groups.
constexpr double kAlike = 0.02;

}  // namespace

// Where to cut so that all parts have equally much to do.
std::vector<double> UnevenWork::ends(const WorkAlong& work, size_t parts) {
  std::vector<double> ends;
  for (size_t i = 1; i <= parts; ++i)
    ends.push_back(work.place_of(static_cast<double>(i) / static_cast<double>(parts)));
  return ends;
}

void UnevenWork::took(std::span<const Covered> parts, std::span<const uint64_t> ns, uint64_t moving_ns) {
  const std::lock_guard lock(mutex_);
  const uint64_t all = std::accumulate(ns.begin(), ns.end(), uint64_t{0});
  if (parts.size() < 2 || all == 0) return;
  if (!has_begun_) {
    has_begun_ = true;
    return;
  }
  Along& along = along_[parts[0].dimension];
  const auto count = static_cast<double>(parts.size());
  const double mean = static_cast<double>(all) / count, won = static_cast<double>(*std::ranges::max_element(ns)) - mean;
  const double even = along.parts == parts.size() ? kStillUneven : kUneven;
  const bool is_uneven = won > (even - 1) * mean && won >= static_cast<double>(kWorthwhileNs);
  wants_times_ = is_uneven;
  if (!is_uneven) {
    along.uneven = 0;
    return;
  }
  std::vector<double> cut;
  for (const Covered& part : parts) cut.push_back(part.end);
  const auto is_near = [](double one, double other) { return std::abs(one - other) < kAlike; };
  along.uneven = std::ranges::equal(cut, along.ends, is_near) ? along.uneven + 1 : 1;
  along.ends = std::move(cut);
  if (along.uneven < along.patience) return;
  along.uneven = 0;
  along.patience *= 2;
  WorkAlong work = along.work;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double measured = static_cast<double>(std::max<uint64_t>(ns[i], 1)) / static_cast<double>(all);
    work.scale(parts[i].begin, parts[i].end, measured / along.work.between(parts[i].begin, parts[i].end));
  }
  double between = 0, place = 0;
  for (const double end : ends(work, parts.size())) between = std::max(between, std::abs(end - (place += 1 / count)));
  wants_times_ = 2 * between * static_cast<double>(moving_ns) < won;
  if (!wants_times_) return;
  along.parts = parts.size();
  along.work = work;
}

std::vector<double> UnevenWork::shares(size_t parts, unsigned dimension) const {
  const std::lock_guard lock(mutex_);
  const Along& along = along_[dimension];
  std::vector<double> shares;
  if (along.parts != parts) return shares;
  double begin = 0;
  for (const double end : ends(along.work, parts)) {
    shares.push_back(std::max(end - begin, 1e-9));
    begin = end;
  }
  return shares;
}

}  // namespace samcl
