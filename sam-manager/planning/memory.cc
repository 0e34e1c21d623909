#include "sam-manager/planning/memory.h"

#include <algorithm>
#include <numeric>

#include "base/bytes.h"

namespace samcl::planning {

std::vector<size_t> devices_of(const registry::Task& task, const Assignment& plan, const Machine& machine) {
  std::vector<size_t> devices;
  if (const AssignedTask* planned = plan.find(task.name); planned && !planned->uses_any) {
    for (const uint8_t device : planned->devices) devices.push_back(device);
    return devices;
  }
  for (size_t index = 0; index < machine.devices.size(); ++index) {
    const auto names_it = [&](const std::string& name) {
      return name == machine.devices[index] || name == std::to_string(index);
    };
    if (task.devices.empty() || std::any_of(task.devices.begin(), task.devices.end(), names_it))
      devices.push_back(index);
  }
  return devices;
}

std::vector<uint64_t> reserved_memory(const std::map<std::string, registry::Task>& tasks, const Assignment& plan,
                                      const Machine& machine) {
  std::vector<uint64_t> reserved(machine.devices.size());
  for (const auto& [name, task] : tasks) {
    if (task.memory_bytes == 0) continue;
    for (const size_t device : devices_of(task, plan, machine))
      if (device < reserved.size()) reserved[device] += task.memory_bytes;
  }
  return reserved;
}

std::string memory_objection(const std::map<std::string, registry::Task>& tasks, const Assignment& plan,
                             const Machine& machine, const registry::Task& newcomer) {
  if (newcomer.memory_bytes == 0) return "";
  const std::vector<uint64_t> reserved = reserved_memory(tasks, plan, machine);
  for (const size_t device : devices_of(newcomer, plan, machine)) {
    const uint64_t memory = device < machine.memory.size() ? machine.memory[device] : 0;
    if (memory == 0 || device >= reserved.size() || reserved[device] <= memory) continue;
    std::string by;
    for (const auto& [name, task] : tasks) {
      const std::vector<size_t> used = devices_of(task, plan, machine);
      if (task.memory_bytes > 0 && std::find(used.begin(), used.end(), device) != used.end())
        by += (by.empty() ? "" : ", ") + format_bytes(task.memory_bytes) + " by \"" + name + "\"";
    }
    return "device \"" + machine.devices[device] + "\" has " + format_bytes(memory) + " of memory, and " +
           format_bytes(reserved[device]) + " would be reserved there: " + by;
  }
  return "";
}

std::optional<std::vector<uint64_t>> memory_limits(uint64_t memory, const std::vector<MemoryUse>& programs) {
  constexpr uint64_t kLeast = 64 << 20;  // with which each can begin
  uint64_t room = memory;
  bool is_reserved = false;
  std::vector<uint64_t> wants;
  for (const MemoryUse& program : programs) {
    is_reserved |= program.reserved > 0;
    if (program.is_limited) {
      wants.push_back(std::max(kLeast, 2 * std::min(program.used, UINT64_MAX / 2)));
    } else {
      room -= std::min(room, std::max(program.reserved, program.used));
    }
  }
  if (memory == 0 || !is_reserved) return std::nullopt;
  // The modest ones first: what they leave is shared by the others.
  std::vector<size_t> order(wants.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t index) { return wants[index]; });
  std::vector<uint64_t> limits(wants.size());
  for (size_t done = 0; done < order.size(); ++done) {
    uint64_t& limit = limits[order[done]];
    limit = std::min(wants[order[done]], room / (order.size() - done));
    room -= limit;
  }
  for (uint64_t& limit : limits) limit += room / limits.size();
  return limits;
}

}  // namespace samcl::planning
