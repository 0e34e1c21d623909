#include "libsamcl/device/device_set.h"

#include <algorithm>
#include <iterator>

#include "libsamcl/device/link_rates.h"
#include "libsamcl/device/shared_memory.h"
#include "libsamcl/lease/devices_in_use.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// What is shorter is seldom worth one more exchange.
constexpr uint64_t kLeastPassedOn = 16 << 10;

}  // namespace

void DeviceSet::add(std::unique_ptr<RealDevice> device) {
  announced_.push_back(device->lease.index);
  devices.push_back(std::move(device));
}

// What shares the host's memory is lost with it.
void DeviceSet::complete() {
  std::vector<std::string> machines;
  for (const auto& device : devices) machines.push_back(device->server);
  tree_.emplace(machines);
  find_transports();
  survives_ = Config::get().survive && devices.size() > 1 && !shares_host_memory_;
}

// One memory for all where there is one, else memory of devices that others can see, else what the driver moves in one
// context if that is fast, else the way through the host; SAMCL_TRANSPORT=peer, windows, one-context and staged leave
// out what comes before. The context was chosen before its devices were made: where it is one, none of the other ways
// was to be tried.
void DeviceSet::find_transports() {
  using Transport = Config::Transport;
  unmanaged_ = lease::devices_in_use({}, announced_, Config::get().gpus);
  const Transport wanted = Config::get().transport;
  const auto is_remote = [](const auto& device) { return device->is_remote; };
  if (devices.size() > 1 && std::any_of(devices.begin(), devices.end(), is_remote)) rates_ = measured_rates(devices);
  if (one_context && one_context->times())
    rates_.exchange = std::max(rates_.exchange, one_context->times()->in_one_context.bytes_per_ns());
  if (one_context || wanted == Transport::one_context || wanted == Transport::staged) return;
  const bool one_memory = devices_share_host_memory(devices);
  shares_host_memory_ = one_memory && wanted != Transport::peer && wanted != Transport::windows;
  if (shares_host_memory_) return;
  std::shared_ptr<PeerMemory> memory = one_memory ? PeerMemory::in_host_memory(devices) : PeerMemory::of(devices);
  if (!memory) return;
  windows = std::make_unique<PeerWindows>(memory);
  if (wanted != Transport::windows) peers = std::move(memory);
  // Measured on two H200: 365 GB/s and 12 us from GPU to GPU; 25 GB/s and more through pinned chunks.
  rates_ = {20, 250, 20'000};
}

bool DeviceSet::passes_on(uint64_t bytes) const {
  if (!one_context || bytes < kLeastPassedOn) return false;
  if (!one_context->times()) return true;
  const double over_link = static_cast<double>(rates_.latency) / 2 + static_cast<double>(bytes) / rates_.host;
  return one_context->times()->in_one_context.ns(bytes) <= over_link;
}

Place DeviceSet::source_for(unsigned device, Places valid, uint64_t bytes) const {
  const Places on_devices = valid & kAnyDevice;
  const bool passed_on = on_devices != 0 && passes_on(bytes);
  if (contains(valid, kHost) && !passed_on) return kHost;
  const unsigned parent = tree_->parent(device);
  if (passed_on && contains(on_devices, parent)) return parent;
  const Places near = on_devices & tree_->machine(device);
  return lowest(near != 0 ? near : on_devices);
}

SmallVector<unsigned, 8> DeviceSet::devices_in_use() const {
  const lease::Client* client = devices[0]->lease.client;
  std::vector<unsigned> assigned;
  if (client) assigned = lease::devices_in_use(client->assignment(), announced_, Config::get().gpus);
  const std::vector<unsigned>& used = client ? assigned : unmanaged_;
  if (lost() == 0) return {used.begin(), used.end()};
  SmallVector<unsigned, 8> left;
  std::ranges::copy_if(used, std::back_inserter(left), [&](unsigned device) { return !contains(lost(), device); });
  if (left.empty()) left.push_back(0);
  return left;
}

Places DeviceSet::places_in_use() const {
  Places places = 0;
  for (unsigned device : devices_in_use()) places |= only(device);
  return places;
}

bool DeviceSet::splits_always() const {
  const lease::Client* client = devices[0]->lease.client;
  return Config::get().always_split || (client && client->is_task());
}

}  // namespace samcl
