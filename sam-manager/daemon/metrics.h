// A place where Prometheus reads numbers: HTTP on a Unix-domain socket or on a port of 127.0.0.1. Never waits for a
// reader.
#pragma once

#include <cstdint>
#include <deque>
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

  // Readable when look() has something to do: goes on with what readers take and say. True: somebody asked, and waits
  // for answer().
  int ready() const { return events_.get(); }
  bool look();
  // To all who asked and have no answer yet.
  void answer(const std::string& text);

 private:
  struct Reader {
    protocol::Descriptor socket;
    bool has_asked = false;
    std::string rest = {};  // of its answer
  };

  Metrics() = default;
  void watch(int socket, uint32_t events, int change) const;
  void accept_one();
  bool go_on(Reader& reader) const;

  protocol::Descriptor socket_;
  protocol::Descriptor events_;  // epoll, of the socket and the readers
  std::deque<Reader> readers_;   // the oldest first
  std::string path_;             // "": a port
};

}  // namespace samcl::daemon
