// What a benchmark program does, apart from when and how often: one job is upload, launch, download, and
// every job of a run computes the same result from the same input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/host/session.h"
#include "benchmarks/host/sizes.h"

namespace bench {

// The events of one phase of one job. Usable as a wait list: data() and size().
class EventList {
 public:
  EventList() = default;
  EventList(const EventList&) = delete;
  EventList& operator=(const EventList&) = delete;
  ~EventList() { clear(); }

  // Where the next enqueue call shall put its event; valid until the next call of add().
  cl_event* add() { return &events_.emplace_back(nullptr); }

  const cl_event* data() const { return events_.data(); }
  cl_uint size() const { return static_cast<cl_uint>(events_.size()); }
  cl_event last() const { return events_.back(); }

  void clear() {
    for (cl_event event : events_)
      if (event) clReleaseEvent(event);
    events_.clear();
  }

 private:
  std::vector<cl_event> events_;
};

struct JobEvents {
  EventList upload, kernel, download;
};

class Workload {
 public:
  virtual ~Workload() = default;

  virtual const char* name() const = 0;

  virtual void add_sizes(Sizes& sizes) = 0;

  // The chosen size for people, e.g. "1024 x 768".
  virtual std::string size() const = 0;

  // Makes the input from the seed, builds kernels, creates what lives as long as the program.
  // Throws std::invalid_argument if the sizes will not do, std::runtime_error if the device will not.
  virtual void set_up(const Session& session, uint64_t seed) = 0;

  // The phases. Each may return before its commands are done, save that after download() the result is in
  // host memory. Each gives the events of its commands to its list.
  virtual void upload(JobEvents& events) = 0;
  virtual void launch(JobEvents& events) = 0;
  virtual void download(JobEvents& events) = 0;

  // The last job's result, in host memory. The runner overwrites it before every job.
  virtual std::span<std::byte> result() = 0;

  // Compares the result with what a plain C++ computation gives. Empty: right; else what differs first.
  virtual std::string verify() = 0;
};

}  // namespace bench
