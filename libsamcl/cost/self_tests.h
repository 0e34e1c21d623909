// Which kinds of device give the same bytes for a kernel as the first device's kind: what the self-tests of its
// launches have shown (commands/self_test.h), and which launch is tested next.
//
// Sizes within a factor of two are a class of their own. Of a class the 1st, 2nd, 4th, 8th, ... launch that could use
// several kinds is tested, each time on other work-groups and with what the program's buffers hold by then; the others
// use the kinds that all tests so far have found the same. One difference, at any size, keeps a kind away for good.
//
// Threads: any.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/places.h"
#include "contract/ndrange.h"

namespace samcl {

class SelfTests {
 public:
  // What a launch does, that could run on the first kind and others.
  enum class Next : uint8_t {
    join,  // uses them
    test,  // uses the first kind only, and is tested
    wait,  // uses the first kind only: no test of its size has ended yet
  };
  // others: kinds (Device::kinds) but the first, which is_apart() tells nothing against. Counts the launch.
  Next next(uint64_t work_items, std::span<const unsigned> others);

  enum class Outcome : uint8_t {
    same,
    different,
    none,  // it could not be done: for want of memory, or since that device refused the launch
  };
  void tested(unsigned kind, uint64_t work_items, Outcome outcome);

  // Whether a test has shown that kind to give other bytes.
  bool is_apart(unsigned kind) const;
  // Launches that have joined kinds.
  uint64_t joined() const;

  // How much of a launch is tested: what the first device is expected to compute in kTestNs, but no more than
  // kMostItems work-items; kUnknownItems where nothing is known of its time. At least one work-group.
  static constexpr uint64_t kTestNs = 2'000'000, kMostItems = 1 << 16, kUnknownItems = 1 << 12;
  // Work-groups that the test of that number, from 0, runs: whole rows of the slowest dimension or, where one is more
  // than wanted, a part of it; over the numbers they are spread evenly. expected_ns: of the whole launch, 0: unknown.
  static GroupBox box(const Ndrange& ndrange, uint64_t expected_ns, uint64_t number);

 private:
  using Kinds = std::bitset<kMaxDevices>;
  struct Class {
    uint64_t launches = 0;
    Kinds same;
  };
  mutable std::mutex mutex_;
  std::array<Class, 64> classes_;
  Kinds apart_;
  uint64_t joined_ = 0;
};

}  // namespace samcl
