// What each part of a launch needs of the memory objects that its arguments show, and what it writes there: what a
// footprint says of each argument, taken together by memory object, in bytes of that. Pure logic.
#pragma once

#include <climits>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/range.h"
#include "contract/footprint/footprint.h"

namespace samcl {

// What one part does to one memory object, through all arguments that show it.
struct PartShare {
  std::vector<Range> needs;   // must be valid on the device before the part runs
  std::vector<Range> writes;  // valid there alone afterwards
  uint64_t written = 0;       // bytes: as many as `writes` holds, without those that are between rows
  bool operator==(const PartShare&) const = default;
};

// The same by part. Does not change: copies share it. Empty: nothing is known.
class PartShares {
 public:
  PartShares() = default;
  PartShares(std::vector<PartShare> by_part)
      : by_part_(std::make_shared<const std::vector<PartShare>>(std::move(by_part))) {}
  PartShares(std::initializer_list<PartShare> by_part) : PartShares(std::vector<PartShare>(by_part)) {}

  bool empty() const { return !by_part_; }
  size_t size() const { return by_part_ ? by_part_->size() : 0; }
  const PartShare& operator[](size_t part) const { return (*by_part_)[part]; }
  void clear() { by_part_ = nullptr; }

 private:
  std::shared_ptr<const std::vector<PartShare>> by_part_;
};

// What an argument shows: some bytes of a memory object.
struct ShownBytes {
  static constexpr unsigned kNone = UINT_MAX;
  unsigned object = kNone;     // the memory object's number among those of the launch; kNone: the argument shows none
  bool in_one_memory = false;  // all devices see the object's bytes in one place
  Range range;                 // that a kernel may get to
  uint64_t before = 0;         // bytes of it before the argument's own first one
  // Parts that do the same to some of its bytes do not count as entangled by that: they are to do it in one place.
  bool may_overlap = false;
  uint64_t start() const { return range.begin + before; }
};

struct Partition {
  std::vector<PartShares> shares;  // by memory object, up to the last one that is shown
  bool has_conflict = false;       // a part surely reads what another one surely writes
  bool is_entangled = false;       // a part may touch what another one may write, where that is asked
};

// Bytes that a launch in one piece writes, all arguments together; nullopt: not known.
std::optional<uint64_t> written_in_one_piece(std::span<const ArgumentFootprint> footprints);

// footprints: by part and argument. shown: by argument.
Partition partition_of(std::span<const std::vector<ArgumentFootprint>> footprints, std::span<const ShownBytes> shown,
                       bool asks_entangled);

}  // namespace samcl
