#include "libsamcl/cost/width.h"

#include <algorithm>

namespace samcl {

Width::Width(size_t devices) {
  for (size_t width = 2; width < devices; width *= 2) {
    all_.push_back(width);
    if (width + width / 2 < devices) all_.push_back(width + width / 2);
  }
  all_.push_back(std::max<size_t>(devices, 1));
  saved_.assign(all_.size(), 0);
  allowed_ = all_.size();
  index_ = all_.size() - 1;
  now_ = all_.back();
}

bool Width::add(std::span<const uint64_t> costs, uint64_t moving_ns) {
  if (allowed_ < 2) return false;
  const uint64_t here = costs[index_];
  for (size_t i = 0; i < allowed_; ++i) {
    const uint64_t saved = saved_[i] + here;
    saved_[i] = saved > costs[i] ? saved - costs[i] : 0;
  }
  const auto best = std::max_element(saved_.begin(), saved_.begin() + static_cast<ptrdiff_t>(allowed_));
  if (*best <= moving_ns + margin_) return false;
  take(static_cast<size_t>(best - saved_.begin()));
  margin_ = std::min(4 * margin_, UINT64_MAX / 4);
  return true;
}

bool Width::failed() {
  allowed_ = std::max<size_t>(index_, 1);
  if (index_ == 0) return false;
  take(index_ - 1);
  return true;
}

void Width::take(size_t index) {
  index_ = index;
  now_.store(all_[index], std::memory_order_relaxed);
  std::fill(saved_.begin(), saved_.end(), 0);
}

}  // namespace samcl
