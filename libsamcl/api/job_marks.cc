// What samcl/samcl.h finds by name.
#include <atomic>

#include "libsamcl/objects/building.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/objects/machine.h"
#include "libsamcl/observe/trace.h"

namespace {

std::atomic<uint64_t> job_began_ns{0};  // 0: no job is under way
std::atomic<uint64_t> builds_ended{0};  // when it began

// The manager knows at once, and not only when the job ends, that nothing is promised any more.
void tell_of_build() {
  if (samcl::lease::Client* const client = samcl::present_lease_client()) client->builds();
}

// Where the task is held until its programs are built. With no lock, and nobody knows of the job yet: whoever ends
// meanwhile, nothing is lost. Never for longer than the limit that there is at first; none if the manager ends.
void wait_for_builds(const samcl::lease::Client& client) {
  const uint64_t limit_ns = client.holds_job_ns(), began_ns = samcl::now_ns();
  if (limit_ns == 0) return;
  samcl::Building::wait_for_all([&] { return samcl::now_ns() - began_ns < limit_ns && client.holds_job_ns() > 0; });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void samcl_mark_job_begin() {
  samcl::Building::tells = tell_of_build;
  samcl::lease::Client* const client = samcl::present_lease_client();
  if (client) wait_for_builds(*client);
  samcl::trace::mark_job(true);
  builds_ended = samcl::Building::ended();
  job_began_ns = samcl::now_ns();
  if (client) client->job_began();
}
void samcl_mark_job_end() {
  samcl::trace::mark_job(false);
  const uint64_t began = job_began_ns.exchange(0);
  samcl::lease::Client* const client = began ? samcl::present_lease_client() : nullptr;
  if (client) client->job_ended(samcl::now_ns() - began, samcl::Building::since(builds_ended));
}
}
#pragma GCC visibility pop
