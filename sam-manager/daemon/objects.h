// The kernel objects of a running instance: its lock, its segment and its request queue, made together and
// taken away together.
#pragma once

#include <mqueue.h>

#include <memory>
#include <string>

#include "libsamcl/result.h"
#include "sam-manager/daemon/config.h"
#include "sam-manager/protocol/segment.h"

namespace samcl::daemon {

class Objects {
 public:
  // Replaces what a daemon that died has left. Errors: another daemon serves this instance; the system
  // refuses an object; the group does not exist.
  static Result<std::unique_ptr<Objects>> make(const Config& config);
  ~Objects();  // tells the clients, and unlinks
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  protocol::Segment& segment() const { return *segment_; }
  mqd_t requests() const { return requests_; }

 private:
  explicit Objects(std::string instance) : instance_(std::move(instance)) {}
  Result<void> lock();
  Result<void> make_segment(mode_t mode, gid_t group);
  Result<void> make_queue(mode_t mode, gid_t group);

  std::string instance_;
  int lock_ = -1;
  protocol::Segment* segment_ = nullptr;
  mqd_t requests_ = -1;
};

}  // namespace samcl::daemon
