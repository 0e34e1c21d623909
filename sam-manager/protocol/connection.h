// A process's way to the daemon of an instance: its socket. Holds no thread; every wait is bounded; nothing
// throws. One thread at a time, except send() and is_open().
#pragma once

#include <sys/types.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/protocol/socket.h"

namespace samcl::protocol {

struct Answer {
  nlohmann::json document;
  std::vector<Descriptor> attached;
};

class Connection {
 public:
  // Errors: no daemon runs as that instance, or what runs there is of a user whom we need not believe.
  static Result<std::unique_ptr<Connection>> open(const std::string& instance);
  ~Connection();  // also in a copy of this process made by fork
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends a question and waits at most `limit_ms` for its answer. A refusal is an error with the daemon's
  // reason; after any other error the connection is at its end.
  Result<Answer> ask(const nlohmann::json& question, int limit_ms);

  // The next document that the daemon sends by itself, after it was asked to. Errors as in ask(); `limit_ms`
  // below 0: none.
  Result<Answer> next(int limit_ms);

  // Sends without waiting for an answer. False if the daemon ended, or takes no message within `limit_ms`.
  bool send(const Message& message, int limit_ms) const;

  // Whether the daemon has not left it.
  bool is_open() const;

  // Tells the daemon that we are gone. Thread-safe.
  void end();

 private:
  Connection(std::string instance, Descriptor socket);
  Result<void> connect(const std::string& directory);
  bool is_ours() const;
  bool wait_until(short event, int limit_ms) const;

  std::string instance_;
  Descriptor socket_;
  ino_t inode_ = 0;  // of our socket: a program that closes what it does not know may have made the number another's
};

}  // namespace samcl::protocol
