// What samcl did for the program, counted while it runs and shown at its end if SAMCL_REPORT asks for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/places.h"
#include "libsamcl/observe/traffic.h"

namespace samcl {

// One kernel, by name, over all programs and contexts. Times in ns, summed over devices.
struct KernelRecord {
  std::atomic<uint64_t> launches{0}, split_launches{0}, slices{0};
  std::atomic<uint64_t> gathered_launches{0};  // that were given to the driver together with others before them
  std::atomic<uint64_t> launches_beside{0};    // that could run beside others of their queue, on one device
  std::atomic<unsigned> devices{0};            // the most it ran on at once
  std::atomic<uint64_t> launch_ns{0}, merge_ns{0};
  // Of launches whose time was predicted: how many, what was said, and what they took.
  std::atomic<uint64_t> predicted_launches{0}, predicted_ns{0}, took_ns{0};
  // Where devices that are not alike have to give the same bytes: tests that were made, and what devices computed for
  // them and the host compared.
  std::atomic<uint64_t> self_tests{0}, self_test_ns{0};
  std::atomic<uint64_t> repeated_parts{0};     // since their devices were lost
  std::atomic<uint64_t> taken_over_groups{0};  // work-groups that another device ran than was planned
  Traffic traffic;

  void set_reason(std::string_view why_not_more);
  std::string reason() const;
  // A self-test found other bytes on a device of that name.
  void set_apart(const std::string& device);
  std::set<std::string> apart() const;

 private:
  mutable std::mutex mutex_;
  std::string reason_;  // why the last unsplit launch was not split
  std::set<std::string> apart_;
};

namespace report {

// Whether anybody will read it.
bool wanted();

// The record of a kernel; lives as long as the process. Any thread.
KernelRecord& kernel(const std::string& name);

// What moved over the link of the device of that index.
Traffic& device(unsigned index);

// Since the first of these was asked for; what transfers of all devices took, summed. ns.
uint64_t wall_ns();
uint64_t transfer_ns();

// Writes the report to where SAMCL_REPORT says. Called once, at the end of the process.
void write();

}  // namespace report
}  // namespace samcl
