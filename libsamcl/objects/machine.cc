#include "libsamcl/objects/machine.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "libsamcl/device/host_transfer.h"
#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/real_objects.h"
#include "libsamcl/driver/share.h"
#include "libsamcl/lease/trace_request.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/observe/trace_span.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

struct Group {
  cl_platform_id platform;
  std::vector<cl_device_id> members;  // all alike devices, used or not, as the platform lists them
  cl_device_id shown;                 // the handle that the program holds: virtual, or the first member
};

struct Machine {
  std::unique_ptr<lease::Client> client;
  std::vector<Group> groups;
  std::unordered_map<cl_device_id, cl_device_id> virtual_of;  // by real device
};

std::vector<driver::Device> chosen_devices(const Config& config) {
  std::vector<driver::Device> all = driver::list_devices();
  auto selected = driver::select_devices(all, config.devices);
  if (selected) return *std::move(selected);
  if (!all.empty()) warn("SAMCL_DEVICES is ignored, all devices are used: " + selected.error().message);
  return all;
}

// What the program gets of each: where the driver divides it, a device with fewer units.
void take_shares(std::vector<driver::Device>& devices, double share) {
  for (driver::Device& device : devices) {
    const driver::ShareWay way = driver::share_way(device.id, share);
    const cl_device_id part = way == driver::ShareWay::units ? driver::part_of(device.id, share) : nullptr;
    if (part) {
      device.id = part;
      device.compute_units = driver::value<cl_uint>(part, CL_DEVICE_MAX_COMPUTE_UNITS, device.compute_units);
    } else if (way != driver::ShareWay::mps) {
      device.time_share = share;
    }
  }
}

// False if the process must not go on without a manager.
bool connect(Machine& machine, const Config& config, const std::vector<driver::Device>& devices) {
  if (config.manager == Config::Manager::off || devices.empty()) return true;
  lease::Settings settings;
  settings.instance = config.instance;
  settings.task = config.task;
  settings.gpus = config.gpus;
  std::vector<std::string> names;
  for (const driver::Device& device : devices) {
    names.push_back(device.stable_name);
    settings.memory.push_back(device.global_memory);
  }
  auto client = lease::Client::connect(settings, names);
  if (client) {
    machine.client = *std::move(client);
    lease::begin_trace = trace::begin_span;
    return true;
  }
  if (config.manager == Config::Manager::automatic) return true;
  warn("SAMCL_MANAGER=required, but sam-managerd \"" + config.instance + "\" can't be used: " + client.error().message +
       "; the program is shown no devices");
  return false;
}

// The only device of a group, with all of it and without a manager: whether the driver's own objects serve as well.
// Where the device has memory of its own, virtual ones move bytes faster.
bool is_direct(const Config& config, cl_device_id device) {
  if (config.direct == Config::Direct::automatic) return !gains_by_pinned_chunks(device);
  return config.direct == Config::Direct::always;
}

// `positions`: where each device stands in the list announced to the manager.
Group make_group(Machine& machine, const Config& config, const std::vector<driver::Device>& members,
                 const std::unordered_map<cl_device_id, uint32_t>& positions) {
  Group group{members[0].platform, {}, members[0].id};
  for (const driver::Device& member : members) group.members.push_back(member.listed);

  // Under a manager the number of devices in use may change while we run.
  std::vector<cl_device_id> used;
  for (const driver::Device& member : members) used.push_back(member.id);
  if (!machine.client && config.gpus > 0) used.resize(std::min<size_t>(used.size(), config.gpus));
  if (used.size() > kMaxDevices) {
    warn("of " + std::to_string(used.size()) + " devices " + members[0].name + " the first " +
         std::to_string(kMaxDevices) + " are used, no more fit in one virtual device");
    used.resize(kMaxDevices);
  }
  const bool is_whole = used[0] == group.members[0];
  if (used.size() == 1 && !machine.client && is_whole && is_direct(config, used[0])) return group;

  std::vector<LeaseTarget> leases;
  for (size_t i = 0; i < used.size(); ++i) {
    leases.push_back({machine.client.get(), positions.at(used[i]), members[i].time_share});
    if (members[i].time_share < 1 && !machine.client)
      warn("without a manager " + members[i].name + " is used as a whole");
  }
  std::vector<unsigned> kinds;
  for (size_t i = 0; i < used.size(); ++i) {
    const auto like =
        std::find_if(members.begin(), members.end(), [&](const auto& one) { return alike(one, members[i]); });
    kinds.push_back(static_cast<unsigned>(like - members.begin()));
  }
  group.shown = Device::hand_out(Device::make_shared(group.platform, used, std::move(leases), std::move(kinds)));
  for (const driver::Device& member : members)
    machine.virtual_of[member.id] = machine.virtual_of[member.listed] = group.shown;
  return group;
}

Machine* build() {
  const Config& config = Config::get();
  auto* machine = new Machine;
  std::vector<driver::Device> devices = chosen_devices(config);
  if (config.share < 1) take_shares(devices, config.share);
  if (!connect(*machine, config, devices)) return machine;
  std::unordered_map<cl_device_id, uint32_t> positions;
  for (const driver::Device& device : devices) positions.emplace(device.id, static_cast<uint32_t>(positions.size()));
  const bool mixed = config.mix != Config::Mix::off;
  for (const auto& members : mixed ? driver::group_mixed(devices) : driver::group_alike(devices))
    machine->groups.push_back(make_group(*machine, config, members, positions));
  if (!machine->virtual_of.empty()) driver::note_platforms();
  return machine;
}

std::atomic<const Machine*> built{nullptr};

const Machine& machine() {
  static const Machine* const machine = [] {
    const Machine* made = build();
    built.store(made, std::memory_order_release);
    return made;
  }();
  return *machine;
}

std::vector<cl_device_id> drivers_devices(cl_platform_id platform, cl_device_type type) {
  cl_uint count = 0;
  const auto& cl = driver::real();
  if (cl.clGetDeviceIDs(platform, type, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (count == 0 || cl.clGetDeviceIDs(platform, type, count, devices.data(), &count) != CL_SUCCESS) return {};
  devices.resize(std::min<size_t>(count, devices.size()));
  return devices;
}

}  // namespace

std::vector<cl_device_id> program_devices(cl_platform_id platform, cl_device_type type) {
  const std::vector<cl_device_id> of_type = drivers_devices(platform, type);
  std::vector<cl_device_id> shown;
  for (const Group& group : machine().groups) {
    const bool wanted = group.platform == platform &&  // of mixed devices, the first one's
                        std::any_of(group.members.begin(), group.members.end(), [&](cl_device_id member) {
                          return std::find(of_type.begin(), of_type.end(), member) != of_type.end();
                        });
    if (wanted) shown.push_back(group.shown);
  }
  // The driver's default device may be one that SAMCL_DEVICES leaves out.
  if (shown.empty() && type == CL_DEVICE_TYPE_DEFAULT) {
    for (const Group& group : machine().groups)
      if (group.platform == platform) return {group.shown};
  }
  return shown;
}

cl_device_id to_program(cl_device_id real) {
  const auto found = machine().virtual_of.find(real);
  return found == machine().virtual_of.end() ? real : found->second;
}

void as_programs_devices(void* devices, size_t bytes) {
  auto* const begin = static_cast<cl_device_id*>(devices);
  std::transform(begin, begin + bytes / sizeof(cl_device_id), begin, to_program);
}

lease::Client* present_lease_client() {
  const Machine* const machine = built.load(std::memory_order_acquire);
  return machine ? machine->client.get() : nullptr;
}

}  // namespace samcl
