// Tasks under global EDF whose jobs ask for resources several times, each time for one of them: links and GPUs as a
// manager grants them. As the Shared Resource Method, a job is analysed as if it computed while it waits and while it
// has a resource; who waits lends the holder its priority. Schedulable, with bounded tardiness, if for every task e + b
// <= p, and the sum of (e + b) / p is at most m. PROOF.md, "Several requests".
#pragma once

#include <string>
#include <vector>

#include "analysis/locking/shared_resource.h"

namespace samcl::analysis::locking {

// How requests for one resource are ordered.
enum class RequestOrder {
  arrival,  // first come, first served (FMLP-Long); a holder keeps the resource until its request is done
  omlp,     // a queue of m in order of arrival, filled by urgency; likewise
  any,      // whatever the order is, and if holders give way: the resource is never idle while somebody waits
};

// What a job does with one resource: `requests` at most, of `longest` at most, `total` together.
struct ResourceUse {
  size_t resource = 0;
  Time longest = 0;
  Time total = 0;
  Time requests = 1;
};

struct RequestingTask {
  std::string name;
  Time period = 0;                // least separation of releases; no longer than the relative deadline
  Time execution = 0;             // e: of a job, with its uses of resources, waiting left out
  Time extra = 0;                 // of b: what it waits for besides other tasks' requests
  std::vector<ResourceUse> uses;  // of different resources
};

// In the order of the tasks; late is 0 where it is not schedulable.
SharedResourceVerdict analyse_requests(const std::vector<RequestingTask>& tasks, int cpus, RequestOrder order,
                                       TardinessBound bound = TardinessBound::least);

}  // namespace samcl::analysis::locking
