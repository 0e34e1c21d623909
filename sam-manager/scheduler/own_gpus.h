// Jobs that have a GPU to themselves: any of those that they may use, from their first command to their end, in the
// order of analysis/locking/donation_queues.h (k-exclusion); or that of their container, one after the other by
// deadline, from begin to end (analysis/locking/own_processor.h). Programs say when jobs begin, ask and end; who it is
// that waits for whom is told, so that holders can be lent priorities. Pure logic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "analysis/locking/donation_queues.h"
#include "sam-manager/scheduler/policy.h"
#include "sam-manager/scheduler/shares.h"

namespace samcl::scheduler {

class OwnGpus {
 public:
  static constexpr int kNoGpu = analysis::locking::kNoGpu;

  // Told when a client that asked need not wait any more: a GPU is its own, or (kNoGpu) there are no rules.
  using OnGrant = std::function<void(ClientId, int gpu)>;
  // Told, after whatever may have changed it, who keeps clients of a higher priority waiting for a GPU, as
  // Scheduler::OnInversion.
  using OnInversion = std::function<void(int gpu, ClientId owner, std::optional<int> inherited)>;

  OwnGpus(int gpus, OnGrant on_grant, OnInversion on_inversion);

  // Whether and by which rules jobs have GPUs to themselves. Whatever was held or waited for before is not any more.
  void set_policy(const Policy& policy);

  // The client has a job with this standing until end_job(), instead of the one before. Ignored for programs without
  // deadlines; demoted ones come after all others.
  void begin_job(ClientId client, const Standing& standing);
  // Its threads' priority is another one.
  void set_priority(ClientId client, int priority);
  // Its job needs a GPU, one of these, for so long at most (0: nobody knows). Granted at once if it has begun none:
  // then it goes on without.
  void request(ClientId client, uint64_t section_ns, std::span<const int> gpus);
  // The job is over, or the client gone.
  void end_job(ClientId client);

  ClientId owner(int gpu) const;  // 0: nobody
  std::vector<ClientId> waiting_for(int gpu) const;

 private:
  void dispatch();
  void report_inversion(int gpu);

  const int gpus_;
  OnGrant on_grant_;
  OnInversion on_inversion_;
  Policy policy_ = kFixedPriority;
  analysis::locking::DonationQueues queues_;
  std::map<ClientId, int> priorities_;  // of those with a job
  std::set<ClientId> asking_;           // and were not granted it
  std::set<int> told_;                  // GPUs for which an inversion was told
};

}  // namespace samcl::scheduler
