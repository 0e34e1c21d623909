// The semaphores that the program has: whose they are, and which of its signals are on their way.
#pragma once

#include <CL/cl_ext.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsamcl/objects/event.h"

namespace samcl::api {

// Threads: any.
class KnownSemaphores {
 public:
  using Events = std::vector<std::shared_ptr<Event>>;

  void created(cl_semaphore_khr semaphore, cl_platform_id platform, bool is_binary);
  void retained(cl_semaphore_khr semaphore);
  void will_be_released(cl_semaphore_khr semaphore);

  // The platform whose functions know it: nothing in the handle tells. nullptr: the program does not have it.
  cl_platform_id platform_of(cl_semaphore_khr semaphore);

  // A driver may want a signal to be given to the device before the wait that takes it, as the program enqueued them;
  // so the wait comes after the signal's end. The n-th wait for a binary semaphore takes its n-th signal; what is
  // signalled or waited for outside of this context is not known.
  void signalled(std::span<const cl_semaphore_khr> semaphores, const std::shared_ptr<Event>& by);
  void waited(std::span<const cl_semaphore_khr> semaphores);
  // What was signalled has gone elsewhere, or something else has come in its place: by a sync file descriptor.
  void replaced(cl_semaphore_khr semaphore);
  // What the next wait for these takes, as far as it is known and has not ended.
  Events signals_for_next_wait(std::span<const cl_semaphore_khr> semaphores);

 private:
  struct Known {
    cl_platform_id platform = nullptr;
    bool is_binary = false;
    size_t references = 1;                                          // the program's
    uint64_t signals = 0, waits = 0;                                // so many came
    std::deque<std::pair<uint64_t, std::weak_ptr<Event>>> pending;  // signals by their number
  };
  std::mutex mutex_;
  std::unordered_map<cl_semaphore_khr, Known> all_;
};

}  // namespace samcl::api
