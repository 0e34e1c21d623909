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

class Safe : public ResponseTimeAnalysis::Core {
 public:
  Safe(const TaskSet& set, PriorityOrder order)
      : Core(set, std::move(order), modes_of(set.platform, Form::safe)),
        windows_{StageWindow(static_cast<size_t>(set.platform.cpus), set.tasks.size(), stages()),
                 StageWindow(static_cast<size_t>(set.platform.pci), set.tasks.size(), stages()),
                 StageWindow(static_cast<size_t>(set.platform.gpus), set.tasks.size(), stages())},
        pipeline_(set.tasks.size()) {}

 protected:
  Time respond(TaskRow& row, bool detail) override;
  bool proves() const override { return true; }
  void sections(const TaskRow& row, Resource resource, Longest& longest) const override;

 private:
  double finish(const TaskRow& row, const StageRow& stage, double ready, double jitter);
  StageQuestion question(const TaskRow& row, const StageRow& stage, double jitter);
  void explain(const TaskRow& row, StageRow& stage, double ready, double jitter, double end);

  std::array<StageWindow, 3> windows_;
  PipelineWindow pipeline_;
};

// The longest section, less the 1 ns that it must have begun earlier, of the task's stages on a resource.
double longest_section(const TaskRow& row, Resource resource, const StageRow* except = nullptr) {
  double longest = 0;
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource && &stage != except) longest = std::max(longest, stage.section - 1);
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

StageQuestion Safe::question(const TaskRow& row, const StageRow& stage, double jitter) {
  const size_t resource = at(stage.resource);
  StageQuestion question;
  question.demand = &demand(stage.resource);
  question.cycles = &cycles(stage.resource);
  question.end = row.first[resource];
  question.worst = stage.worst;
  question.siblings = stage.subtasks - 1;
  question.whole = stage.whole;
  question.sections = &row.blocking[resource];
  // The task's own sections only matter where those of less urgent tasks are shorter.
  question.same_section = partial() ? 0 : stage.section - 1;
  question.other_section = partial() ? 0 : longest_section(row, stage.resource, &stage);
  question.monotone = partial();
  question.jitter = jitter;
  question.period = static_cast<double>(row.task->period);
  return question;
}

// The stage's end after the job's release, kForever if unbounded. What promises less is solved first, and
// the other one only as far as it can be better.
double Safe::finish(const TaskRow& row, const StageRow& stage, double ready, double jitter) {
  const double limit = static_cast<double>(kLimit * row.task->period);
  const double least = pipeline_.append(stage.resource, stage.worst, stage.subtasks - 1, stage.whole);
  StageWindow& window = windows_[at(stage.resource)];
  StageQuestion alone = question(row, stage, jitter);
  const double before = ready + stage.worst;
  double end = limit + 1;
  const bool pipeline_first = least < before + window.least(alone);
  if (pipeline_first) end = pipeline_.end(end);
  alone.limit = (partial() ? limit + 1 : end) - before;
  const StageAnswer answer = window.solve(alone);
  if (answer.bounded()) end = std::min(end, before + answer.waiting);
  if (!pipeline_first) end = std::min(end, pipeline_.end(end));
  return end > limit ? kForever : end;
}

Time Safe::respond(TaskRow& row, bool detail) {
  std::array<PipelineWindow::Share, 3> shares;
  for (const Resource resource : kResources)
    shares[at(resource)] = {&demand(resource), &cycles(resource), row.first[at(resource)], elements(resource),
                            &row.blocking[at(resource)]};
  pipeline_.begin(shares);
  double ready = 0, earliest = 0;  // bounds on when the stage becomes ready after the release
  for (StageRow& stage : row.stages) {
    const double jitter = ready < kForever ? std::max(0.0, ready - earliest) : kForever;
    const double end = ready < kForever ? finish(row, stage, ready, jitter) : kForever;
    const double carry = end < kForever ? std::max(jitter, end - earliest - stage.worst) : kForever;
    demand(stage.resource).set(stage.row, stage.worst, stage.subtasks, jitter, carry);
    if (detail) explain(row, stage, ready, jitter, end);
    ready = end;
    earliest += stage.best;
  }
  return ready < kForever ? static_cast<Time>(ready) : kUnbounded;
}

// What the stage takes, looked at alone; no less than what its end says.
void Safe::explain(const TaskRow& row, StageRow& stage, double ready, double jitter, double end) {
  StageQuestion alone = question(row, stage, jitter);
  alone.limit = static_cast<double>(kLimit * row.task->period);
  const StageAnswer answer = end < kForever ? windows_[at(stage.resource)].solve(alone) : StageAnswer();
  const double least = end - ready - stage.worst;
  const double waiting = end < kForever ? std::max(least, answer.bounded() ? answer.waiting : 0) : kForever;
  const double blocking = std::min(answer.blocking, waiting);
  stage.bound = stage_bound(waiting < kForever ? waiting + stage.worst : kForever, waiting - blocking,
                            blocking, jitter, end);
}

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_safe(const TaskSet& set, PriorityOrder order) {
  return std::make_unique<Safe>(set, std::move(order));
}

}  // namespace samcl::analysis
