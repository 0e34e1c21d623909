// What a client does that gives its resource back to the daemon.
#pragma once

#include <atomic>

#include "sam-manager/scheduler/scheduler.h"

namespace samcl::scheduler {

// Of resource 0, whose word that is. Who does not own it says so only.
inline void release(Scheduler& scheduler, std::atomic<protocol::Word>& word, ClientId client) {
  if (protocol::owner_of(word) == client) word |= protocol::kGivenBack;
  scheduler.release(client, 0);
}

}  // namespace samcl::scheduler
