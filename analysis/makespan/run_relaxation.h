// An upper bound on the slots until all warps have ended, for kernels whose units are idle in turns.
//
// A slot in which not every unit is full (has as many warps ready as it takes) is a pause; the slots between
// two pauses, in which all units are full, are a run. The relaxation looks at pauses only. What it knows of a
// run is how many moves every unit makes in it, where warps stand at its ends, and that none has disappeared
// between: not in which order they moved. A pause with the full units F, whose first warps stand at station
// h, is bounded by
//
//     sum over stations p of slope(F, p) * warps at p  +  offset(F, h)
//
// which falls by at least the slots that pass until the next pause. Since no warp goes back, h only moves on,
// so that offsets may pay for what happens once per station. Any slopes and offsets that satisfy the
// inequalities of RunProgram give a right bound; a linear program, solved exactly, chooses the best for the start.
//
// With a slope for every station it also knows in which order the kernel asks for its units, unlike the
// QueueRelaxation; that one knows more of slots in which some units are full, of three or more.
#pragma once

#include "analysis/makespan/linear_program.h"
#include "analysis/makespan/run_program.h"

namespace samcl::analysis::makespan {

class RunProgram;

class RunRelaxation {
 public:
  // The best for that many warps at the start of the chain. Nothing if the linear program would be too large.
  static std::optional<RunRelaxation> make(const Chain& chain, int warps);

  // From any state of the chain on.
  Slots bound(const Count* counts) const;

 private:
  explicit RunRelaxation(const Chain& chain) : stations_(chain) {}
  void keep(const RunProgram& program, const Parts& parts);

  // Numerators of RunProgram's variables. By the full units of a pause:
  struct Pause {
    std::vector<int64_t> slope, offset;  // per station; offsets of heads without what their stay adds
  };
  // By the full units of the pause that ends a run; all of them for the end.
  struct Run {
    std::vector<int64_t> slope;                 // per station
    std::vector<std::optional<int64_t>> entry;  // per head; nothing if such a pause cannot follow
  };

  Stations stations_;
  int64_t denominator_ = 1;
  std::vector<Pause> pauses_;
  std::vector<Run> runs_;
  std::vector<int64_t> stay_;  // per station, of each slot that the head's warps stay
};

}  // namespace samcl::analysis::makespan
