// A manager's client that grants everything at once and notes what it was asked.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "libsamcl/lease/lease.h"

namespace samcl::testing {

class FakeManager : public lease::Client {
 public:
  lease::Assignment chosen;           // what assignment() gives
  std::atomic<int> revocations{0};    // how many more times a holder is to give way
  std::atomic<bool> is_taken{false};  // by another program, as long as nobody waits for it
  std::atomic<bool> wanted{false};    // another program waits for what is held
  std::atomic<bool> alone{false};     // no other program is connected
  std::atomic<bool> is_far{false};    // who holds a device says that he runs far
  std::atomic<bool> is_link_far{false};
  std::atomic<uint64_t> limit{0};  // of each device's memory, bytes; 0: none

  // All of so many devices.
  void choose_all(unsigned devices) {
    chosen.devices.resize(devices);
    std::iota(chosen.devices.begin(), chosen.devices.end(), 0U);
    chosen.gpus = devices;
  }

  // What it was asked so far, "+link 0", "-gpu 1": also by threads of the context, whenever they come to it.
  std::vector<std::string> events() const {
    std::lock_guard lock(mutex_);
    return events_;
  }
  long count(std::string_view event) const { return std::ranges::count(events(), event); }
  void forget_events() {
    std::lock_guard lock(mutex_);
    events_.clear();
  }

  lease::Assignment assignment() const override { return chosen; }
  uint64_t assignment_version() const override {
    uint64_t version = std::hash<std::string>()(chosen.task) + chosen.gpus;
    for (const uint32_t device : chosen.devices) version = 31 * version + device + 1;
    return version;
  }
  void acquire(lease::ResourceKind kind, uint32_t device) override { note('+', kind, device); }
  bool try_acquire(lease::ResourceKind kind, uint32_t device) override {
    if (is_taken) return false;
    note('+', kind, device);
    return true;
  }
  bool is_alone() const override { return alone; }
  bool runs_far(lease::ResourceKind kind, uint32_t) override { return alone ? far(kind) = true : false; }
  void ends_run_far(lease::ResourceKind kind, uint32_t) override { far(kind) = false; }
  void memory_changed(uint32_t device, int64_t bytes) override {
    std::lock_guard lock(mutex_);
    memory_[device] += static_cast<uint64_t>(bytes);
  }
  uint64_t memory(uint32_t device) const override {
    std::lock_guard lock(mutex_);
    const auto has = memory_.find(device);
    return has == memory_.end() ? 0 : has->second;
  }
  uint64_t memory_limit(uint32_t) const override { return limit; }
  bool is_wanted(lease::ResourceKind, uint32_t) const override { return wanted || revocations > 0; }
  void release(lease::ResourceKind kind, uint32_t device) override {
    if (revocations > 0) --revocations;
    note('-', kind, device);
  }
  bool revoke_requested(lease::ResourceKind, uint32_t) const override { return revocations > 0; }
  void attach_thread(int) override {}
  void job_ended(uint64_t, bool) override {}
  bool managed() const override { return true; }
  uint64_t waited_ns() const override { return 0; }

 private:
  std::atomic<bool>& far(lease::ResourceKind kind) { return kind == lease::ResourceKind::gpu ? is_far : is_link_far; }
  void note(char what, lease::ResourceKind kind, uint32_t device) {
    std::lock_guard lock(mutex_);
    events_.push_back(what + std::string(kind == lease::ResourceKind::gpu ? "gpu " : "link ") + std::to_string(device));
  }
  mutable std::mutex mutex_;
  std::map<uint32_t, uint64_t> memory_;
  std::vector<std::string> events_;
};

}  // namespace samcl::testing
