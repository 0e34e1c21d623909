#include "libsamcl/device/shared_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace samcl {
namespace {

// A piece is such a part of what its device has left, at most, and of the time that all are believed to need from then
// on: the others can take over what is behind it. Before a device has run anything, nobody knows what its pieces take.
constexpr uint64_t kFirstPiece = 64, kPiece = 16, kTimeLeft = 8, kGrowth = 2;

// Places that a device runs in so many ns; 0: not known.
double rate(uint64_t places, uint64_t ns) { return ns > 0 ? static_cast<double>(places) / static_cast<double>(ns) : 0; }

}  // namespace

SharedWork::SharedWork(std::span<const Part> parts, unsigned dimension, Moving moving)
    : whole_(parts[0].box),
      dimension_(dimension),
      groups_per_place_(parts[0].box.total() / parts[0].box.count[dimension]),
      moving_(std::move(moving)) {
  for (const Part& part : parts) {
    const uint64_t begin = part.box.first[dimension], end = begin + part.box.count[dimension];
    devices_.push_back({.begin = begin, .end = end, .own_begin = begin, .own_end = begin, .has_to_leave = {}});
    devices_.back().has_to_leave.resize(parts.size());
  }
}

std::optional<GroupBox> SharedWork::next(size_t part, uint64_t least_groups) {
  std::unique_lock lock(mutex_);
  while (true) {
    const Next found = find_next(devices_[part], least_groups);
    if (found.piece || found.is_over) return found.piece;
    has_run_.wait(lock);
  }
}

SharedWork::Next SharedWork::next_now(size_t part, uint64_t least_groups) {
  const std::lock_guard lock(mutex_);
  return find_next(devices_[part], least_groups);
}

SharedWork::Next SharedWork::find_next(Device& device, uint64_t least_groups) {
  if (has_failed_) return {std::nullopt, true};
  if (device.begin == device.end && !take_over(device)) {
    const auto may_leave_some = [&](const Device& each) {
      return each.begin < each.end && (each.running > 0 || each.ran > 0) && !device.has_to_leave[part_of(each)];
    };
    return {std::nullopt, std::ranges::none_of(devices_, may_leave_some)};
  }
  const uint64_t least_places = (least_groups + groups_per_place_ - 1) / groups_per_place_;
  const uint64_t begin = device.begin;
  device.running = piece_of(device, std::max<uint64_t>(1, least_places));
  device.begin += device.running;
  if (device.runs_own) device.own_end = device.begin;
  return {box(begin, device.begin), false};
}

void SharedWork::ran(size_t part, uint64_t ns) {
  {
    const std::lock_guard lock(mutex_);
    Device& device = devices_[part];
    device.last_ran = device.running;
    device.last_ns = ns;
    device.ran += device.running;
    device.ns += ns;
    if (device.runs_own) device.own_ns += ns;
    device.running = 0;
  }
  has_run_.notify_all();
}

void SharedWork::failed(size_t part) {
  {
    const std::lock_guard lock(mutex_);
    devices_[part].running = 0;
    has_failed_ = true;
  }
  has_run_.notify_all();
}

SharedWork::OwnPiece SharedWork::own(size_t part) const {
  const std::lock_guard lock(mutex_);
  const Device& device = devices_[part];
  return {box(device.own_begin, device.own_end), device.own_ns};
}

uint64_t SharedWork::taken_over(size_t part) const {
  const std::lock_guard lock(mutex_);
  return devices_[part].taken_over * groups_per_place_;
}

// Some of what the device that will be busy longest has left.
bool SharedWork::take_over(Device& device) {
  while (true) {
    Device* from = nullptr;
    double longest = 0;
    for (Device& other : devices_) {
      const auto left = static_cast<double>(other.end - other.begin);
      if (left == 0 || device.has_to_leave[part_of(other)]) continue;
      // One that has run nothing yet may be as slow as it likes.
      const double other_rate = rate(other.ran, other.ns);
      const double ns = other_rate > 0 ? left / other_rate : left * 1e12;
      if (ns <= longest) continue;
      longest = ns;
      from = &other;
    }
    if (!from) return false;
    const uint64_t places = places_worth_taking(device, *from);
    if (places == 0) return false;
    const uint64_t begin = from->end - places;
    if (moving_.may_run && !moving_.may_run(part_of(device), box(begin, from->end))) {
      device.has_to_leave[part_of(*from)] = true;
      continue;
    }
    device.end = from->end;
    device.begin = from->end = begin;
    device.runs_own = false;
    device.taken_over += places;
    return true;
  }
}

// As many as make both end together. One of which nothing is known is taken to be as fast as the other.
uint64_t SharedWork::places_worth_taking(const Device& device, const Device& from) const {
  const auto left = static_cast<double>(from.end - from.begin);
  double own_rate = rate(device.ran, device.ns), other_rate = rate(from.ran, from.ns);
  if (own_rate == 0) own_rate = other_rate;
  if (other_rate == 0) other_rate = own_rate;
  if (own_rate == 0) return moving_.may_run ? 0 : static_cast<uint64_t>(std::llround(left / 2));
  const double ahead = left / other_rate - static_cast<double>(moving_.ns);
  const double places = ahead / (1 / own_rate + 1 / other_rate + moving_.ns_per_place);
  return places > 0 ? static_cast<uint64_t>(std::llround(places)) : 0;
}

uint64_t SharedWork::piece_of(const Device& device, uint64_t least_places) const {
  const uint64_t left = device.end - device.begin;
  const double own_rate = rate(device.last_ran, device.last_ns);
  if (own_rate == 0) return std::min(left, std::max(left / kFirstPiece, least_places));
  double all_left = 0, all_rates = 0;
  for (const Device& each : devices_) {
    const double each_rate = rate(each.last_ran, each.last_ns);
    all_left += static_cast<double>(each.end - each.begin);
    all_rates += each_rate > 0 ? each_rate : own_rate;
  }
  // The next work-groups may have far more to do than the last ones.
  const uint64_t most = kGrowth * device.last_ran;
  const auto worth_it =
      std::max(least_places, std::min(most, static_cast<uint64_t>(own_rate * static_cast<double>(moving_.least_ns))));
  const auto in_time = static_cast<uint64_t>(own_rate * all_left / all_rates / kTimeLeft);
  return std::min(left, std::max(std::min(in_time, left / kPiece), worth_it));
}

GroupBox SharedWork::box(uint64_t begin, uint64_t end) const {
  GroupBox piece = whole_;
  piece.first[dimension_] = begin;
  piece.count[dimension_] = end - begin;
  return piece;
}

}  // namespace samcl
