#include "analysis/makespan/rounds.h"

#include <algorithm>

namespace samcl::analysis::makespan {

Result<Rounds> deal(int64_t warps, const Multiprocessors& multiprocessors) {
  const auto [count, resident, block] = multiprocessors;
  constexpr int64_t kMost = 1'000'000'000'000;
  if (warps < 1 || warps > kMost)
    return fail("the number of warps is " + std::to_string(warps) + ", expected 1 to " + std::to_string(kMost));
  if (count < 1 || count > 100'000)
    return fail("the number of multiprocessors is " + std::to_string(count) + ", expected 1 to 100000");
  if (resident < 1 || resident > kMostWarps)
    return fail("the warps that a multiprocessor holds are " + std::to_string(resident) + ", expected 1 to " +
                std::to_string(kMostWarps));
  if (block < 1 || block > resident)
    return fail("the warps of a block are " + std::to_string(block) + ", expected 1 to " + std::to_string(resident) +
                ", which a multiprocessor holds");
  const int64_t on_each = resident - resident % block;
  Rounds rounds;
  rounds.full = warps / (on_each * count);
  if (rounds.full > 0) rounds.warps_of_full = static_cast<int>(on_each);
  const int64_t left = warps % (on_each * count);
  // The first multiprocessor gets the first block of each turn; it lacks warps only if the last block is its
  // own.
  const int64_t turn = static_cast<int64_t>(block) * count;
  rounds.warps_of_last = static_cast<int>(left / turn * block + std::min<int64_t>(block, left % turn));
  return rounds;
}

Result<RoundsMakespan> worst_case_of_rounds(const Kernel& kernel, int64_t warps, const Multiprocessors& multiprocessors,
                                            const Effort& effort) {
  const auto rounds = deal(warps, multiprocessors);
  if (!rounds) return tl::unexpected(rounds.error());
  RoundsMakespan result;
  result.rounds = *rounds;
  if (rounds->full > 0) result.of_full = worst_case(kernel, rounds->warps_of_full, effort);
  if (rounds->warps_of_last > 0) result.of_last = worst_case(kernel, rounds->warps_of_last, effort);
  const auto sum = [&](Slots full, Slots last) -> Result<Slots> {
    Slots all = 0;
    if (__builtin_mul_overflow(rounds->full, full, &all) || __builtin_add_overflow(all, last, &all))
      return fail("the rounds' makespan does not fit in 64 bits");
    return all;
  };
  const auto attained = sum(result.of_full.attained, result.of_last.attained);
  const auto bound = sum(result.of_full.bound, result.of_last.bound);
  if (!bound) return tl::unexpected(bound.error());
  result.attained = *attained;
  result.bound = *bound;
  return result;
}

}  // namespace samcl::analysis::makespan
