// The bytes of memory objects at all their places, for tests: does what operations say, without any device.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "libsamcl/device/peer_windows.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/memory/storage.h"

namespace samcl::engine::testing {

// A sub-kernel that is a function.
class SimulatedKernel : public KernelWork {
 public:
  explicit SimulatedKernel(std::function<void()> work) : run(std::move(work)) {}
  const std::function<void()> run;
};

class SimulatedBytes {
 public:
  // Contents of a place; never written: 0xEE.
  std::vector<std::byte>& at(const Storage& memory, Place place) {
    auto [found, is_new] = places_.try_emplace({&memory, place});
    if (is_new) found->second.assign(memory.size(), std::byte{0xEE});
    return found->second;
  }

  cl_int perform(const Node& node) {
    std::visit([this](const auto& operation) { (*this)(operation); }, node.operation);
    return CL_SUCCESS;
  }

  void operator()(const Exchange& o) {
    for (const Range& range : o.ranges) {
      std::memcpy(at(*o.memory, o.to).data() + range.begin, at(*o.memory, o.from).data() + range.begin, range.size());
      moved += range.size();
    }
    ++exchanges;
  }
  void operator()(const WindowCopy& o) {
    std::vector<std::byte>& window = windows_[o.window.get()];
    window.resize(std::max<size_t>(window.size(), PeerWindows::kOrdered));
    uint64_t packed = 0;
    for (const Range& range : o.ranges) {
      std::byte* const replica = at(*o.memory, o.place).data() + range.begin;
      o.fills ? std::memcpy(window.data() + packed, replica, range.size())
              : std::memcpy(replica, window.data() + packed, range.size());
      packed += range.size();
    }
    if (o.fills) moved += packed;
    if (o.fills) ++exchanges;
  }
  void operator()(const ProgramCopy& o) {
    std::byte* replica = at(*o.replica.memory, o.replica.place).data();
    o.rows.for_each_row([&](uint64_t index, Range row) {
      std::byte* program = o.program + o.program_rows.row(index);
      o.to_program ? std::memcpy(program, replica + row.begin, row.size())
                   : std::memcpy(replica + row.begin, program, row.size());
    });
  }
  void operator()(const LocalCopy& o) {
    std::byte* to = at(*o.to, o.place).data();
    const std::byte* from = at(*o.from, o.place).data();
    o.source.for_each_row(
        [&](uint64_t index, Range row) { std::memmove(to + o.target.row(index), from + row.begin, row.size()); });
  }
  void operator()(const Fill& o) {
    for (const Range& range : o.ranges) {
      for (uint64_t b = range.begin; b < range.end; ++b)
        at(*o.replica.memory, o.replica.place)[b] = o.pattern[(b - range.begin) % o.pattern.size()];
    }
  }
  void operator()(const RunKernel& o) { static_cast<SimulatedKernel&>(*o.work).run(); }
  void operator()(const HostCall& o) {
    if (o.call) o.call();
  }

  uint64_t moved = 0;  // bytes by exchanges
  size_t exchanges = 0;

 private:
  std::map<std::pair<const Storage*, Place>, std::vector<std::byte>> places_;
  std::map<const PeerWindow*, std::vector<std::byte>> windows_;
};

}  // namespace samcl::engine::testing
