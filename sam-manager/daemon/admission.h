// Changes to the registered tasks, one after another: what each does to everybody's response time is computed
// before it is made, and one that would break a guarantee may be refused. What is made is on the disk before
// it holds. Plans and writing are work of the background thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sam-manager/daemon/background.h"
#include "sam-manager/planning/assignment.h"
#include "sam-manager/registry/registry.h"

namespace samcl::daemon {

// What an administrator asked for.
struct Change {
  uint64_t asker = 0;                  // gets the decision; 0: nobody, only the plan is made anew
  std::string name;                    // of the task
  std::optional<registry::Task> task;  // to add or replace; none: to remove
  bool strict = false;                 // refuse it if it breaks a guarantee
};

class Admission {
 public:
  struct Decision {
    Change change;
    Result<void> made;
  };

  // `machine`: asked before each plan is made.
  Admission(registry::Registry registry, const planning::Settings& settings, bool strict,
            std::function<planning::Machine()> machine);

  // Errors: there is no such task to remove. Otherwise complete_change() has the decision.
  Result<void> ask(Change change);
  // The machine is not what it was.
  void plan_anew();
  // From the next plan on.
  void set(const planning::Settings& settings, bool strict);
  void set_policy(const scheduler::Policy& policy);

  // Whether there are changes that were asked for and have not been decided.
  bool is_deciding() const { return work_ != nullptr; }
  // Readable when complete_change() has something to do.
  int ready() const { return background_.done(); }
  // Makes the change whose plan is done, or refuses it, and begins with the next one; none: nothing was
  // decided.
  std::optional<Decision> complete_change();

  const registry::Registry& registry() const { return registry_; }
  const planning::Assignment& plan() const { return *plan_; }
  // This plan and the one before, for another thread.
  std::shared_ptr<const planning::Assignment> share_plan() const { return plan_; }
  std::shared_ptr<const planning::Assignment> share_plan_before() const { return before_; }
  const planning::Settings& settings() const { return settings_; }

 private:
  // A change under way: first its plan is made, then the tasks are written.
  struct Work {
    Change change;
    registry::Tasks tasks;  // as they will be
    planning::Assignment plan;
    bool is_planned = false;
    Result<void> written;
  };

  void begin_next();
  void assign_modes();
  void write();
  Result<void> judge() const;
  Decision finish(Result<void> made);

  registry::Registry registry_;
  planning::Settings settings_;
  bool strict_;
  std::function<planning::Machine()> machine_;
  std::shared_ptr<const planning::Assignment> plan_, before_;
  std::deque<Change> changes_;  // that have not begun
  std::unique_ptr<Work> work_;  // the background thread's, until it is finished
  Background background_;
};

}  // namespace samcl::daemon
