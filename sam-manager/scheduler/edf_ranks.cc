#include "sam-manager/scheduler/edf_ranks.h"

#include <algorithm>
#include <tuple>

namespace samcl::scheduler {

std::map<ClientId, int> edf_ranks(std::vector<RankedProgram> programs, int lowest) {
  std::ranges::sort(programs, {}, [](const RankedProgram& program) {
    return std::tuple(program.deadline_ns, -program.priority, program.client);
  });
  int next = lowest;
  for (const RankedProgram& program : programs) next = std::max(next, program.priority);
  std::map<ClientId, int> ranks;
  for (const RankedProgram& program : programs) {
    ranks[program.client] = std::min(next, program.highest);
    next = std::max(next - 1, lowest);
  }
  return ranks;
}

}  // namespace samcl::scheduler
