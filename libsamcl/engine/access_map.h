// Who wrote and who has read the bytes of one memory at one place, by range: what a new operation on them has to wait
// for. Last writers, and the readers since.
//
// Operations of one group (the parts of a launch) do not wait for each other: first all of them ask, then all of them
// are recorded; several of a group may then be the writers of one range.
//
// Not thread-safe: guarded by the context's lock.
#pragma once

#include <cstdint>

#include "base/range.h"
#include "base/run_map.h"
#include "libsamcl/engine/operation.h"

namespace samcl::engine {

class AccessMap {
 public:
  // Adds to `out` what an access to `range` has to wait for, and has not ended: the last writers; for a write, the
  // readers since, too. A node may be added more than once.
  void find_conflicts(Range range, bool write, NodeList& out);

  void record(Range range, bool write, const NodePtr& node);

  // Runs that the map holds; for tests.
  size_t size() const { return runs_.size(); }

 private:
  struct Users {
    SmallVector<NodePtr, 2> writers, readers;
    void forget_ended();
    bool empty() const { return writers.empty() && readers.empty(); }
    bool operator==(const Users&) const = default;
  };
  void sweep();

  RunMap<Users> runs_;
  size_t sweep_at_ = 1024;  // runs at which all are looked through
};

}  // namespace samcl::engine
