// For programs written with OpenCL's C++ bindings: the session's objects as theirs, and their events in our
// lists.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include "benchmarks/host/workload.h"

namespace bench {

inline cl::Context cpp_context(const Session& session) { return cl::Context(session.context.get(), true); }
inline cl::CommandQueue cpp_queue(const Session& session) { return cl::CommandQueue(session.queue.get(), true); }

// The event argument of an enqueue call: queue.enqueueReadBuffer(..., nullptr, Into(events.download)).
class Into {
 public:
  explicit Into(EventList& list) : list_(list) {}
  Into(const Into&) = delete;
  Into& operator=(const Into&) = delete;
  ~Into() {
    if (!event_()) return;
    clRetainEvent(event_());
    *list_.add() = event_();
  }
  operator cl::Event*() { return &event_; }
  void operator=(cl::Event event) { event_ = std::move(event); }  // for calls that return it

 private:
  EventList& list_;
  cl::Event event_;
};

}  // namespace bench
