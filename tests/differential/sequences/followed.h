// Fills of one range, each enqueued by the callback of the one before, with the calls that programs make there: queues
// made and released with commands in them, events released while callbacks hang on them.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <string>

#include "benchmarks/host/handle.h"
#include "tests/differential/sequences/sequence.h"

namespace sequences {

class Followed {
 public:
  // Keeps the buffer until the last fill is complete. Throws Wrong.
  Followed(cl_context context, cl_device_id device, cl_mem buffer, const Step& step);
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

  // The first comes when `before` is complete. Throws Wrong.
  void begin(cl_event before);

  // A user event, complete when the last fill is; it fails if one of them did.
  cl_event done() const { return done_.get(); }

  // Whether no callback is to come.
  bool is_over() const { return over_; }

  // Once it is over: what went wrong; empty: nothing.
  std::string wrong() const { return wrong_; }

 private:
  static void CL_CALLBACK next(cl_event, cl_int status, void* self);
  void fill();
  void end(const std::string& wrong);

  const cl_context context_;
  const cl_device_id device_;
  const Step step_;
  const unsigned fills_;
  unsigned filled_ = 0;  // only callbacks, one after the other
  bench::Buffer buffer_;
  bench::Queue queue_;  // of all fills; none: one for each
  bench::Handle<cl_event, clReleaseEvent> done_;
  std::string wrong_;
  std::atomic<bool> over_ = false;
};

}  // namespace sequences
