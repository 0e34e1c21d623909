// A process's way to the daemon of an instance: its segment, its request queue, and a reply queue of our own.
// Holds no thread; every wait is bounded; nothing throws. Not thread-safe, except send() and daemon_alive().
#pragma once

#include <mqueue.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "libsamcl/result.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/protocol/segment.h"

namespace samcl::protocol {

class Connection {
 public:
  // Errors: no daemon runs as that instance, it died and left its objects behind, it is of another release,
  // or we may not use it.
  static Result<std::unique_ptr<Connection>> open(const std::string& instance);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends without waiting for an answer. False if the daemon died or takes no message within `limit_ms`.
  bool send(const Request& request, int limit_ms) const;

  // Sends and waits for the answer, both at most `limit_ms`. A refusal is an error with the daemon's reason.
  // The header's pid and sequence are filled in.
  Result<Reply> ask(Request request, int limit_ms);

  bool daemon_alive() const;
  Segment& segment() const { return *segment_; }
  const std::string& instance() const { return instance_; }

 private:
  explicit Connection(std::string instance) : instance_(std::move(instance)) {}
  Result<void> map_segment();
  Result<void> open_requests();
  Result<Reply> receive(mqd_t replies, uint64_t sequence, int limit_ms) const;

  std::string instance_;
  Segment* segment_ = nullptr;
  gid_t group_ = 0;  // whose members may use the daemon
  int daemon_ = -1;  // pidfd
  mqd_t requests_ = -1;
  uint64_t sequence_ = 0;
};

}  // namespace samcl::protocol
