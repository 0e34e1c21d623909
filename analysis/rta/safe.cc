// The safe form (PROOF.md): a stage ends at the latest
//   - a bounded wait and its execution after it became ready (theorem 1), and
//   - when a window over the whole job up to this stage ends (theorem 2);
// the earlier of the two counts, and gives the jitter of the next stage.
#include <cmath>

#include "analysis/rta/core.h"
#include "analysis/rta/pipeline_window.h"
#include "analysis/rta/stage_window.h"

namespace samcl::analysis {
namespace {

constexpr size_t at(Resource resource) {
  return static_cast<size_t>(resource);
}

size_t rows(const TaskSet& set) {
  size_t count = 0;
  for (const Task& task : set.tasks) count += task.stages.size();
  return count;
}

class Safe : public ResponseTimeAnalysis::Core {
 public:
  Safe(const TaskSet& set, PriorityOrder order)
      : Core(set, std::move(order)),
        windows_{StageWindow(static_cast<size_t>(set.platform.cpus), rows(set)),
                 StageWindow(static_cast<size_t>(set.platform.pci), rows(set)),
                 StageWindow(static_cast<size_t>(set.platform.gpus), rows(set))},
        pipeline_(rows(set)) {}

 protected:
  Time respond(TaskRow& row) override;
  bool proves() const override { return true; }
  void sections(const TaskRow& row, Resource resource, Longest& longest) const override;

 private:
  bool respond(const TaskRow& row, StageRow& stage, double ready, double& finish);

  std::array<StageWindow, 3> windows_;
  PipelineWindow pipeline_;
};

// The longest section, less the 1 ns that it must have begun earlier, of the task's stages on a resource.
double longest_section(const TaskRow& row, Resource resource) {
  double longest = 0;
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource) longest = std::max(longest, stage.section - 1);
  return longest;
}

double subtasks_on(const TaskRow& row, Resource resource) {
  return resource == Resource::gpu ? row.mode : 1;
}

// Of one task only one stage is at work at a time.
void Safe::sections(const TaskRow& row, Resource resource, Longest& longest) const {
  const double section = longest_section(row, resource);
  for (double k = 0; section > 0 && k < subtasks_on(row, resource); ++k) longest.add(section);
}

bool Safe::respond(const TaskRow& row, StageRow& stage, double ready, double& finish) {
  const size_t resource = at(stage.resource);
  StageQuestion question;
  question.demand = &demand(stage.resource);
  question.end = row.first[resource];
  question.worst = stage.worst;
  question.siblings = stage.subtasks - 1;
  question.whole = stage.whole;
  question.sections = &row.blocking[resource];
  question.own_section = longest_section(row, stage.resource);
  question.limit = static_cast<double>(kLimit * row.task->period);
  const StageAnswer answer = windows_[resource].solve(question);
  const double alone = answer.bounded() ? ready + answer.waiting + stage.worst : question.limit + 1;
  finish = pipeline_.append(stage.resource, stage.worst, question.siblings, question.whole, alone);
  if (finish > question.limit) return false;
  // Where theorem 2 alone has an answer, the stage has what is left since it became ready at the earliest.
  const double waiting = answer.bounded() ? answer.waiting : finish - stage.worst;
  stage.bound.response = static_cast<Time>(waiting + stage.worst);
  stage.bound.blocking = static_cast<Time>(std::min(answer.blocking, waiting));
  stage.bound.interference = static_cast<Time>(waiting) - stage.bound.blocking;
  return true;
}

Time Safe::respond(TaskRow& row) {
  std::array<PipelineWindow::Share, 3> shares;
  for (const Resource resource : kResources)
    shares[at(resource)] = {&demand(resource), row.first[at(resource)], elements(resource),
                            &row.blocking[at(resource)]};
  pipeline_.begin(shares);
  double ready = 0, earliest = 0;  // bounds on when the stage becomes ready after the release
  bool bounded = true;
  for (StageRow& stage : row.stages) {
    Demand& own = demand(stage.resource);
    stage.bound = {kUnbounded, kUnbounded, kUnbounded, kUnbounded, kUnbounded};
    own.cost[stage.row] = stage.worst;
    own.copies[stage.row] = stage.subtasks;
    own.work[stage.row] = stage.worst * stage.subtasks;
    own.jitter[stage.row] = own.carry[stage.row] = kForever;
    double finish = 0;
    bounded = bounded && respond(row, stage, ready, finish);
    if (!bounded) continue;
    const double jitter = std::max(0.0, ready - earliest);
    own.jitter[stage.row] = jitter;
    own.carry[stage.row] = std::max(jitter, finish - earliest - stage.worst);
    stage.bound.jitter = static_cast<Time>(jitter);
    stage.bound.finish = static_cast<Time>(finish);
    ready = finish;
    earliest += stage.best;
  }
  return bounded ? static_cast<Time>(ready) : kUnbounded;
}

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_safe(const TaskSet& set, PriorityOrder order) {
  return std::make_unique<Safe>(set, std::move(order));
}

}  // namespace samcl::analysis
