#include "libsamcl/device/peer_windows.h"

#include <array>
#include <utility>

#include "libsamcl/device/real_device.h"
#include "libsamcl/device/row_commands.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/owned.h"

namespace samcl {
namespace {

// Rows that fit in one window together, and where each lies in it.
using Batch = RectanglePairs;

std::vector<Batch> batches_of(std::span<const Rectangle> rows, uint64_t most) {
  std::vector<Batch> batches(1);
  uint64_t used = 0;
  for (const Rectangle& each : rows) {
    for (const auto& pieces : cut(each, each, most)) {
      const Rectangle& piece = pieces.first;
      if (used + piece.bytes() > most) {
        batches.emplace_back();
        used = 0;
      }
      batches.back().emplace_back(piece, piece.dense().moved(used));
      used += piece.bytes();
    }
  }
  return batches;
}

cl_int wait_for(cl_event& event) {
  return event ? CompletionQueue::wait_for(std::exchange(event, nullptr)) : CL_SUCCESS;
}

}  // namespace

std::shared_ptr<PeerWindow> PeerWindows::next(unsigned from, unsigned to) {
  Ring& ring = rings_[{from, to}];
  std::shared_ptr<PeerWindow>& window = ring.windows[ring.next];
  if (!window) {
    std::optional<PeerWindow> made = make({from, to}, kOrdered);
    if (!made) return nullptr;
    window = std::make_shared<PeerWindow>(std::move(*made));
  }
  ring.next = (ring.next + 1) % ring.windows.size();
  return window;
}

std::optional<PeerWindow> PeerWindows::take(Ends ends) {
  const std::lock_guard lock(mutex_);
  std::vector<PeerWindow>& idle = idle_[ends];
  if (idle.empty()) return make(ends, kWindow);
  PeerWindow window = std::move(idle.back());
  idle.pop_back();
  return window;
}

std::optional<PeerWindow> PeerWindows::make(Ends ends, uint64_t bytes) const {
  PeerWindow window;
  window.memory = memory_->allocate(ends.first, bytes, PeerMemory::Size::worth_it);
  if (window.memory) window.filled = window.memory->seen_by(ends.first);
  if (window.memory) window.emptied = window.memory->seen_by(ends.second);
  if (!window.filled || !window.emptied) return std::nullopt;
  return window;
}

void PeerWindows::give_back(Ends ends, PeerWindow window) {
  const std::lock_guard lock(mutex_);
  idle_[ends].push_back(std::move(window));
}

RangeCopies& PeerWindows::copies_on(const RealDevice& device) {
  const std::lock_guard lock(mutex_);
  auto& copies = copies_[device.index];
  if (!copies) copies = std::make_unique<RangeCopies>(device);
  return *copies;
}

// Queues of two contexts do not wait for each other: the host hears of each filling before it has the other device
// empty the window, while the next one is filled.
class PeerWindows::Passing {
 public:
  // A device that takes part: its queue, and what copies on it.
  struct End {
    const RealDevice& device;
    cl_command_queue queue;
    RangeCopies& copies;
  };
  Passing(PeerWindows& pool, Ends ends, std::array<PeerWindow, 2> windows, End from, End to)
      : pool_(pool), ends_(ends), windows_(std::move(windows)), from_(from), to_(to) {}
  // A window whose commands failed is given up.
  ~Passing() {
    for (size_t i = 0; i < windows_.size(); ++i) {
      const cl_int filled = wait_for(filled_[i]), emptied = wait_for(emptied_[i]);
      if (filled == CL_SUCCESS && emptied == CL_SUCCESS && error_ == CL_SUCCESS)
        pool_.give_back(ends_, std::move(windows_[i]));
    }
  }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

  cl_int pass(cl_mem source, cl_mem target, const std::vector<Batch>& batches) {
    for (size_t b = 0; b <= batches.size(); ++b) {
      if (b < batches.size()) {
        if (!succeeds(wait_for(emptied_[b % 2])) || !succeeds(fill(source, batches[b], b % 2))) return error_;
      }
      if (b > 0 && !succeeds(empty(target, batches[b - 1], (b - 1) % 2))) return error_;
    }
    for (cl_event& emptied : emptied_) succeeds(wait_for(emptied));
    return error_;
  }

  // The same where links are leased: a thread holds the lease of one, for as long as a window takes.
  cl_int pass_under_leases(cl_mem source, cl_mem target, const std::vector<Batch>& batches) {
    for (const Batch& batch : batches) {
      {
        const lease::Lease link = from_.device.link_lease();
        if (!succeeds(fill(source, batch, 0)) || !succeeds(wait_for(filled_[0]))) return error_;
      }
      const lease::Lease link = to_.device.link_lease();
      if (!succeeds(empty(target, batch, 0)) || !succeeds(wait_for(emptied_[0]))) return error_;
    }
    return error_;
  }

 private:
  bool succeeds(cl_int error) {
    if (error_ == CL_SUCCESS) error_ = error;
    return error_ == CL_SUCCESS;
  }

  // By one kernel if that pays, else by a command for each.
  static cl_int copy(const End& on, cl_mem from, cl_mem to, const Batch& batch, cl_event* event) {
    if (const auto error = on.copies.enqueue(on.queue, from, to, batch, event)) return *error;
    for (const auto& [source, target] : batch) {
      cl_event* const last = &source == &batch.back().first ? event : nullptr;
      const cl_int error = enqueue_rows(on.queue, from, to, source, target, last);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }

  cl_int fill(cl_mem source, const Batch& batch, size_t window) {
    const cl_int error = copy(from_, source, windows_[window].filled, batch, &filled_[window]);
    return error == CL_SUCCESS ? driver::real().clFlush(from_.queue) : error;
  }

  cl_int empty(cl_mem target, const Batch& batch, size_t window) {
    if (const cl_int error = wait_for(filled_[window]); error != CL_SUCCESS) return error;
    Batch back;
    for (const auto& [rows, packed] : batch) back.emplace_back(packed, rows);
    const cl_int error = copy(to_, windows_[window].emptied, target, back, &emptied_[window]);
    return error == CL_SUCCESS ? driver::real().clFlush(to_.queue) : error;
  }

  PeerWindows& pool_;
  const Ends ends_;
  std::array<PeerWindow, 2> windows_;
  const End from_, to_;
  std::array<cl_event, 2> filled_{}, emptied_{};
  cl_int error_ = CL_SUCCESS;
};

std::optional<cl_int> PeerWindows::pass(RealDevice& from, RealDevice& to, cl_mem source, cl_mem target,
                                        std::span<const Rectangle> rows) {
  if (rows.empty()) return CL_SUCCESS;
  const Ends ends{from.index, to.index};
  std::array<PeerWindow, 2> windows;
  for (PeerWindow& window : windows) {
    std::optional<PeerWindow> taken = take(ends);
    if (!taken) {
      if (windows[0].memory) give_back(ends, std::move(windows[0]));
      return std::nullopt;
    }
    window = std::move(*taken);
  }
  RealDevice::Queue& down = from.queue(engine::LaneKind::down);
  RealDevice::Queue& up = to.queue(engine::LaneKind::up);
  const std::scoped_lock one_at_a_time(down.mutex, up.mutex);
  Passing passing(*this, ends, std::move(windows), {from, down.real, copies_on(from)}, {to, up.real, copies_on(to)});
  return from.lease.client ? passing.pass_under_leases(source, target, batches_of(rows, kGivesWay))
                           : passing.pass(source, target, batches_of(rows, kWindow));
}

}  // namespace samcl
