// What the daemon shows all its clients: its notice, which only it writes, and the words of the resources.
#pragma once

#include <memory>

#include "sam-manager/protocol/shared_memory.h"
#include "sam-manager/protocol/words.h"

namespace samcl::daemon {

class Board {
 public:
  // By the thread that ends last, and destroyed by the same: clients then see that this manager ended. Errors: no
  // memory.
  static Result<Board> make();
  Board(Board&&) = default;

  protocol::Notice& notice() const { return *notice_; }
  protocol::Words& words() const { return *words_; }
  // For clients to map.
  int notice_descriptor() const { return notice_.descriptor(); }
  int words_descriptor() const { return words_.descriptor(); }

 private:
  Board(protocol::Shared<protocol::Notice> notice, protocol::Shared<protocol::Words> words)
      : notice_(std::move(notice)), words_(std::move(words)), life_(&notice_->life) {
    life_->hold();
  }

  // Before the memory is unmapped: the thread's list of the robust locks that it holds goes through all of them.
  struct LetGo {
    void operator()(protocol::LifeLock* life) const { life->let_go(); }
  };

  protocol::Shared<protocol::Notice> notice_;
  protocol::Shared<protocol::Words> words_;
  std::unique_ptr<protocol::LifeLock, LetGo> life_;
};

}  // namespace samcl::daemon
