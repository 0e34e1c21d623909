#include "sam-manager/scheduler/cpu_delays.h"

#include <algorithm>

namespace samcl::scheduler {

void CpuDelays::set_priority(ClientId client, int priority) {
  priorities_[client] = priority;
  for (auto& [resource, section] : sections_) count(section, client, priority);
}

void CpuDelays::remove(ClientId client) {
  priorities_.erase(client);
  for (auto& [resource, section] : sections_) count(section, client, std::nullopt);
}

void CpuDelays::begin(ResourceId resource, ClientId holder, int priority) {
  Section& section = sections_[resource];
  if (section.holder != holder) section = {holder, priority, 0, {}};
  section.priority = priority;
  for (const auto& [client, own] : priorities_) count(section, client, own);
}

// From now on, or no longer.
void CpuDelays::count(Section& section, ClientId client, std::optional<int> priority) const {
  const bool counts = priority && *priority >= section.priority && client != section.holder;
  const auto known = section.begins.find(client);
  if (counts == (known != section.begins.end())) return;
  if (counts) {
    section.begins[client] = clock(client);
    return;
  }
  const uint64_t now = clock(client);
  section.computed_ns += now - std::min(now, known->second);
  section.begins.erase(known);
}

uint64_t CpuDelays::computed_ns(ResourceId resource) const {
  const auto found = sections_.find(resource);
  if (found == sections_.end()) return 0;
  uint64_t all = found->second.computed_ns;
  for (const auto& [client, begin] : found->second.begins) {
    const uint64_t now = clock(client);
    all += now - std::min(now, begin);
  }
  return all;
}

uint64_t CpuDelays::clock(ClientId client) const {
  const auto use = read_(client);
  return use ? use->ns : 0;
}

}  // namespace samcl::scheduler
