// Starts operations: at once behind what the same lane has before them, or when what they wait for has ended. It
// neither blocks nor has threads, and each node is woken by what it waits for.
//
// Not thread-safe: all calls are made under the lock of the context that owns it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "libsamcl/engine/backend.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/engine/ready_nodes.h"

namespace samcl::engine {

class Engine {
 public:
  // Hears of each node once that it has ended, and with what: perhaps inside a call that entered it.
  using Ended = std::function<void(const Node&, cl_int status)>;
  Engine(Backend& backend, Ended ended) : backend_(backend), ended_(std::move(ended)) {}

  // Enters a node that comes after these (any number of times the same; those that ended count for nothing), and
  // issues it if it may be. Where memory is short (std::bad_alloc) it has not entered it.
  void add(const NodePtr& node, std::span<const NodePtr> after);

  // An issued node has ended; what waited for it is issued.
  void ended(const NodePtr& node, cl_int status);

  // Ends what the backend says has ended by now.
  void look();

  // What the nodes held that have ended since the last call; to be destroyed without the lock, because it may be the
  // last to hold a memory object of which the program wants to hear when it is gone, or the context that owns us.
  struct Held {
    Operation operation;
    std::shared_ptr<Owner> owner;
  };
  // The first ones in place: a node's end has to come, also where memory is short.
  using AllHeld = SmallVector<Held, 2>;
  AllHeld take_ended() { return std::exchange(held_, {}); }

  // Nodes that were entered and have not ended.
  size_t open() const { return open_; }

 private:
  using EachOf = SmallVector<bool, 8>;
  EachOf make_room_for(Node& node, std::span<const NodePtr> after);
  void issue_ready();
  void end(const NodePtr& node, cl_int status);

  Backend& backend_;
  const Ended ended_;
  std::vector<Backend::Ended> found_;  // by look(), for the time of a call
  ReadyNodes ready_;                   // to be issued
  uint64_t issued_ = 0;                // so many have been
  bool issuing_ = false;               // further up the stack
  uint64_t entered_ = 0;
  size_t open_ = 0;
  AllHeld held_;  // by nodes that have ended
};

}  // namespace samcl::engine
