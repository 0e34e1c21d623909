// The model of Berezovskyi, Bletsas & Andersson, "Makespan computation for GPU threads running on a single
// streaming multiprocessor" (ECRTS 2012), without its limits to two unit types and to one slot per
// instruction.
//
// W identical warps run the same instructions in order on one multiprocessor. Time is cut into slots. In
// every slot each unit takes up to `capacity` warps whose next instruction is of its type, and always as many
// as there are ready or as it can take: the scheduler is work-conserving, and nothing else is known about its
// choice. All warps are ready in slot 0. The makespan is the number of slots until the last instruction has
// completed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis::makespan {

using Slots = int64_t;

struct Unit {
  char letter = 'C';
  int capacity = 1;  // Lambda: warps that it takes in one slot
};

struct Instruction {
  size_t unit = 0;
  int latency = 1;  // slots from its issue until its warp's next instruction is ready; it completes then
};

// A kernel string over the units' letters, with what it runs on.
struct Kernel {
  std::vector<Unit> units;
  std::vector<Instruction> instructions;
};

// A unit type as a user states it: it takes `warps` per `slots`, Lambda = warps / slots.
struct UnitRate {
  char letter = 'C';
  int warps = 1;
  int slots = 1;
  int latency = 1;
};

// "L=2", "L=1/2" (a warp every other slot), "L=1/2:20" (and latency 20).
Result<UnitRate> parse_rate(const std::string& text);

// Everything below these limits is exact in 64 bits.
inline constexpr int kMostWarps = 65'000;
inline constexpr size_t kMostInstructions = 1'000'000;
inline constexpr int kMostLatency = 10'000;
inline constexpr int kMostSlotsPerWarp = 2'000'000;  // an instruction string's with its latencies

// Reads a kernel string such as "LLCLL", "L2CL2" or "L(LC)3": letters, each or a group in parentheses
// followed by how often it is repeated. A letter without a rate has Lambda = 1 and latency 1. A unit with
// Lambda = a/b becomes one of capacity a whose letter is written b times (latency counts from the last of
// them), as in the paper. Errors name the place in the string, or the rate.
Result<Kernel> parse_kernel(const std::string& text, const std::vector<UnitRate>& rates = {});

// What keeps the kernel or the number of warps from being analysed, if anything.
Result<void> check(const Kernel& kernel, int warps);

// The letters, repeated as they are executed.
std::string letters(const Kernel& kernel);

}  // namespace samcl::analysis::makespan
