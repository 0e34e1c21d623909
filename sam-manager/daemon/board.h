// What the daemon shows all its clients: its notice, which only it writes, and the words of the resources.
#pragma once

#include "sam-manager/protocol/shared_memory.h"
#include "sam-manager/protocol/words.h"

namespace samcl::daemon {

class Board {
 public:
  // By the thread that ends last. Errors: no memory.
  static Result<Board> make();
  Board(Board&&) = default;

  protocol::Notice& notice() const { return *notice_; }
  protocol::Words& words() const { return *words_; }
  // For clients to map.
  int notice_descriptor() const { return notice_.descriptor(); }
  int words_descriptor() const { return words_.descriptor(); }

 private:
  Board(protocol::Shared<protocol::Notice> notice, protocol::Shared<protocol::Words> words)
      : notice_(std::move(notice)), words_(std::move(words)) {}

  protocol::Shared<protocol::Notice> notice_;
  protocol::Shared<protocol::Words> words_;
};

}  // namespace samcl::daemon
