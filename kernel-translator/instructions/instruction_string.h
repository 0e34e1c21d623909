// What a warp executes of a kernel, as a string over the types of units that its instructions need: what
// `sam-analyze makespan` analyses. It is read from LLVM IR after the optimisations that every compiler makes,
// so it is a model of the kernel: the driver's own instructions differ in number.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace samcl::translator {

inline constexpr char kMemoryUnit = 'L';    // loads, stores and atomics on any memory but registers
inline constexpr char kFunctionUnit = 'S';  // division, square root and elementary functions
inline constexpr char kCoreUnit = 'C';      // all other arithmetic, comparisons and branches

struct LoopRounds {
  unsigned line = 0;
  uint64_t rounds = 0;  // at most
  bool given = false;   // by the caller, not found in the code
};

struct InstructionString {
  // Letters, each followed by its count if not 1; loops as groups in parentheses with their count:
  // "C2(LC)16L".
  std::string string;
  bool is_static = true;            // one way through the kernel, all rounds of its loops known
  std::vector<LoopRounds> loops;    // in the order of the string
  std::vector<std::string> unseen;  // what the string does not tell
  std::string error;                // not empty: there is no string, and why
};

// `rounds`: by the line of the loop in the source, for loops whose rounds are not found; those go first that
// are. The kernel is changed (inlined and optimised).
//
// Where a branch's condition is the same for all work-items of a group, the side with more instructions is
// taken; else a warp may have to execute both, and the string has one after the other.
InstructionString instruction_string(llvm::Function& kernel, const std::map<unsigned, uint64_t>& rounds);

}  // namespace samcl::translator
