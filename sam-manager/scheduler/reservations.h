// How long a task's jobs may keep others waiting: what was promised of them, enforced. A job has each device's GPU and
// link for as long as its profile's stages there take, and nothing after its bound; all of it again when the next one
// is released. Only the time counts in which a task waits for what it has: all other use is in nobody's way. So a
// task that asks for more than it said delays less urgent ones by no more than it said. Pure logic: no clock, no I/O.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sam-manager/protocol/limits.h"
#include "sam-manager/scheduler/policy.h"
#include "sam-manager/scheduler/scheduler.h"

namespace samcl::scheduler {

struct Reservation {
  std::array<uint64_t, protocol::kResourcesPerDevice> each_ns{};  // of a device's GPU, of its link, in one job
  uint64_t longest_ns = 0;                                        // from a job's release to its end
  // How often a job asks for one of them that somebody less urgent has, who gives it back sooner for that and is lent
  // the task's priority. 0: as often as it likes.
  std::array<uint64_t, protocol::kResourcesPerDevice> requests{};

  bool operator==(const Reservation&) const = default;
};

class Reservations {
 public:
  // Of the client's next jobs; the one under way has what it had, where that is more. A client without is not limited.
  void set(ClientId client, const Reservation& reservation);
  void remove(ClientId client);
  // The next job is released then, which may be later than now; of several that are, the first one counts.
  void release_job(ClientId client, uint64_t released_ns, uint64_t now_ns);
  // From now on the client has the resource while others wait for it; 0: nobody does.
  void note(ResourceId resource, ClientId owner, uint64_t now_ns);

  // The client asks for what somebody less urgent has. Whether it has now asked more often than its job may: true once
  // for a job.
  bool ask(ClientId client, ResourceId resource, uint64_t now_ns);

  // Those that have what others wait for, and have had it for too long, or have gone on for too long: each once for a
  // job.
  std::vector<ClientId> exceeded(uint64_t now_ns);
  // When the next one has, if nothing changes; UINT64_MAX: none.
  uint64_t next_ns() const;

 private:
  struct Job {
    Reservation reservation, next;
    uint64_t until_ns = UINT64_MAX;  // of the job under way; no limit before the first one
    uint64_t next_release_ns = 0;    // of a job that is released later; 0: none is
    std::map<ResourceId, uint64_t> used_ns;
    std::map<ResourceId, uint64_t> requests;
    bool has_exceeded = false;
    bool has_asked_too_often = false;
  };
  struct Held {
    ClientId owner = 0;
    uint64_t since_ns = 0;
  };

  void charge(ResourceId resource, uint64_t now_ns);
  void begin(ClientId client, Job& job, uint64_t released_ns);
  void begin_released(uint64_t now_ns);
  uint64_t exceeds_ns(ResourceId resource) const;

  std::map<ClientId, Job> jobs_;
  std::map<ResourceId, Held> held_;  // by somebody while others wait
};

}  // namespace samcl::scheduler
