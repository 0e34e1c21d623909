// Where an instance is reached: its directory, its lock and its socket, made together and taken away
// together. One daemon per instance: the lock says so, in a directory where only the daemon's user can put
// files.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "sam-manager/protocol/descriptor.h"

namespace samcl::daemon {

class Endpoint {
 public:
  // Takes the socket that the system's service manager made, if it made one; else makes it, in place of what
  // a daemon that died has left. Errors: another daemon serves this instance; the directory is not ours; the
  // system refuses.
  static Result<std::unique_ptr<Endpoint>> make(const std::string& instance);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  int socket() const { return socket_.get(); }  // listens
  // The file whose lock we hold. What is written there stays if we are killed, and is gone if we end orderly.
  int lock_file() const { return lock_.get(); }

  // Whether somebody took our lock or socket away, so that another daemon can serve the instance besides us.
  bool is_lost() const;

 private:
  explicit Endpoint(std::string instance);
  Result<void> make_directory();
  Result<void> lock();
  std::string lock_path() const;
  bool holds_lock() const;
  Result<bool> take_given_socket();
  Result<void> make_socket();

  std::string instance_;
  std::string directory_;
  protocol::Descriptor lock_;
  protocol::Descriptor socket_;
  ino_t made_ = 0;  // inode of the socket's file; 0: the service manager's
};

}  // namespace samcl::daemon
