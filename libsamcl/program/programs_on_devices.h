// Real programs of one kind, by device, each made when it is first needed. Threads: any.
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/places.h"
#include "libsamcl/driver/driver.h"

namespace samcl {

class ProgramsOnDevices {
 public:
  ProgramsOnDevices() = default;
  ~ProgramsOnDevices() {
    for (const Made& made : made_)
      if (made.program) driver::real().clReleaseProgram(made.program);
  }
  ProgramsOnDevices(const ProgramsOnDevices&) = delete;
  ProgramsOnDevices& operator=(const ProgramsOnDevices&) = delete;

  // What make() makes of it, the first time; nullptr: there is none. Those of several devices at once.
  template <typename Make>
  cl_program on(unsigned device, const Make& make) {
    Made& made = made_[device];
    if (is_on(device)) return made.program;
    std::lock_guard lock(made.mutex);
    if (!std::exchange(made.is_tried, true)) made.program = make();
    if (made.program) on_.fetch_or(only(device), std::memory_order_release);
    return made.program;
  }
  // Whether it is there already.
  bool is_on(unsigned device) const { return contains(on_.load(std::memory_order_acquire), device); }
  // Whether the caller is the first to want it there.
  bool wants(unsigned device) { return !contains(wanted_.fetch_or(only(device)), device); }

 private:
  struct Made {
    std::mutex mutex;
    bool is_tried = false;
    cl_program program = nullptr;
  };

  std::array<Made, kMaxDevices> made_;     // each under its mutex until it is there
  std::atomic<Places> on_{0}, wanted_{0};  // devices where there is one, or is going to be
};

}  // namespace samcl
