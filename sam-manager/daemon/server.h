// The daemon's event loop: one thread that sleeps in poll() until a message comes, a client ends, a signal
// asks us to stop, or the process we belong to ends.
#pragma once

#include <sys/types.h>

#include <map>

#include "sam-manager/daemon/broker.h"
#include "sam-manager/daemon/objects.h"

namespace samcl::daemon {

class Server {
 public:
  Server(Objects& objects, Broker& broker, std::string instance);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Until SIGTERM or SIGINT, or the end of the process behind `exit_with` (a pidfd; -1: none).
  // SIGTERM and SIGINT must be blocked.
  void run(int exit_with);

 private:
  void receive_all();
  void handle(const protocol::Request& request);
  void send_reply(const protocol::Request& request, protocol::Reply& reply, mqd_t replies);
  void send_later(Admission::Decision& decision);
  void watch_programs();
  void bury(pid_t pid);

  Objects& objects_;
  Broker& broker_;
  std::string instance_;
  std::map<pid_t, int> pidfds_;
};

}  // namespace samcl::daemon
