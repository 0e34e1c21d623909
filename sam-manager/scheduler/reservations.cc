#include "sam-manager/scheduler/reservations.h"

#include <algorithm>
#include <utility>

namespace samcl::scheduler {

namespace {

// What either allows.
Reservation longer(const Reservation& one, const Reservation& other) {
  Reservation both = one;
  for (size_t i = 0; i < both.each_ns.size(); ++i) {
    both.each_ns[i] = std::max(one.each_ns[i], other.each_ns[i]);
    const bool is_limited = one.requests[i] > 0 && other.requests[i] > 0;
    both.requests[i] = is_limited ? std::max(one.requests[i], other.requests[i]) : 0;
  }
  both.longest_ns = std::max(one.longest_ns, other.longest_ns);
  return both;
}

}  // namespace

void Reservations::set(ClientId client, const Reservation& reservation) {
  Job& job = jobs_[client];
  job.next = reservation;
  if (job.until_ns == UINT64_MAX) return;
  const uint64_t before = job.reservation.longest_ns;
  job.reservation = longer(job.reservation, reservation);
  job.until_ns += job.reservation.longest_ns - before;
}

void Reservations::remove(ClientId client) { jobs_.erase(client); }

// What its owner has had since we last looked.
void Reservations::charge(ResourceId resource, uint64_t now_ns) {
  const auto held = held_.find(resource);
  if (held == held_.end()) return;
  if (const auto job = jobs_.find(held->second.owner); job != jobs_.end())
    job->second.used_ns[resource] += now_ns - std::min(now_ns, held->second.since_ns);
  held->second.since_ns = now_ns;
}

// Up to then it counts as the job before.
void Reservations::begin(ClientId client, Job& job, uint64_t released_ns) {
  for (auto& [resource, held] : held_)
    if (held.owner == client) charge(resource, std::max(released_ns, held.since_ns));
  job.used_ns.clear();
  job.requests.clear();
  job.has_exceeded = job.has_asked_too_often = false;
  job.next_release_ns = 0;
  job.reservation = job.next;
  job.until_ns = released_ns + job.reservation.longest_ns;
}

void Reservations::begin_released(uint64_t now_ns) {
  for (auto& [client, job] : jobs_)
    if (job.next_release_ns != 0 && job.next_release_ns <= now_ns) begin(client, job, job.next_release_ns);
}

void Reservations::release_job(ClientId client, uint64_t released_ns, uint64_t now_ns) {
  begin_released(now_ns);
  const auto job = jobs_.find(client);
  if (job == jobs_.end()) return;
  uint64_t& next = job->second.next_release_ns;
  if (released_ns > now_ns)
    next = next == 0 ? released_ns : std::min(next, released_ns);
  else
    begin(client, job->second, released_ns);
}

bool Reservations::ask(ClientId client, ResourceId resource, uint64_t now_ns) {
  begin_released(now_ns);
  const auto found = jobs_.find(client);
  if (found == jobs_.end()) return false;
  Job& job = found->second;
  if (job.until_ns == UINT64_MAX) return false;
  const uint64_t most = job.reservation.requests[resource % protocol::kResourcesPerDevice];
  if (most == 0 || ++job.requests[resource] <= most) return false;
  return !std::exchange(job.has_asked_too_often, true);
}

void Reservations::note(ResourceId resource, ClientId owner, uint64_t now_ns) {
  begin_released(now_ns);
  charge(resource, now_ns);
  if (owner == 0)
    held_.erase(resource);
  else
    held_[resource] = {owner, now_ns};
}

// UINT64_MAX: its owner is not limited, or has exceeded in this job already.
uint64_t Reservations::exceeds_ns(ResourceId resource) const {
  const Held& held = held_.at(resource);
  const auto found = jobs_.find(held.owner);
  if (found == jobs_.end() || found->second.has_exceeded || found->second.until_ns == UINT64_MAX) return UINT64_MAX;
  const Job& job = found->second;
  const uint64_t limit = job.reservation.each_ns[resource % protocol::kResourcesPerDevice];
  const auto used = job.used_ns.find(resource);
  const uint64_t had = used == job.used_ns.end() ? 0 : used->second;
  const uint64_t by_use = had > limit ? held.since_ns : held.since_ns + (limit - had) + 1;
  return std::min(by_use, std::max(held.since_ns, job.until_ns + 1));
}

std::vector<ClientId> Reservations::exceeded(uint64_t now_ns) {
  begin_released(now_ns);
  std::vector<ClientId> all;
  for (const auto& [resource, held] : held_) {
    if (exceeds_ns(resource) > now_ns) continue;
    jobs_.at(held.owner).has_exceeded = true;
    all.push_back(held.owner);
  }
  return all;
}

uint64_t Reservations::next_ns() const {
  uint64_t next = UINT64_MAX;
  for (const auto& [resource, held] : held_) next = std::min(next, exceeds_ns(resource));
  return next;
}

}  // namespace samcl::scheduler
