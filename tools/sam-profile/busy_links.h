// Other links at work while a program is measured: copies of the program itself, one on each device that it
// does not use. Links share the host's memory and switches, so that transfers take longer then than alone.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

namespace samcl::profile {

// Which devices a run on `gpus` of them uses, and which are left, as sam-run's --devices takes them.
// `selection`: as given to --devices ("": all), `count` devices. Error: the selection does not name them one
// by one.
struct DeviceShares {
  std::string used;
  std::vector<std::string> left;
};
Result<DeviceShares> share_devices(const std::string& selection, unsigned count, unsigned gpus);

class BusyLinks {
 public:
  // Runs each command again and again until this is destroyed, which waits for their ends; each for `limit_s`
  // at most.
  BusyLinks(const std::vector<std::vector<std::string>>& commands, double limit_s);
  ~BusyLinks();
  BusyLinks(const BusyLinks&) = delete;
  BusyLinks& operator=(const BusyLinks&) = delete;

  // Why one of them is no longer at work: it failed; "" if all are.
  std::string failure() const;

 private:
  std::atomic<bool> ends_{false};
  mutable std::mutex mutex_;
  std::string failure_;  // under the mutex
  std::vector<std::thread> threads_;
};

}  // namespace samcl::profile
