// Orders what the compute queues of several devices do, without the host: of each device a word, in memory that all of
// them see, tells how far its queue has come, and what has to come after that on another device waits there until the
// word says so (a timeline semaphore; what OpenCL has of these does not pass between NVIDIA's contexts). The host would
// have to hear of the one's end first, and then have the driver launch the other.
//
// A queue only waits for what another driver's queue has by then: see is_given(). So all that any of them waits for was
// issued before, and is under way. A device that is lost tells nothing any more: let_go().
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/device/reached.h"

namespace samcl {

class PeerBuffer;
class PeerMemory;
class RangeCopies;
class RealDevice;
struct EventWanted;

class Timelines {
 public:
  using Devices = std::vector<std::unique_ptr<RealDevice>>;
  // devices: do nothing any more when it is destroyed.
  Timelines(const Devices& devices, std::shared_ptr<PeerMemory> memory);
  ~Timelines();
  Timelines(const Timelines&) = delete;
  Timelines& operator=(const Timelines&) = delete;

  // Whether devices may wait for each other: once what is needed has been made and tried, unless that cannot be, and
  // until a device is lost. Any thread.
  bool serve() const { return state_.load(std::memory_order_acquire) == State::made; }
  // That is of use: has it made, by a thread that nobody waits for, as the driver takes some ms for it, in which it
  // lets nobody else call it for a part of that. Any thread.
  void prepare();

  // Under the context's lock, in the order in which operations are issued: one is, to that device.
  uint64_t issued(unsigned device) { return ++lines_[device].issued; }
  // What is issued to the device next comes after that. False: what was issued to it before does already.
  bool begins_to_wait(unsigned device, const Reached& after);

  // By who gives that device's queue its operations: it has got that one, or never will.
  void given(unsigned device, uint64_t position) { lines_[device].given.store(position, std::memory_order_release); }
  bool is_given(const Reached& after) const {
    return lines_[after.device].given.load(std::memory_order_acquire) >= after.position;
  }
  // Under a lease: that operation is on its way to the device's queue, which is held for it, and what tells of it
  // behind it. In the order in which they are issued. Any thread, as the next.
  void promise(unsigned device, uint64_t position) {
    lines_[device].promised.store(position, std::memory_order_release);
  }
  // Whether that is promised, or has been told: who waits for it needs nothing of that device for which it is not held.
  bool is_promised(const Reached& after) const {
    const Line& line = lines_[after.device];
    return line.promised.load(std::memory_order_acquire) >= after.position ||
           line.told.load(std::memory_order_acquire) >= after.position;
  }
  // The word tells of that operation when the device's queue has come so far. Any thread.
  void tell(RealDevice& on, uint64_t position);
  // What the queue gets next waits until the other's has come so far; has the word tell of that, where nobody has.
  // is_given(after). By who gives the queue its operations.
  // is_timed: that is asked when it ran.
  cl_int wait(RealDevice& on, const Reached& after, bool is_timed);

  // The same, and then copies runs between memory objects, one of which others see, as the device sees it, in one
  // kernel, which also has its own word tell how far the queue has come. after: nullptr waits for none. The driver's
  // code; nothing, and nothing done, if that is left to wait() and commands: many runs, or much in them, or devices
  // that compute on the same cores.
  std::optional<cl_int> copy(RealDevice& on, const Reached* after, cl_mem from, cl_mem to, const RectanglePairs& runs,
                             const EventWanted& wanted);

  // That device is lost, or its queue takes no more: nobody waits for it any longer. Any thread.
  void let_go(unsigned device);

 private:
  // Of a device.
  struct Line {
    uint64_t issued = 0;
    std::vector<uint64_t> awaited;  // by device: how far its queue waits for that one's
    std::atomic<uint64_t> given{0};
    std::atomic<uint64_t> promised{0};
    std::atomic<uint64_t> told{0};     // under the `calls` of its queue
    std::unique_ptr<PeerBuffer> word;  // what follows is made before anything is told
    std::vector<cl_mem> words;         // by device: of that one, as it sees it
    cl_kernel tell = nullptr;          // its arguments under the `calls` of its queue, as those of
    std::vector<cl_kernel> wait;       // by the device that is waited for
    std::unique_ptr<RangeCopies> copies;
  };
  enum class State : uint8_t { unasked, being_made, made, unable };

  void have_told(const Reached& after);
  void write_word(unsigned device, const cl_ulong& value) const;
  void make();
  bool make_line(RealDevice& device);
  bool clear_word(RealDevice& device) const;
  bool sees_others(RealDevice& device);

  const Devices& devices_;
  const std::shared_ptr<PeerMemory> memory_;
  const bool copies_wait_;   // many work-groups of a copy that waits leave other devices what they need
  std::vector<Line> lines_;  // by device
  std::atomic<State> state_{State::unasked};
};

}  // namespace samcl
