// What of a memory object passes from device to device, launch after launch: a stencil's halo. Where it has been the
// same again and again, or every other time the same, what the next launch will need is known as soon as one has
// written the memory object, and can pass while the program still waits for that one.
//
// Pure bookkeeping, without a lock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/places.h"
#include "base/range.h"

namespace samcl {

class Halo {
 public:
  struct Pass {
    Place from, to;
    std::vector<Range> ranges;
    bool operator==(const Pass&) const = default;
  };
  // What a device needs of the memory object.
  struct Need {
    unsigned device;
    std::span<const Range> ranges;
  };

  // These ranges pass for a command. group: its first group of operations, which tells commands apart.
  void passes(uint64_t group, Place from, Place to, const std::vector<Range>& ranges);
  // They did because it was foreseen that they would be needed.
  void foreseen(uint64_t group);

  // A launch that uses the memory object has been planned, for which what was missing has passed.
  void used(uint64_t group, std::span<const Need> needs);
  // And it writes it: what the next one is going to need, if that has been foreseen rightly several times in a row.
  // Until the next call.
  std::span<const Pass> written(uint64_t group);

  // Whether it would say so now.
  bool is_foreseen() const;

  // What passed for the last command for which anything did.
  const std::vector<Pass>& last() const { return last_.passes; }

 private:
  struct Round {
    uint64_t group = 0;
    bool is_foreseen = false;  // and no launch has needed it yet
    std::vector<Pass> passes;
  };
  Round last_, before_;
  std::vector<Pass> guess_;  // what is going to pass next; empty: nothing to be judged by
  unsigned right_ = 0;       // so many guesses were, in a row
};

}  // namespace samcl
