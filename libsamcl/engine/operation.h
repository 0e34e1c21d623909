// What one device, one link or the host does for a command: the unit that the engine starts. Operations are values;
// a Node is an operation on its way: what it waits for, what waits for it, and how it ended.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "base/places.h"
#include "base/range.h"
#include "base/rectangle.h"
#include "base/small_vector.h"
#include "base/turn.h"

namespace samcl {

class Storage;
struct PeerWindow;
struct Traffic;
namespace observe {
struct Operation;
}

namespace engine {

// Where operations run one after another.
enum class LaneKind : uint8_t {
  compute,  // kernels, fills and copies inside a device, and short transfers
  up,       // long transfers to a device
  down,     // long transfers from a device
  host,     // copies within host memory; device 0 stands for the host
};
struct Lane {
  static constexpr unsigned kMostStrands = 16;
  LaneKind kind = LaneKind::host;
  unsigned device = 0;
  unsigned strand = 0;  // of a compute lane: which of the device's in-order queues (RealDevice::strand())
  bool operator==(const Lane&) const = default;
};

// A memory object's bytes at one place: a device's replica or the host copy.
struct Replica {
  std::shared_ptr<Storage> memory;
  Place place = kHost;
};

// The same ranges from one replica of a memory object to another.
struct Exchange {
  std::shared_ptr<Storage> memory;
  Place from = kHost, to = kHost;
  std::vector<Range> ranges;
  Traffic* traffic = nullptr;
};

// Half an exchange between devices that do not see each other's replicas: ranges of a device's, one behind the other,
// into a window that the other one sees, or from there.
struct WindowCopy {
  std::shared_ptr<Storage> memory;
  Place place = kHost;  // the device whose replica it is
  std::vector<Range> ranges;
  std::shared_ptr<PeerWindow> window;
  bool fills = false;  // the window, and not the replica
  Traffic* traffic = nullptr;
};

// From the program's memory to a replica, or back. Rows of equal shape on both sides.
struct ProgramCopy {
  Replica replica;
  Rectangle rows;          // of the memory object
  std::byte* program;      // only read if `to_program` is false
  Rectangle program_rows;  // relative to `program`
  bool to_program = false;
  Traffic* traffic = nullptr;
};

// From one memory object to another at the same place.
struct LocalCopy {
  std::shared_ptr<Storage> from, to;
  Place place = kHost;
  Rectangle source, target;
  Traffic* traffic = nullptr;
};

struct Fill {
  Replica replica;
  std::vector<Range> ranges;
  std::vector<std::byte> pattern;  // its size divides begin and length of every range
};

// A sub-kernel, as the backend knows it.
class KernelWork {
 public:
  virtual ~KernelWork() = default;
};
struct RunKernel {
  std::shared_ptr<KernelWork> work;
};

// Something that blocks until it is done, on the lane's thread: what the driver does only as a whole, merging. Empty: a
// join, which ends when all that it comes after has ended.
struct HostCall {
  std::function<cl_int()> call;
};

using Operation = std::variant<Exchange, WindowCopy, ProgramCopy, LocalCopy, Fill, RunKernel, HostCall>;

// Bytes that an operation moves; 0 for kernels and calls.
uint64_t bytes_of(const Operation& operation);

// What operations belong to.
class Owner {
 public:
  // Where it stands in its in-order queue, if it is in one.
  Turn turn() const {
    const uint64_t number = number_.load(std::memory_order_relaxed);
    return {number > 0 ? line_ : nullptr, number};
  }
  // The program looks whether it has ended, or wants to be told: then its end is to be heard of at once. Any thread.
  bool is_watched() const { return watched_.load(std::memory_order_relaxed); }

  // Whether the program may ask when it ran; a device ran an operation of it then, as it tells, ns of the host's clock.
  // Any thread.
  virtual bool may_be_asked_when() const { return false; }
  virtual void device_ran(uint64_t /*began*/, uint64_t /*ended*/) {}

  // None of the program's: what comes after it counts on it nevertheless. Before it is planned.
  bool is_ahead = false;

 protected:
  // line: its in-order queue, in which it gets its turn later; nullptr: in none.
  explicit Owner(const void* line = nullptr) : line_(line) {}
  ~Owner() = default;
  std::atomic<bool> watched_{false};
  std::atomic<uint64_t> number_{0};

 private:
  const void* const line_;
};

class Node;
using NodePtr = std::shared_ptr<Node>;
using NodeList = SmallVector<NodePtr, 6>;

// An operation between its planning and its end. Everything but the constants is guarded by the lock of the context
// whose engine it is entered in.
class Node {
 public:
  Node(Lane its_lane, Operation what, uint64_t its_group)
      : lane(its_lane), group(its_group), operation(std::move(what)) {}

  const Lane lane;
  const uint64_t group;  // operations of one group run in any order, and at once; see AccessMap

  Operation operation;                              // emptied when it has ended, so that what it held is free
  uint32_t command = 0;                             // the command's number in the trace
  std::shared_ptr<Owner> owner;                     // whose operation it is, until it has ended
  std::shared_ptr<observe::Operation> observed_as;  // what is told of it; nullptr: nothing
  bool observed = false;                            // the program may ask when it ran
  bool awaited = false;                             // the program's thread waits for its command
  bool alone = true;                                // the only one of its group
  bool is_handed_on = false;  // other lanes are likely to wait for its end: it is heard of at once
  bool has_own_end = false;   // its end is not to be heard of only with what comes behind it
  bool issued = false;
  uint64_t number_issued = 0;  // from the beginning of that: of all, in their order
  bool ended = false;
  uint64_t number = 0;               // in the order in which nodes were entered in the engine
  uint64_t position = 0;             // among what was issued to its lane, where the backend counts that
  unsigned waits_for = 0;            // nodes that must be issued, or end, before it is issued
  SmallVector<NodePtr, 2> behind;    // issued before it and perhaps not ended: the backend keeps it behind them
  std::vector<NodePtr> after_issue;  // nodes that wait until it is issued
  std::vector<NodePtr> after_end;    // nodes that wait until it has ended
};

}  // namespace engine
}  // namespace samcl
