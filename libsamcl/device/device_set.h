// The real devices behind one context: which of them launches may use at present, and how bytes get from one to
// another. Fixed once made, but for what a manager assigns.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/live_set.h"
#include "base/small_vector.h"
#include "libsamcl/coherence/directory.h"
#include "libsamcl/coherence/placements.h"
#include "libsamcl/cost/ways.h"
#include "libsamcl/device/broadcast_tree.h"
#include "libsamcl/device/locked_memory.h"
#include "libsamcl/device/one_context.h"
#include "libsamcl/device/peer_memory.h"
#include "libsamcl/device/peer_windows.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/device/timelines.h"

namespace samcl {

class Storage;

class DeviceSet {
 public:
  std::unique_ptr<Timelines> timelines;  // nullptr where devices do not wait for each other without the host
  std::vector<std::unique_ptr<RealDevice>> devices;
  // The device with the queues behind that lane. Any thread.
  RealDevice& at(engine::Lane lane) const { return *devices[lane.device]->strand(lane.strand); }
  // Each device and each of its strands. Any thread.
  template <typename Call>
  void each_strand(const Call& call) const {
    for (const auto& device : devices) device->each_strand(call);
  }
  // Memory of replicas that others can use; nullptr where devices cannot, or no replica is to be in such memory.
  std::shared_ptr<PeerMemory> peers;
  // A memory object of that size was made, which is likely to be used on the first device first. Where a manager counts
  // what is allocated, nothing is before it is used.
  void expect_memory(uint64_t bytes) const;
  std::unique_ptr<PeerWindows> windows;  // for other replicas; nullptr where devices cannot use each other's memory

  // What the driver has locked for them of host memory.
  LockedMemory locked_memory;

  // Where a manager grants the devices, what memory of theirs may be needed by others, or devices may be lost: all
  // memory objects.
  LiveSet<Storage> storages;
  // Where memory objects are going to be needed, as far as an earlier process has found out.
  Placements placements;
  // The first group of operations of the command that is planned, or was last: what it has looked at is in use. Guarded
  // by the lock of the context's graph.
  uint64_t planned_group = 0;
  bool is_managed() const { return devices[0]->lease.client != nullptr; }
  bool lists_storages() const { return is_managed() || survives(); }

  // The devices that kernels are split over at present: the manager's choice, at most SAMCL_GPUS, else all. What
  // can't be split runs on the first of them, if it can run there. Never empty. Any thread.
  SmallVector<unsigned, 8> devices_in_use() const;
  Places places_in_use() const;
  // Those that are not open yet; waits for it. One that cannot be is in use no more. Any thread.
  void open_devices_in_use() const;

  // Whether launches are split wherever they may be: a manager's plan for a task counts on it, as its profile was
  // taken, or SAMCL_SPLIT=always asks for it. Any thread.
  bool splits_always() const;

  // Whether the context goes on when a device is lost (SAMCL_SURVIVE): then each byte of a buffer is in host memory,
  // or can be computed again (objects/lineage.h), once the command has ended that wrote it. Fixed.
  bool survives() const { return survives_; }
  // The devices that were lost since; of one that is, the first call tells. Any thread.
  Places lost() const { return lost_.load(std::memory_order_acquire); }
  bool lose(unsigned device) { return !contains(lost_.fetch_or(only(device)), device); }

  // Whether kernels on several devices may use memory of one of them at once. Under a manager only where the devices
  // are held by nobody else, as above.
  bool may_hold() const { return peers && !survives_ && (!is_managed() || is_free_of_others()); }

  // Whether all devices compute in host memory: a buffer over one block of it is the same bytes for all and the host.
  bool shares_host_memory() const { return shares_host_memory_; }
  const TransferRates& rates() const { return orders_itself() ? ordered_rates_ : rates_; }
  // Whether what comes after another device's command waits for it on its device, and not in the host.
  bool orders_itself() const { return may_order_itself() && timelines->serve(); }
  // Whether that may be begun. Under a manager a device that somebody else may want is not to be held by who waits for
  // another one, and a task's model has no such waiting: only a program that is alone, and no task.
  bool may_order_itself() const { return timelines && (!is_managed() || is_free_of_others()); }
  // What `rates()` are then; nullptr: never.
  const TransferRates* rates_in_order() const { return may_order_itself() ? &ordered_rates_ : nullptr; }

  // The real context that these two have; nullptr: none.
  OneContext* one_context(unsigned device, unsigned other) const {
    const auto& its = devices[device]->one_context;
    return its == devices[other]->one_context ? its.get() : nullptr;
  }
  bool shares_contexts() const {
    return std::ranges::any_of(devices, [](const auto& device) { return device->one_context != nullptr; });
  }
  bool within_server(unsigned device, unsigned other) const {
    return devices[device]->server == devices[other]->server;
  }

  // Whether so many bytes that both devices need go over the host's links to the one and from there to the other: where
  // they have a way of their own that is no slower. Fixed.
  bool passes_on(unsigned from, unsigned to, uint64_t bytes) const;
  // Of the places where so many bytes are needed, those that the host gives them to: no device that gets them from
  // another one.
  Places entrances(Places needed, uint64_t bytes) const;
  // From which of the places where they are valid that device gets so many bytes (0: of which none are passed on): from
  // one of its own machine, if that has them.
  Place source_for(unsigned device, Places valid, uint64_t bytes) const;

 protected:
  DeviceSet() = default;
  ~DeviceSet() = default;

  // For who makes it: each device, in order of their indices, and then what they are to each other.
  void add(std::unique_ptr<RealDevice> device);
  void complete();

 private:
  void find_transports();
  bool may_wait_for_each_other(bool on_cores) const;
  bool is_free_of_others() const;
  double slowest_in_context() const;  // bytes/ns between any two devices

  bool shares_host_memory_ = false;
  bool survives_ = false;
  std::atomic<Places> lost_{0};
  TransferRates rates_, ordered_rates_;  // by the host, and where devices wait for each other
  std::optional<BroadcastTree> tree_;    // of those that pass bytes on to others
  std::vector<uint32_t> announced_;      // by device: its index among those announced to the manager
  std::vector<unsigned> unmanaged_;      // the devices in use as long as no manager has a say
};

}  // namespace samcl
