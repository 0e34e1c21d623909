// A place where Prometheus reads numbers: HTTP on a Unix-domain socket or on a port of 127.0.0.1. Never
// waits: a reader that does not take its answer at once gets none.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "sam-manager/protocol/descriptor.h"

namespace samcl::daemon {

class Metrics {
 public:
  // `place`: a path, or a port such as "9184".
  static Result<std::unique_ptr<Metrics>> open(const std::string& place);
  ~Metrics();

  int ready() const { return events_.get(); }  // readable when somebody asks
  void answer(const std::function<std::string()>& text);

 private:
  Metrics() = default;
  void watch(int socket) const;
  void accept_one();

  protocol::Descriptor socket_;
  protocol::Descriptor events_;               // epoll, of the socket and the readers
  std::deque<protocol::Descriptor> readers_;  // that have not asked yet, the oldest first
  std::string path_;                          // "": a port
};

}  // namespace samcl::daemon
