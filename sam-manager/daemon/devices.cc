#include "sam-manager/daemon/devices.h"

#include <algorithm>

#include "sam-manager/protocol/limits.h"

namespace samcl::daemon {

std::optional<std::vector<uint8_t>> Devices::indices(const std::vector<std::string>& names,
                                                     const std::function<bool(uint8_t)>& in_use) {
  std::vector<std::string> next = names_;
  std::vector<uint8_t> found(names.size());
  std::vector<bool> taken(protocol::kMaxKnownDevices);  // by this program
  const auto take = [&](size_t position, size_t index) {
    found[position] = static_cast<uint8_t>(index);
    taken[index] = true;
  };
  // Known names first, so that a new one takes no place of theirs.
  std::vector<size_t> unknown;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto known = std::find(names_.begin(), names_.end(), names[i]);
    if (known == names_.end())
      unknown.push_back(i);
    else
      take(i, static_cast<size_t>(known - names_.begin()));
  }
  for (const size_t i : unknown) {
    const auto known = std::find(next.begin(), next.end(), names[i]);
    size_t index = static_cast<size_t>(known - next.begin());
    if (known == next.end() && next.size() >= protocol::kMaxKnownDevices)
      for (index = 0; index < next.size() && (taken[index] || in_use(static_cast<uint8_t>(index)));) ++index;
    if (index >= protocol::kMaxKnownDevices) return std::nullopt;
    if (index >= next.size()) next.emplace_back();
    next[index] = names[i];
    take(i, index);
  }
  names_ = std::move(next);
  return found;
}

}  // namespace samcl::daemon
