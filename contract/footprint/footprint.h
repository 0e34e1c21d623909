// What a box of work-groups reads, may write, surely writes and surely reads, per argument of a kernel. sam-translate
// finds it out as a formula (the text in "footprint" of each kernel of its answer); it is evaluated at launch with the
// real arguments. No LLVM here, no I/O, no globals.
//
//   Result<Footprint> footprint = Footprint::parse(text);             // once per kernel
//   std::vector<ArgumentFootprint> used = footprint->evaluate(launch, box);  // per launch and sub-kernel
//
// Sound: a set of reads or possible writes may be too large and never too small; a set of sure writes or reads
// may be too small and never too large. What was not understood is `whole`, with no sure ones. Integer arithmetic
// is checked with the launch's own numbers: where an index may wrap around, it is `whole`.
//
// Bytes that are read and surely written may also keep their contents.
//
// Which bytes to move for a box: `reads`, and what is in `may_write` and not in `surely_writes`
// (covers(surely_writes, may_write): nothing for the writes). Sub-kernels whose `may_write` are disjoint()
// need no merging. Arguments are looked at one by one: where two arguments of a launch are the same buffer,
// or overlapping sub-buffers, their sets have to be united by the caller. The sets cover accesses inside the
// buffer; beyond its ends a kernel must not reach.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/footprint/byte_set.h"
#include "contract/footprint/reach.h"
#include "contract/ndrange.h"

namespace samcl {

// What a footprint takes for the value of an image argument. Bytes between pixels, rows and slices; numbers of
// pixels, rows (layers of a 1D array) and slices (layers of a 2D array).
struct ImageNumbers {
  uint64_t pixel, row_pitch, slice_pitch, width, height, depth;
};

// One argument of a launch, as the program set it. An image's bytes are those that its numbers describe.
struct ArgumentValue {
  std::span<const std::byte> value;    // by-value arguments: their bytes; images: ImageNumbers; empty for all others
  uint64_t buffer_bytes = UINT64_MAX;  // buffers: size; sets are clipped to it. A NULL buffer has 0.
};

struct LaunchInputs {
  // The program's NDRange with the local size that runs. Where the program left the local size to the driver,
  // any will do (such a kernel does not look at it), say {1, 1, 1} or the one that the boxes are counted in.
  Ndrange ndrange;
  std::span<const ArgumentValue> arguments;  // by index
  // Of launches gathered in one (KernelTranslation::gathers_by), whose third dimension counts them: how much each
  // argument's value grows from one to the next, by index, modulo its type's size. Empty: it is one launch.
  std::span<const int64_t> steps = {};
};

// Bytes relative to the argument's own start (a sub-buffer's, not its parent's).
struct ArgumentFootprint {
  ByteSet reads, may_write, surely_writes;
  ByteSet surely_reads = {};  // at some time, be it after a write of its own
};

namespace footprint {
struct Prepared;
}

// The footprint of one kernel. Immutable; copies share; any number of threads may evaluate it at once.
class Footprint {
 public:
  // Of a kernel of which nothing is known: every set is whole.
  Footprint();

  // Errors: not a footprint, or of another version of sam-translate. Never trusts the text.
  static Result<Footprint> parse(std::string_view text);

  // One entry per argument of the launch; those that are no buffers have empty sets. Allocates little; takes
  // a few microseconds.
  std::vector<ArgumentFootprint> evaluate(const LaunchInputs& launch, const GroupBox& box) const;

  // The same of what the box may write alone, which takes less time; the other sets are empty.
  std::vector<ArgumentFootprint> evaluate_writes(const LaunchInputs& launch, const GroupBox& box) const;

  // How far each access of the launches goes that are gathered in that one, all of them.
  std::vector<Reach> reaches(const LaunchInputs& launch) const;

  // What the answer depends on of the arguments' values: launches of one NDRange with buffers of the same sizes have
  // the same answers where these are equal.
  std::vector<uint64_t> numbers(const LaunchInputs& launch) const;

  // The whole NDRange.
  std::vector<ArgumentFootprint> evaluate(const LaunchInputs& launch) const;

 private:
  std::shared_ptr<const footprint::Prepared> prepared_;  // nullptr: nothing is known
};

}  // namespace samcl
