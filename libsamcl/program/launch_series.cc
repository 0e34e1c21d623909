#include "libsamcl/program/launch_series.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libsamcl/program/kernel.h"

namespace samcl {
namespace {

uint64_t modulo(uint64_t value, uint32_t bytes) {
  return bytes >= 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

bool is_same(const std::weak_ptr<const Argument>& one, const std::shared_ptr<const Argument>& other) {
  return !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace

std::optional<uint64_t> LaunchSeries::observe(const Arguments& arguments, const Ndrange& ndrange, bool has_local,
                                              std::span<const uint32_t> may_grow) {
  if (wait_ > 0) {
    --wait_;
    return std::nullopt;
  }
  if (!is_same_but_for_numbers(arguments, ndrange, has_local) || !read(arguments)) {
    begin(arguments, ndrange, has_local, may_grow);
    return std::nullopt;
  }
  const std::optional<uint64_t> which = number();
  if (!which) {
    if (!continues())
      begin_again();
    else if (is_independent())
      go_beyond();
    else
      ++confirmed_;
  }
  for (size_t i = 0; i < growing_.size(); ++i) growing_[i].last = values_[i];
  return which;
}

// From the launch before on.
void LaunchSeries::begin_again() {
  ++version_;
  launches_ = 0;
  bool grows = false;
  for (size_t i = 0; i < growing_.size(); ++i) {
    growing_[i].first = growing_[i].last;
    growing_[i].step = modulo(values_[i] - growing_[i].last, growing_[i].size);
    grows |= growing_[i].step != 0;
  }
  confirmed_ = grows ? 1 : 0;
}

// By the same steps.
void LaunchSeries::go_beyond() {
  ++version_;
  launches_ = 0;
  for (size_t i = 0; i < growing_.size(); ++i) growing_[i].first = values_[i];
}

bool LaunchSeries::is_same_but_for_numbers(const Arguments& arguments, const Ndrange& ndrange, bool has_local) const {
  if (fixed_.size() != arguments.size() || ndrange_ != ndrange || has_local_ != has_local) return false;
  size_t next = 0;
  for (size_t i = 0; i < fixed_.size(); ++i) {
    if (next < growing_.size() && growing_[next].argument == i)
      ++next;
    else if (!is_same(fixed_[i], arguments.value(i)))
      return false;
  }
  return true;
}

// False: one is no such integer.
bool LaunchSeries::read(const Arguments& arguments) {
  values_.resize(growing_.size());
  for (size_t i = 0; i < growing_.size(); ++i) {
    const Argument& argument = arguments[growing_[i].argument];
    if (argument.bytes.size() != growing_[i].size) return false;
    values_[i] = 0;
    std::memcpy(&values_[i], argument.bytes.data(), argument.bytes.size());
  }
  return true;
}

bool LaunchSeries::continues() const {
  if (confirmed_ == 0) return false;
  for (size_t i = 0; i < growing_.size(); ++i)
    if (values_[i] != modulo(growing_[i].last + growing_[i].step, growing_[i].size)) return false;
  return true;
}

std::optional<uint64_t> LaunchSeries::number() const {
  if (!is_independent()) return std::nullopt;
  const auto grows = std::ranges::find_if(growing_, [](const Growing& each) { return each.step != 0; });
  const auto place = static_cast<size_t>(grows - growing_.begin());
  const int64_t past = grows->as_signed(values_[place] - grows->first), step = grows->as_signed(grows->step);
  if (past % step != 0 || past / step < 0) return std::nullopt;
  const auto which = static_cast<uint64_t>(past / step);
  if (which >= launches_) return std::nullopt;
  for (size_t i = 0; i < growing_.size(); ++i)
    if (values_[i] != modulo(growing_[i].first + which * growing_[i].step, growing_[i].size)) return std::nullopt;
  return which;
}

void LaunchSeries::begin(const Arguments& arguments, const Ndrange& ndrange, bool has_local,
                         std::span<const uint32_t> may_grow) {
  ++version_;
  if (++beginnings_ == kManyBeginnings) wait();
  ndrange_ = ndrange;
  has_local_ = has_local;
  growing_.clear();
  fixed_.assign(arguments.size(), {});
  confirmed_ = 0;
  launches_ = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const bool grows = std::ranges::binary_search(may_grow, i) && !argument.bytes.empty() && argument.bytes.size() <= 8;
    if (!grows) {
      fixed_[i] = arguments.value(i);
      continue;
    }
    Growing& each = growing_.emplace_back(Growing{
        .argument = static_cast<uint32_t>(i), .size = static_cast<uint32_t>(argument.bytes.size()), .first = 0});
    std::memcpy(&each.last, argument.bytes.data(), argument.bytes.size());
  }
}

void LaunchSeries::wait() {
  confirmed_ = 0;  // what it is now is not what it will be
  wait_ = next_wait_;
  next_wait_ = std::min(next_wait_ * 4, kLongestWait);
  beginnings_ = 0;
}

void LaunchSeries::found(uint64_t launches, std::vector<Reach> reaches, std::vector<ReachPlace> places) {
  launches_ = launches;
  ++version_;
  if (launches == 0) {
    wait();
    return;
  }
  next_wait_ = kFirstWait;
  beginnings_ = 0;
  reaches_ = std::move(reaches);
  places_ = std::move(places);
}

bool LaunchSeries::may_pass(uint64_t number, const LaunchSeries& other, uint64_t first, uint64_t count) const {
  const auto distance =
      distance_of_meeting({reaches_, places_, launches_}, {other.reaches_, other.places_, other.launches_});
  if (!distance) return false;
  const int64_t met = static_cast<int64_t>(number) + *distance, begin = static_cast<int64_t>(first);
  return met < begin || met >= begin + static_cast<int64_t>(count);
}

}  // namespace samcl
