#include "analysis/makespan/schedule.h"

#include <algorithm>

namespace samcl::analysis::makespan {
namespace {

struct Warp {
  size_t next = 0;  // instruction
  Slots ready = 0;  // slot from which it may issue it
};

std::string place(Slots slot, int warp) {
  return "slot " + std::to_string(slot) + ", warp " + std::to_string(warp) + ": ";
}

}  // namespace

Result<Slots> check_schedule(const Kernel& kernel, int warps, const Schedule& schedule) {
  if (auto good = check(kernel, warps); !good) return tl::unexpected(good.error());
  std::vector<Warp> all(static_cast<size_t>(warps));
  std::vector<int> issued(kernel.units.size()), ready(kernel.units.size());
  size_t at = 0;
  Slots end = 0;
  for (Slots slot = 0; at < schedule.size(); ++slot) {
    std::fill(issued.begin(), issued.end(), 0);
    std::fill(ready.begin(), ready.end(), 0);
    for (const Warp& warp : all)
      if (warp.next < kernel.instructions.size() && warp.ready <= slot) ++ready[kernel.instructions[warp.next].unit];
    for (; at < schedule.size() && schedule[at].slot <= slot; ++at) {
      const Issue& issue = schedule[at];
      const std::string where = place(issue.slot, issue.warp);
      if (issue.slot < slot) return fail(where + "slots are not in order");
      if (issue.warp < 0 || issue.warp >= warps) return fail(where + "there is no such warp");
      Warp& warp = all[static_cast<size_t>(issue.warp)];
      if (issue.instruction != warp.next || warp.next == kernel.instructions.size())
        return fail(where + "instruction " + std::to_string(issue.instruction) + " is not its next");
      if (warp.ready > slot) return fail(where + "it is not ready");
      const Instruction& instruction = kernel.instructions[warp.next];
      ++issued[instruction.unit];
      ++warp.next;
      warp.ready = slot + instruction.latency;
      end = std::max(end, warp.ready);
    }
    for (size_t unit = 0; unit < kernel.units.size(); ++unit) {
      const int due = std::min(ready[unit], kernel.units[unit].capacity);
      if (issued[unit] != due)
        return fail("slot " + std::to_string(slot) + ": unit " + kernel.units[unit].letter + " took " +
                    std::to_string(issued[unit]) + " warps, a work-conserving scheduler gives it " +
                    std::to_string(due));
    }
  }
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].next != kernel.instructions.size()) return fail("warp " + std::to_string(i) + " does not end");
  return end;
}

}  // namespace samcl::analysis::makespan
