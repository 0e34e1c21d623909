// What a launch accesses, buffer by buffer: the bytes each part needs where it runs, and those it may write there.
// From the kernel's footprint where there is one; else every part needs all that its arguments show.
#pragma once

#include <climits>
#include <memory>
#include <span>
#include <vector>

#include "base/small_vector.h"
#include "contract/footprint/footprint.h"
#include "contract/ndrange.h"
#include "libsamcl/cost/ways.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/program/kernel.h"
#include "libsamcl/program/partition.h"

namespace samcl {

// One storage of a launch: its arguments that show some of it, taken together.
struct BufferAccess {
  std::shared_ptr<Storage> storage;
  Range range;                                    // smallest that holds all that the arguments show
  bool written = false;                           // the kernel may write to it
  bool loads = false, stores = false;             // it may do that otherwise than by atomic operations
  unsigned width = 16;                            // bytes of the narrowest store
  Accumulation accumulates = Accumulation::none;  // all that the kernel does to it, on integers of `width` bytes
  bool is_mixed = false;  // it accumulates through one argument and does something else through another

  // By part; empty: nothing is known. Then every part needs the whole range, and what several parts wrote
  // must be merged.
  PartShares shares;
  // All parts use it in the memory of that device, which the others see (device/peer_memory.h): it holds the one copy.
  // Its shares are empty then.
  static constexpr unsigned kNobody = UINT_MAX;
  unsigned held_by = kNobody;

  bool is_held() const { return held_by != kNobody; }
  // In whose memory a part that runs there uses it; where that is.
  unsigned device_for(unsigned device) const { return is_held() ? held_by : device; }
  Place place_for(unsigned device) const { return storage->place_of(device_for(device)); }

  // What the part of that index needs.
  std::span<const Range> needs(size_t part) const {
    return shares.empty() ? std::span(&range, 1) : std::span(shares[part].needs);
  }
  // What it may write, if it writes any.
  std::span<const Range> writes(size_t part) const {
    return shares.empty() ? std::span(&range, 1) : std::span(shares[part].writes);
  }
  // Whether what several parts wrote has to be made one. Where they all write to one memory it is already.
  bool to_merge(size_t parts) const {
    return written && shares.empty() && parts > 1 && !storage->shared() && !is_held();
  }
};

using BufferAccesses = SmallVector<BufferAccess, 4>;

// Bytes that each part writes, of those accesses; empty if not all that it may write is known.
std::vector<uint64_t> written_bytes(const BufferAccesses& accesses, size_t parts);

// Whether parts of the kernel that may touch the same bytes may run on several devices only where these compute in one
// memory.
inline bool needs_one_memory(const KernelTranslation& kernel) {
  return !kernel.may_split && !kernel.may_split_disjoint;
}

// Whether the kernel may write through that argument. kernel: as below.
bool may_write(const KernelTranslation* kernel, size_t argument);

// What a kernel may get to through the object as an argument. Of a sub-buffer that is its parent: OpenCL forbids it,
// but all drivers let kernels go beyond, and programs do (BEAGLE adds offsets in the parent to its first sub-buffer).
Range reach_of(const Buffer& buffer);

// kernel: what the translator found out; nullptr: nothing. footprint: nullptr likewise. knows_local: ndrange.local is
// what will run. A sub-buffer of which all accesses are known is touched as far as they go.
BufferAccesses accesses_of(const KernelTranslation* kernel, const RememberedFootprint* footprint,
                           const Arguments& arguments, const Ndrange& ndrange, bool knows_local);
inline BufferAccesses accesses_of(const Kernel& kernel, const Arguments& arguments, const Ndrange& ndrange,
                                  bool knows_local) {
  return accesses_of(kernel.translation, kernel.cost_model ? &kernel.cost_model->footprint : nullptr, arguments,
                     ndrange, knows_local);
}

// Bytes that a launch in one piece writes; 0: not known. kernel: one that may be split.
uint64_t written_in_one_piece(const Kernel& kernel, const Arguments& arguments, const Ndrange& ndrange);

// How far launches go that are gathered in that one, whose third dimension counts them; first, steps: of each argument
// that grows, by index; and where its arguments lie.
struct Reaches {
  std::vector<Reach> reaches;
  std::vector<ReachPlace> places;  // by argument
};
Reaches reaches_of(const Kernel& kernel, const Arguments& arguments, const Ndrange& ndrange,
                   std::span<const LaunchSeries::Growing> growing);

// How well the footprint describes the launch.
struct PartitionCost {
  size_t to_merge = 0;        // storages whose writes have to be merged
  size_t ranges = 0;          // ranges that are moved or written
  bool has_conflict = false;  // a part surely reads what another one surely writes
  bool is_entangled = false;  // a part may touch what another one may write, where that is asked
  uint64_t needed = 0;        // bytes, all parts together, of memory that is not one for all
  bool operator==(const PartitionCost&) const = default;

  // ns until all parts have what they need where nothing is there yet.
  uint64_t moving_ns(const TransferRates& rates) const {
    return ranges * rates.range + static_cast<uint64_t>(static_cast<double>(needed) / rates.host);
  }
};

// Fills in the shares of these parts, for the storages of which enough is known.
PartitionCost partition(BufferAccesses& accesses, const KernelTranslation* kernel, const RememberedFootprint& footprint,
                        const Arguments& arguments, const Ndrange& ndrange, const std::vector<Part>& parts);
// kernel: one that may be split.
inline PartitionCost partition(BufferAccesses& accesses, const Kernel& kernel, const Arguments& arguments,
                               const Ndrange& ndrange, const std::vector<Part>& parts) {
  return partition(accesses, kernel.translation, kernel.cost_model->footprint, arguments, ndrange, parts);
}

}  // namespace samcl
