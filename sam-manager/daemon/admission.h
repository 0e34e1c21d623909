// Changes to the registered tasks, one after another: what each does to everybody's response time is computed
// before it is made, and one that would break a guarantee may be refused.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "sam-manager/daemon/planner.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/registry/registry.h"

namespace samcl::daemon {

// The reply that refuses, with the reason.
protocol::Reply refuse(const std::string& reason);

class Admission {
 public:
  struct Decision {
    std::optional<protocol::Request> request;  // that asked for it; none: only the plan was made anew
    protocol::Reply reply;
  };

  // `machine`: asked before each plan is made.
  Admission(registry::Registry registry, const planning::Settings& settings, bool strict,
            std::function<planning::Machine()> machine);

  // A request to add or replace a task, or to remove the one it names (`task`: none). settle() has its reply.
  void ask(const protocol::Request& request, std::optional<registry::Task> task);
  // The machine is not what it was.
  void plan_anew();

  // Readable when settle() has something to do.
  int ready() const { return planner_.done(); }
  // Makes the change whose plan is done, or refuses it, and begins with the next one; none: nothing was done.
  std::optional<Decision> settle();

  const registry::Registry& registry() const { return registry_; }
  const planning::Plan& plan() const { return plan_; }
  nlohmann::json describe() const;  // the plan, and what the last change did to it

 private:
  struct Change {
    std::optional<protocol::Request> request;
    std::optional<registry::Task> task;
  };

  void begin_next();
  protocol::Reply decide(const Change& change, planning::Plan plan);
  Result<void> make(const Change& change);

  registry::Registry registry_;
  planning::Settings settings_;
  bool strict_;
  std::function<planning::Machine()> machine_;
  planning::Plan plan_, before_;
  std::deque<Change> changes_;  // the first one is being planned, if under_way_
  bool under_way_ = false;
  Planner planner_;
};

}  // namespace samcl::daemon
