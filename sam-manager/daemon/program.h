// A connected program, as the daemon knows it.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sam-manager/daemon/overruns.h"
#include "sam-manager/daemon/promise.h"
#include "sam-manager/daemon/rights.h"
#include "sam-manager/protocol/shared_memory.h"
#include "sam-manager/protocol/words.h"
#include "sam-manager/scheduler/policy.h"

namespace samcl::daemon {

// When the job under way began is told by its program, which may lie, and whose clock may not be ours (a time
// namespace). But what is said for the first time was not so yet when we looked last.
struct JobMark {
  uint64_t said_ns = 0;  // 0: nothing
  uint64_t not_before_ns = 0;
  uint64_t looked_ns = 0;  // by our clock, as the one before

  void look(uint64_t says_ns, uint64_t now_ns) {
    if (says_ns != said_ns) not_before_ns = looked_ns;
    said_ns = says_ns;
    looked_ns = now_ns;
  }
  // As far as it can be true; where nothing is said, when we looked.
  uint64_t began_ns() const { return said_ns == 0 ? looked_ns : std::clamp(said_ns, not_before_ns, looked_ns); }
};

struct ConnectedProgram {
  uint32_t id = 0;
  pid_t pid = 0;  // 0: of a PID namespace that we can't see
  uid_t user = 0;
  Rights rights;
  std::string asked;  // the task's name it asked for
  std::string executable;
  uint32_t gpus = 0;                  // the most it uses; 0: as many as there are
  std::vector<uint8_t> devices;       // our indices, in its order
  std::vector<std::string> affinity;  // of its task when its devices were chosen
  std::set<pid_t> threads;            // that run with the task's priority, as it numbers them
  Promise promise;
  Overruns overruns;
  JobMark mark;
  // What it said of the last job that was seen to begin, and when the next one may begin at the earliest.
  uint64_t job_began_ns = 0, job_due_ns = 0;
  uint64_t gpu_request = 0;       // for a GPU that its job is to have to itself
  uint64_t demoted_until_ns = 0;  // 0: it is not demoted, unless
  bool is_greedy = false;         // its job had more than was promised: until the next one is released
  bool was_demoted = false;       // at some time since we last looked at its jobs
  bool is_out_of_cpu = false;     // it has used up its CPU time: until its next budget begins
  uint32_t weight = 0;            // of its share; 0: it has deadlines
  int thread_priority = 0;        // of its threads, but for loans: its own, or by the deadline of its job
  scheduler::Level level = scheduler::Level::real_time;
  uint64_t awaits_memory_until_ns = 0;  // that its task reserved, and others have
  bool exceeds_memory = false;          // it has more of a device's memory than its task reserved
  uint64_t leases = 0;                  // that it had had, of all resources, when we last looked
  unsigned quiet_beats = 0;             // so often we looked since, and it had and wanted none, nor had had more
  bool is_idle = false;                 // it is not counted among those that others see
  std::optional<uint8_t> own_gpu;       // that its job has to itself, our index
  std::optional<uint8_t> container;     // the GPU whose container's CPU it is bound to
  protocol::AssignmentCell::Value assignment;
  std::shared_ptr<protocol::ClientPage> page;  // it may write anything there, at any time
  int page_descriptor = -1;                    // the page's own
};

inline bool is_demoted(const ConnectedProgram& program) {
  return program.demoted_until_ns != 0 || program.is_greedy || program.is_out_of_cpu;
}

// Our indices of the devices it uses at present, the first one first.
std::vector<uint8_t> devices_used(const ConnectedProgram& program);

// Bytes that it says it has of a device's memory (our index), and of that of which it has most.
uint64_t memory_of(const ConnectedProgram& program, uint8_t device);
uint64_t most_memory_of(const ConnectedProgram& program);

}  // namespace samcl::daemon
