// Real programs of one kind, by device, each made when it is first needed. Threads: any.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <map>
#include <mutex>

#include "base/places.h"
#include "libsamcl/driver/driver.h"

namespace samcl {

class ProgramsOnDevices {
 public:
  ProgramsOnDevices() = default;
  ~ProgramsOnDevices() {
    for (const auto& [device, program] : made_)
      if (program) driver::real().clReleaseProgram(program);
  }
  ProgramsOnDevices(const ProgramsOnDevices&) = delete;
  ProgramsOnDevices& operator=(const ProgramsOnDevices&) = delete;

  // What make() makes of it, the first time; nullptr: there is none.
  template <typename Make>
  cl_program on(unsigned device, const Make& make) {
    std::lock_guard lock(mutex_);
    const auto [found, is_new] = made_.try_emplace(device);
    if (is_new) found->second = make();
    if (found->second) on_.fetch_or(only(device), std::memory_order_release);
    return found->second;
  }
  // Whether it is there already.
  bool is_on(unsigned device) const { return contains(on_.load(std::memory_order_acquire), device); }
  // Whether the caller is the first to want it there.
  bool wants(unsigned device) { return !contains(wanted_.fetch_or(only(device)), device); }

 private:
  std::mutex mutex_;
  std::map<unsigned, cl_program> made_;    // under the mutex
  std::atomic<Places> on_{0}, wanted_{0};  // devices where there is one, or is going to be
};

}  // namespace samcl
