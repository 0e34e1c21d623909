#include "sam-manager/daemon/admission.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "sam-manager/planning/memory.h"

namespace samcl::daemon {

Admission::Admission(registry::Registry registry, const planning::Settings& settings, bool strict,
                     std::function<planning::Machine()> machine)
    : registry_(std::move(registry)),
      settings_(settings),
      strict_(strict),
      machine_(std::move(machine)),
      plan_(std::make_shared<const planning::Assignment>(planning::unplanned(registry_.tasks(), settings))),
      before_(plan_) {
  if (!registry_.tasks().empty()) plan_anew();
}

Result<void> Admission::ask(Change change) {
  if (!change.task && !registry_.tasks().contains(change.name))
    return fail("no task \"" + change.name + "\" is registered");
  changes_.push_back(std::move(change));
  begin_next();
  return {};
}

void Admission::plan_anew() {
  // One that has not begun will see the machine as it is by then.
  if (!changes_.empty()) return;
  changes_.push_back({});
  begin_next();
}

void Admission::set(const planning::Settings& settings, bool strict) {
  settings_ = settings;
  strict_ = strict;
  plan_anew();
}

void Admission::set_policy(const scheduler::Policy& policy) {
  settings_.policy = policy;
  plan_anew();
}

void Admission::begin_next() {
  if (work_ || changes_.empty()) return;
  work_ = std::make_unique<Work>();
  work_->change = std::move(changes_.front());
  changes_.pop_front();
  assign_modes();
}

void Admission::assign_modes() {
  background_.start(
      [work = work_.get(), tasks = registry_.share(), machine = machine_(), settings = settings_, before = plan_] {
        try {
          const Change& change = work->change;
          work->tasks = *tasks;
          if (change.task)
            work->tasks[change.name] = *change.task;
          else if (change.asker != 0)
            work->tasks.erase(change.name);
          work->plan = planning::unplanned(work->tasks, settings);
          work->plan = planning::assign_modes(work->tasks, machine, settings, *before);
        } catch (const std::exception& problem) {
          work->plan.problem = problem.what();
        }
      });
}

void Admission::write() {
  background_.start([work = work_.get(), file = registry_.file()] {
    try {
      work->written = registry::save(file, work->tasks);
    } catch (const std::exception& problem) {
      work->written = fail(problem.what());
    }
  });
}

std::optional<Admission::Decision> Admission::complete_change() {
  if (!background_.finished()) return std::nullopt;
  if (work_->is_planned) return finish(work_->written);
  work_->is_planned = true;
  auto judged = judge();
  if (!judged || work_->change.asker == 0 || registry_.file().empty()) return finish(std::move(judged));
  write();
  return std::nullopt;
}

Result<void> Admission::judge() const {
  const Change& change = work_->change;
  if (!change.task) return {};
  std::string objection = planning::memory_objection(work_->tasks, work_->plan, machine_(), *change.task);
  if (objection.empty() && (strict_ || change.strict))
    objection = planning::objection(*plan_, work_->plan, change.name);
  if (objection.empty()) return {};
  return fail("not admitted, nothing was changed: " + objection);
}

Admission::Decision Admission::finish(Result<void> made) {
  const auto work = std::move(work_);
  const Change& change = work->change;
  if (made) {
    if (change.task && change.task->weight > 0)
      spdlog::info("task \"{}\" registered: weight {}, {} GPUs", change.name, change.task->weight, change.task->gpus);
    else if (change.task)
      spdlog::info("task \"{}\" registered: priority {}, {} GPUs", change.name, change.task->priority,
                   change.task->gpus);
    else if (change.asker != 0)
      spdlog::info("task \"{}\" unregistered", change.name);
    if (!work->plan.problem.empty()) spdlog::warn("no plan: {}", work->plan.problem);
    registry_.replace(std::move(work->tasks));
    before_ = std::exchange(plan_, std::make_shared<const planning::Assignment>(std::move(work->plan)));
  }
  Decision decision{change, std::move(made)};
  begin_next();
  return decision;
}

}  // namespace samcl::daemon
