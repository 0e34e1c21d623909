// Which clients run at a priority that is not their own: whoever holds what a more urgent client waits for is
// lent that client's priority until it has given it back, so that nothing of a priority between the two keeps
// it from coming to that (Sha, Rajkumar & Lehoczky 1990; leases are never nested, so no loan is passed on).
// Pure logic: what is lent to whom, not how.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sam-manager/scheduler/scheduler.h"

namespace samcl::scheduler {

class Loans {
 public:
  // Told when what a client is lent changes; none: nothing any more.
  using OnChange = std::function<void(ClientId, std::optional<int> priority)>;

  Loans(size_t resources, OnChange on_change) : loans_(resources), on_change_(std::move(on_change)) {}

  // `inherited`: the priority of the most urgent client that waits for the resource, if that is more urgent than
  // the owner; none: nothing is lent for this resource.
  void update(ResourceId resource, ClientId owner, std::optional<int> inherited);

  // For all that the client holds; none: nothing is lent to it.
  std::optional<int> of(ClientId client) const;

 private:
  struct Loan {
    ClientId borrower = 0;
    std::optional<int> priority;
  };

  std::vector<Loan> loans_;  // by resource
  OnChange on_change_;
};

}  // namespace samcl::scheduler
