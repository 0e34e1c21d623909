#include "libsamcl/device/device_set.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "libsamcl/device/link_rates.h"
#include "libsamcl/device/shared_memory.h"
#include "libsamcl/driver/vendor.h"
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
  for (const auto& device : devices) machines.push_back(driver::machine_of(device->server));
  tree_.emplace(machines);
  find_transports();
  survives_ = Config::get().survive && devices.size() > 1 && !shares_host_memory_;
}

// One memory for all where there is one, else memory of devices that others can see, else what the driver moves in one
// context if that is fast, else the way through the host; SAMCL_TRANSPORT=peer, windows, one-context, one-server and
// staged leave out what comes before. The context was chosen before its devices were made: where it is one, none of the
// other ways was to be tried.
void DeviceSet::find_transports() {
  using Transport = Config::Transport;
  unmanaged_ = lease::devices_in_use({}, announced_, Config::get().gpus);
  // Neighbours in a machine get neighbouring parts, and what these need of each other stays there.
  std::ranges::stable_sort(unmanaged_, {}, [&](unsigned device) { return lowest(tree_->machine(device)); });
  const Transport wanted = Config::get().transport;
  const auto is_remote = [](const auto& device) { return device->is_remote; };
  if (devices.size() > 1 && std::any_of(devices.begin(), devices.end(), is_remote)) rates_ = measured_rates(devices);
  if (shares_contexts()) rates_.exchange = std::max(rates_.exchange, slowest_in_context());
  if (shares_contexts() || wanted == Transport::one_context || wanted == Transport::one_server ||
      wanted == Transport::staged)
    return;
  const bool one_memory = devices_share_host_memory(devices);
  shares_host_memory_ = one_memory && wanted != Transport::peer && wanted != Transport::windows;
  if (shares_host_memory_) return;
  std::shared_ptr<PeerMemory> memory = one_memory ? PeerMemory::in_host_memory(devices) : PeerMemory::of(devices);
  if (!memory) return;
  windows = std::make_unique<PeerWindows>(memory);
  if (may_wait_for_each_other(one_memory)) timelines = std::make_unique<Timelines>(devices, memory);
  if (wanted != Transport::windows) peers = std::move(memory);
  // Measured on two H200: 365 GB/s and 12 us from GPU to GPU; 25 GB/s and more through pinned chunks.
  rates_ = {20, 250, 20'000};
  ordered_rates_ = rates_;
  ordered_rates_.latency = 8'000;
  ordered_rates_.hand_over = 10'000;
  ordered_rates_.part = 15'000;
  // A stencil's step takes 90 to 130 us on three H100 or H200 and 150 to 200 on four, however short its kernel.
  ordered_rates_.inner_part = 70'000;
  ordered_rates_.range = 0;
}

// What computes on the host's cores would keep one busy by waiting. Where a device may be lost, what others wait for
// may never come.
bool DeviceSet::may_wait_for_each_other(bool on_cores) const {
  using Ordering = Config::Ordering;
  const Ordering wanted = Config::get().ordering;
  return (wanted == Ordering::device || (wanted == Ordering::automatic && !on_cores)) && !Config::get().survive;
}

bool DeviceSet::is_free_of_others() const {
  const lease::Client* client = devices[0]->lease.client;
  return client->is_alone() && !client->is_task();
}

void DeviceSet::expect_memory(uint64_t bytes) const {
  if (!peers || !peers->makes_ahead(bytes) || is_managed()) return;
  try {
    devices[0]->maker().post([memory = peers, bytes] { memory->make_ahead(bytes); });
  } catch (...) {  // no thread, no memory
  }
}

// 0: where some two of them have no context in common, or nothing was measured.
double DeviceSet::slowest_in_context() const {
  double slowest = std::numeric_limits<double>::infinity();
  for (unsigned device = 1; device < devices.size(); ++device) {
    const OneContext* const one = one_context(0, device);
    const auto* const times = one ? &one->times(within_server(0, device)) : nullptr;
    slowest = std::min(slowest, times && *times ? (*times)->in_one_context.bytes_per_ns() : 0);
  }
  return slowest;
}

bool DeviceSet::passes_on(unsigned from, unsigned to, uint64_t bytes) const {
  const OneContext* const one = one_context(from, to);
  if (!one || bytes < kLeastPassedOn) return false;
  const auto& times = one->times(within_server(from, to));
  if (!times) return true;
  const double over_link = static_cast<double>(rates_.latency) / 2 + static_cast<double>(bytes) / rates_.host;
  return times->in_one_context.ns(bytes) <= over_link;
}

Places DeviceSet::entrances(Places needed, uint64_t bytes) const {
  if (!shares_contexts()) return needed;
  Places entrances = needed;
  for_each_place(needed & kAnyDevice, [&](unsigned device) {
    for_each_place(needed & first_devices(device), [&](unsigned earlier) {
      if (passes_on(earlier, device, bytes)) entrances &= ~only(device);
    });
  });
  return entrances;
}

Place DeviceSet::source_for(unsigned device, Places valid, uint64_t bytes) const {
  const Places on_devices = valid & kAnyDevice, near = on_devices & tree_->machine(device);
  if (on_devices == 0) return kHost;
  const auto passed_on_by = [&](unsigned source) {
    return contains(on_devices, source) && passes_on(source, device, bytes);
  };
  if (const unsigned parent = tree_->parent(device); passed_on_by(parent)) return parent;
  const Place nearest = lowest(near != 0 ? near : on_devices);
  return contains(valid, kHost) && !passed_on_by(nearest) ? kHost : nearest;
}

SmallVector<unsigned, 8> DeviceSet::devices_in_use() const {
  const lease::Client* client = devices[0]->lease.client;
  std::vector<unsigned> assigned;
  if (client) assigned = lease::devices_in_use(client->assignment(), announced_, Config::get().gpus);
  const std::vector<unsigned>& used = client ? assigned : unmanaged_;
  const Places gone = lost();
  SmallVector<unsigned, 8> left;
  std::ranges::copy_if(used, std::back_inserter(left), [&](unsigned device) {
    return !contains(gone, device) && !devices[device]->cannot_be_opened();
  });
  if (left.empty()) left.push_back(0);
  return left;
}

Places DeviceSet::places_in_use() const {
  Places places = 0;
  for (unsigned device : devices_in_use()) places |= only(device);
  return places;
}

void DeviceSet::open_devices_in_use() const {
  for (const unsigned device : devices_in_use()) devices[device]->open();
}

bool DeviceSet::splits_always() const {
  const lease::Client* client = devices[0]->lease.client;
  return Config::get().always_split || (client && client->is_task());
}

}  // namespace samcl
