// The work-groups of a launch whose parts run on several devices at once, where any of them may run any piece: each
// device takes pieces of its own part, from its front, and when nothing of that is left, some of what another device
// has not begun, from its end. So all end at about the same time, also where nobody knew how fast the devices are, or
// in which work-groups most of the work lies (work stealing; guided pieces as of Polychronopoulos and Kuck, 1987).
//
// Threads: any.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "contract/ndrange.h"

namespace samcl {

class SharedWork {
 public:
  // A piece is not to take less than that, ns.
  static constexpr uint64_t kLeastNs = 500'000;

  // What it takes to run some of another's part, where that one's device has to get what was written.
  struct Moving {
    uint64_t ns = 0;               // each time, and
    double ns_per_place = 0;       // for each place of the dimension
    uint64_t least_ns = kLeastNs;  // a piece is not to take less
    // Whether the device of part `by` may run that, the end of what another one has to run; then it does. By the
    // thread that asks for that device's next piece, one at a time. Empty: each may run each.
    std::function<bool(size_t by, const GroupBox& taken)> may_run;
  };

  // parts: of one NDRange, cut along that dimension. Pieces are cut along it, too.
  SharedWork(std::span<const Part> parts, unsigned dimension, Moving moving);
  SharedWork(std::span<const Part> parts, unsigned dimension) : SharedWork(parts, dimension, Moving()) {}

  // What the device of that part runs next; nothing: it need not run more. Waits while only so little is left that
  // others run it sooner, as far as is known: the pieces that they run may show that it takes longer. least_groups:
  // fewer are no faster.
  std::optional<GroupBox> next(size_t part, uint64_t least_groups);
  // The same without waiting. is_over: it need not run more; else it has to ask again when another device has run one.
  struct Next {
    std::optional<GroupBox> piece;
    bool is_over = false;
  };
  Next next_now(size_t part, uint64_t least_groups);
  // That device has run what next() returned last, which took it so many ns.
  void ran(size_t part, uint64_t ns);
  // It could not: nobody runs anything more.
  void failed(size_t part);

  // What that device has run of its own part, from its front on, and how long it took: what is known of them where
  // parts get new sizes by times.
  struct OwnPiece {
    GroupBox box;
    uint64_t ns = 0;
  };
  OwnPiece own(size_t part) const;
  // Work-groups that a device has run of others' parts.
  uint64_t taken_over(size_t part) const;

 private:
  struct Device {
    uint64_t begin = 0, end = 0;          // of what it is still to run: places of the dimension
    uint64_t own_begin = 0, own_end = 0;  // what it has begun of its own
    uint64_t running = 0;                 // places of the piece that it runs
    bool runs_own = true;                 // all it has to run is of its own part
    uint64_t ran = 0, ns = 0;             // places that it has run, and how long that took
    uint64_t last_ran = 0, last_ns = 0;   // of that, the last piece
    uint64_t own_ns = 0;
    uint64_t taken_over = 0;         // places
    std::vector<bool> has_to_leave;  // by part: what the device of that has to run
  };
  Next find_next(Device& device, uint64_t least_groups);
  bool take_over(Device& device);
  uint64_t places_worth_taking(const Device& device, const Device& from) const;
  uint64_t piece_of(const Device& device, uint64_t least_places) const;
  GroupBox box(uint64_t begin, uint64_t end) const;
  size_t part_of(const Device& device) const { return static_cast<size_t>(&device - devices_.data()); }

  mutable std::mutex mutex_;
  std::condition_variable has_run_;
  const GroupBox whole_;  // with the dimension's own extent to be replaced
  const unsigned dimension_;
  const uint64_t groups_per_place_;
  const Moving moving_;
  std::vector<Device> devices_;  // by part
  bool has_failed_ = false;
};

}  // namespace samcl
