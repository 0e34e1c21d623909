#include "sam-manager/daemon/admission.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace samcl::daemon {

using protocol::Kind;
using protocol::Reply;
using protocol::Request;

Reply refuse(const std::string& reason) {
  Reply reply;
  reply.refused = 1;
  protocol::store(reason.substr(0, sizeof reply.text - 1), reply.text);
  return reply;
}

Admission::Admission(registry::Registry registry, const planning::Settings& settings, bool strict,
                     std::function<planning::Machine()> machine)
    : registry_(std::move(registry)), settings_(settings), strict_(strict), machine_(std::move(machine)) {
  if (!registry_.tasks().empty()) plan_anew();
}

void Admission::ask(const Request& request, std::optional<registry::Task> task) {
  changes_.push_back({request, std::move(task)});
  begin_next();
}

void Admission::plan_anew() {
  // One that has not begun will see the machine as it is by then.
  if (changes_.size() > (under_way_ ? 1u : 0u)) return;
  changes_.push_back({});
  begin_next();
}

void Admission::begin_next() {
  if (under_way_ || changes_.empty()) return;
  under_way_ = true;
  auto tasks = registry_.tasks();
  const Change& change = changes_.front();
  if (change.task)
    tasks[change.task->name] = *change.task;
  else if (change.request)
    tasks.erase(change.request->task);
  planner_.start([tasks = std::move(tasks), machine = machine_(), settings = settings_, before = plan_] {
    return planning::make_plan(tasks, machine, settings, before);
  });
}

std::optional<Admission::Decision> Admission::settle() {
  auto plan = planner_.take();
  if (!plan) return std::nullopt;
  const Change change = std::move(changes_.front());
  changes_.pop_front();
  under_way_ = false;
  Decision decision{change.request, decide(change, *std::move(plan))};
  begin_next();
  return decision;
}

Reply Admission::decide(const Change& change, planning::Plan plan) {
  if (change.task && (strict_ || change.request->strict)) {
    const std::string objection = planning::objection(plan_, plan, change.task->name);
    if (!objection.empty()) return refuse("not admitted, nothing was changed: " + objection);
  }
  if (auto made = make(change); !made) return refuse(made.error().message);
  if (!plan.problem.empty()) spdlog::warn("no plan: {}", plan.problem);
  before_ = std::exchange(plan_, std::move(plan));
  return {};
}

Result<void> Admission::make(const Change& change) {
  if (!change.request) return {};
  if (!change.task) {
    auto removed = registry_.remove(change.request->task);
    if (removed) spdlog::info("task \"{}\" unregistered", change.request->task);
    return removed;
  }
  const registry::Task& task = *change.task;
  auto put = registry_.put(task);
  if (put) spdlog::info("task \"{}\" registered: priority {}, {} GPUs", task.name, task.priority, task.gpus);
  return put;
}

nlohmann::json Admission::describe() const {
  nlohmann::json all = planning::to_json(plan_, before_, machine_());
  all["policy"] = analysis::name(settings_.policy);
  return all;
}

}  // namespace samcl::daemon
