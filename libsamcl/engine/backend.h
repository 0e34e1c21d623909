// What the engine needs of those who do the work. No OpenCL here: the real one (libsamcl/device) stands on the driver,
// the one for tests (testing/simulated_backend.h) on a simulated clock.
#pragma once

#include "libsamcl/engine/operation.h"

namespace samcl::engine {

class Backend {
 public:
  virtual ~Backend() = default;

  // Whether `after` may be issued once `before` is, because the backend then keeps it behind (a lane's own order, a
  // wait of its own); otherwise it is issued when `before` has ended. Under the context's lock.
  virtual bool keeps_behind(const Node& before, const Node& after) const = 0;

  // Starts an operation; everything in node->behind was issued before. CL_SUCCESS: when it has ended, the backend
  // takes the context's lock and calls Engine::ended(), never from inside this call. An error: it did not start, and
  // has ended with that. Under the context's lock; must not wait for a device.
  virtual cl_int issue(const NodePtr& node) = 0;

  // From now on something waits for the end of a node that was issued before. Under the context's lock.
  virtual void hurry(const Node&) {}

  // Appends nodes that have ended of which the backend has not told: for a thread that is at work in the engine anyway.
  // Under the context's lock.
  struct Ended {
    NodePtr node;
    cl_int status;
  };
  virtual void ended_by_now(std::vector<Ended>&) {}
};

}  // namespace samcl::engine
