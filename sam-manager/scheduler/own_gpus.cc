#include "sam-manager/scheduler/own_gpus.h"

#include <algorithm>
#include <utility>

namespace samcl::scheduler {

using analysis::Time;
using analysis::locking::DonationQueues;

OwnGpus::OwnGpus(int gpus, OnGrant on_grant, OnInversion on_inversion)
    : gpus_(gpus), on_grant_(std::move(on_grant)), on_inversion_(std::move(on_inversion)), queues_(0, gpus) {}

void OwnGpus::set_policy(const Policy& policy) {
  if (policy == policy_) return;
  policy_ = policy;
  queues_ =
      policy.contains ? DonationQueues::by_priority(gpus_) : DonationQueues(static_cast<int>(policy.candidates), gpus_);
  priorities_.clear();
  for (const ClientId client : std::exchange(asking_, {})) on_grant_(client, kNoGpu);
  dispatch();
}

void OwnGpus::begin_job(ClientId client, const Standing& standing) {
  end_job(client);
  if (!policy_.gives_own_gpus() || standing.level == Level::shares) return;
  const uint64_t deadline = standing.level == Level::real_time ? standing.deadline_ns : UINT64_MAX;
  priorities_[client] = standing.priority;
  queues_.arrive({static_cast<Time>(std::min<uint64_t>(deadline, INT64_MAX)), client});
}

void OwnGpus::set_priority(ClientId client, int priority) {
  const auto known = priorities_.find(client);
  if (known == priorities_.end() || known->second == priority) return;
  known->second = priority;
  dispatch();
}

void OwnGpus::request(ClientId client, uint64_t section_ns, std::span<const int> gpus) {
  if (queues_.holds(client)) return on_grant_(client, queues_.gpu_of(client));
  if (!queues_.is_pending(client) || gpus.empty()) return on_grant_(client, kNoGpu);
  // What nobody knows counts, so that those are spread over the queues.
  if (asking_.insert(client).second)
    queues_.request(client, static_cast<Time>(std::clamp<uint64_t>(section_ns, 1, INT64_MAX / 4096)), gpus);
  dispatch();
}

void OwnGpus::end_job(ClientId client) {
  priorities_.erase(client);
  if (!queues_.is_pending(client)) return;
  queues_.leave(client);
  if (asking_.erase(client) > 0) on_grant_(client, kNoGpu);
  dispatch();
}

ClientId OwnGpus::owner(int gpu) const { return static_cast<ClientId>(queues_.holder(gpu).value_or(0)); }

std::vector<ClientId> OwnGpus::waiting_for(int gpu) const {
  const std::vector<size_t> waiting = queues_.waiting_for(gpu);
  return {waiting.begin(), waiting.end()};
}

void OwnGpus::dispatch() {
  for (auto client = asking_.begin(); client != asking_.end();) {
    if (!queues_.holds(*client)) {
      ++client;
      continue;
    }
    const ClientId granted = *client;
    client = asking_.erase(client);
    on_grant_(granted, queues_.gpu_of(granted));
  }
  for (int gpu = 0; gpu < gpus_; ++gpu) report_inversion(gpu);
}

void OwnGpus::report_inversion(int gpu) {
  const ClientId owner = this->owner(gpu);
  std::optional<int> inherited;
  for (const ClientId waiting : waiting_for(gpu))
    if (const int priority = priorities_.at(waiting);
        priority > std::max(priorities_.at(owner), inherited.value_or(priorities_.at(owner))))
      inherited = priority;
  const bool was_told = told_.erase(gpu) > 0;
  if (inherited) told_.insert(gpu);
  if (inherited || was_told) on_inversion_(gpu, owner, inherited);
}

}  // namespace samcl::scheduler
