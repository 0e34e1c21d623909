// Bytes from device to device where memory can be seen by both, but the replicas are not in such memory: they are
// larger than what the driver lets others see, or were made otherwise. A range is copied into a window on the device
// that has it, and from there by the other device.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/device/peer_memory.h"
#include "libsamcl/device/range_copies.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class RealDevice;

// Memory of one device through which bytes go to another.
struct PeerWindow {
  std::unique_ptr<PeerBuffer> memory;
  cl_mem filled = nullptr, emptied = nullptr;  // as the one and the other device see it
  engine::NodePtr emptied_by;  // what does so last, of one that next() gave. Under the lock of the context's graph
};

class PeerWindows {
 public:
  // Of a window. Two are in use at once, one filled while the other is emptied: on two H200 the link is the limit from
  // a few MiB on (362 GB/s; a copy within a device 1,500), and each piece costs the host's hearing of an end, 10 us.
  static constexpr uint64_t kWindow = 32 << 20;
  // Of it, where links are leased: for what others may have to wait.
  static constexpr uint64_t kGivesWay = 8 << 20;
  // So many bytes arrive sooner this way than through the host, where that takes 18 us up and 18 down.
  static constexpr uint64_t kWorthIt = 64 << 10;

  explicit PeerWindows(std::shared_ptr<PeerMemory> memory) : memory_(std::move(memory)) {}

  // Copies rows of a replica to the same place of another device's, and waits; by the `down` queue of the one and the
  // `up` queue of the other. The driver's code; nothing, and nothing done, if there is no memory for windows. Any
  // thread.
  std::optional<cl_int> pass(RealDevice& from, RealDevice& to, cl_mem source, cl_mem target,
                             std::span<const Rectangle> rows);

  // Where devices order themselves (device/timelines.h): the window whose turn it is, of a few that one fills and the
  // other empties; nullptr if there is no memory for it. Under the lock of the context's graph.
  std::shared_ptr<PeerWindow> next(unsigned from, unsigned to);
  static constexpr uint64_t kOrdered = 8 << 20;  // bytes of each

 private:
  class Passing;
  using Ends = std::pair<unsigned, unsigned>;
  // Those of next().
  struct Ring {
    std::array<std::shared_ptr<PeerWindow>, 4> windows;
    size_t next = 0;
  };
  std::optional<PeerWindow> make(Ends ends, uint64_t bytes) const;
  std::optional<PeerWindow> take(Ends ends);
  void give_back(Ends ends, PeerWindow window);
  RangeCopies& copies_on(const RealDevice& device);

  const std::shared_ptr<PeerMemory> memory_;
  std::mutex mutex_;
  std::map<Ends, std::vector<PeerWindow>> idle_;
  std::map<unsigned, std::unique_ptr<RangeCopies>> copies_;  // by device
  std::map<Ends, Ring> rings_;                               // under the graph's lock
};

}  // namespace samcl
