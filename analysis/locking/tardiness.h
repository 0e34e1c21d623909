// Bounded tardiness under preemptive global EDF: how late after its deadline a job can end where the total
// utilisation is at most the number of CPUs, and no task's is above 1.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "analysis/locking/exact_sum.h"
#include "analysis/model/task_set.h"

namespace samcl::analysis::locking {

enum class TardinessBound {
  devi_anderson,     // Devi & Anderson, "Tardiness bounds under global EDF ...", Real-Time Systems 38 (2008)
  compliant_vector,  // Erickson, Devi & Baruah, "Improved tardiness bounds for global EDF", ECRTS 2010
  // The same with all deadlines earlier by the least period, which changes no decision: Erickson & Anderson,
  // "Fair lateness scheduling", ECRTS 2012, for G-EDF. PROOF.md, "Earlier deadlines".
  earlier_deadlines,
  least,  // of these, stream by stream
};
inline constexpr std::array kTardinessBounds = {TardinessBound::devi_anderson, TardinessBound::compliant_vector,
                                                TardinessBound::earlier_deadlines, TardinessBound::least};
const char* name(TardinessBound bound);  // "devi-anderson", "compliant-vector", "earlier-deadlines", "least"

// What G-EDF sees of a task: jobs one after the other, each at most `cost` long, which together ask for at
// most `rate` / 2^32 of a CPU, at most a whole one, over the time from release to deadline of each.
struct Stream {
  Time cost = 0;
  uint64_t rate = 0;
  Time period = 0;  // of a sporadic task; 0 for other streams, of which only `compliant_vector` is proven
};
// A task's stream; its rate is rounded up.
Stream stream(Time cost, Time period);

// One bound per stream, nanoseconds rounded up. `total`: the exact sum of the rates; at most `cpus`.
std::vector<Time> tardiness(std::span<const Stream> streams, const ExactSum& total, int cpus, TardinessBound bound);

}  // namespace samcl::analysis::locking
