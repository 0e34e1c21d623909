// The safe form (PROOF.md): a stage ends at the latest
//   - a bounded wait and its execution after it became ready (theorem 1), and
//   - when a window over the whole job up to this stage ends (theorem 2);
// the earlier of the two counts, and gives the jitter of the next stage. A stage of several requests is
// itself several, of lengths that nobody knows: in place of theorem 1 it has a window of its own (theorem 3).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "analysis/rta/core.h"
#include "analysis/rta/pipeline_window.h"
#include "analysis/rta/stage_window.h"

namespace samcl::analysis {
namespace {

class Safe : public ResponseTimeAnalysis::Core {
 public:
  Safe(const TaskSet& set, PriorityOrder order, Tighter tighter)
      : Core(set, std::move(order), modes_of(set.platform, Form::safe)),
        pipeline_(most_groups(), end_lane(Resource::gpu) - first_lane(Resource::gpu)),
        requests_(pipeline_),
        tighter_(std::move(tighter)) {
    for (const Resource resource : kResources)
      windows_.emplace_back(static_cast<size_t>(lane(first_lane(resource)).elements), most_groups(), most_rows());
  }

 protected:
  Time respond(TaskRow& row, bool detail) override;
  bool proves() const override { return true; }
  void sections(const TaskRow& row, Resource resource, Longest& longest) const override;

 private:
  std::array<PipelineWindow::Lanes, 3> lanes_of(const TaskRow& row);
  double last_request(const TaskRow& row, const StageRow& stage, double enough);
  double finish(const TaskRow& row, const StageRow& stage, double ready, double jitter);
  double finish_requests(const TaskRow& row, const StageRow& stage, double ready);
  double last_of(const std::vector<double>& waits, size_t taken);
  void note_wait(const TaskRow& row, double time, double of_stage, double whole_job);
  double bound_work(const TaskRow& row, double ready, double end);
  StageQuestion question(const TaskRow& row, const StageRow& stage, double jitter, size_t index);
  void set_demand(const TaskRow& row, const StageRow& stage, double ready, double earliest, double end);
  void set_threads(const StageRow& stage, double work, double jitter, double carry);
  void set_budget(const TaskRow& row);
  double waits_for_cpus(const TaskRow& row, double response);
  void set_holds(TaskRow& row, double response, bool detail);
  PipelineWindow::Next next_of(const TaskRow& row, const StageRow& stage) const;
  // Its sections may wait for CPUs, or those that it finds.
  bool needs_cpus(const StageRow& stage) const { return hosted() && !has_cpus_ && stage.resource != Resource::cpu; }
  bool by_window(const StageRow& stage) const { return stage.requests > 1 || needs_cpus(stage); }
  void explain_requests(const TaskRow& row, StageRow& stage, double ready, double jitter, double end);
  void explain(const TaskRow& row, StageRow& stage, double ready, double jitter, double end);

  std::vector<StageWindow> windows_;  // [resource]
  PipelineWindow pipeline_;           // over the job
  PipelineWindow requests_;           // over those of one stage
  Tighter tighter_;                   // may be empty
  std::array<std::vector<PipelineWindow::Share>, 3> shares_;
  // Of the stage at hand, in each lane it may be in.
  std::vector<StageQuestion> questions_;
  std::vector<double> waits_;
  std::vector<double> sorted_;
  std::vector<double> fresh_, growth_;  // of each row, where something is looked at as a whole
  bool has_cpus_ = false;               // the task at hand
  // Of the job up to the stage at hand: what its stages take at most, and how long it waits, however long they take.
  double executed_ = 0, waited_ = 0;
  std::vector<double> whatever_;  // [lane] the waits of the stage at hand, likewise
};

// What can be left of a section that began at least 1 ns ago: one that waits for a CPU has executed nothing.
double left_of_section(const StageRow& stage) { return stage.host > 0 ? stage.section : stage.section - 1; }

// The longest, of the task's stages on a resource.
double longest_section(const TaskRow& row, Resource resource, const StageRow* except = nullptr) {
  double longest = 0;
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource && &stage != except) longest = std::max(longest, left_of_section(stage));
  return longest;
}

// In a lane; the same in all stages.
double subtasks_on(const TaskRow& row, Resource resource) {
  for (const StageRow& stage : row.stages)
    if (stage.resource == resource) return stage.subtasks;
  return 0;
}

// On each lane, while the task is at the stage: CPU time of its own sections, and of those less urgent ones that
// its requests find and that are lent its priority.
double host_in_lane(const StageRow& stage) { return stage.host + stage.requests * stage.foreign; }

// CPU time of sections on other lanes than the one of the last subtask, at most: of a single request these are the same
// lanes for all of the job.
double host_of_siblings(const StageRow& stage, double lanes) {
  const double own =
      stage.requests == 1 ? (lanes - 1) * stage.host : std::min(lanes * stage.host, (lanes - 1) * stage.worst);
  return own + (lanes - 1) * stage.requests * stage.foreign;
}

PipelineWindow::Next Safe::next_of(const TaskRow& row, const StageRow& stage) const {
  PipelineWindow::Next next = {stage.resource, stage.worst,   stage.subtasks - 1, stage.whole,
                               stage.requests, stage.between, stage.threads - 1};
  if (!needs_cpus(stage)) return next;
  next.hosted = true;
  next.lent = host_of_siblings(stage, static_cast<double>(row.taken[at(stage.resource)]));
  return next;
}

// Of one task only one stage is at work at a time. Where it is kept to its sections rather than believed, these are
// timed from when somebody waits.
void Safe::sections(const TaskRow& row, Resource resource, Longest& longest) const {
  double section = longest_section(row, resource);
  if (row.task->late > 0)
    for (const StageRow& stage : row.stages)
      if (stage.resource == resource) section = std::max(section, stage.section);
  for (double k = 0; section > 0 && k < subtasks_on(row, resource); ++k) longest.add(section);
}

StageQuestion Safe::question(const TaskRow& row, const StageRow& stage, double jitter, size_t index) {
  const Lane& lane = this->lane(index);
  StageQuestion question;
  question.demand = &lane.demand;
  question.cycles = &lane.cycles;
  question.end = row.first[at(stage.resource)];
  question.worst = stage.worst;
  question.siblings = stage.subtasks - 1;
  question.whole = stage.whole;
  question.sections = &row.blocking[index];
  // The task's own sections only matter where those of less urgent tasks are shorter.
  question.same_section = partial() ? 0 : left_of_section(stage);
  question.other_section = partial() ? 0 : longest_section(row, stage.resource, &stage);
  question.monotone = partial();
  question.spread = hosted() || enforced();
  question.jitter = jitter;
  question.period = static_cast<double>(row.task->period);
  if (stage.resource == Resource::cpu && has_cpus_) {  // then nobody is in its way
    question.end = 0;
    question.siblings = 0;
  }
  return question;
}

// The stage's end after the job's release, kForever if unbounded; fills waits_. What promises less is solved
// first, and the other one only as far as it can be better.
double Safe::finish(const TaskRow& row, const StageRow& stage, double ready, double jitter) {
  const double limit = static_cast<double>(kLimit * row.task->period);
  const double least = pipeline_.append(next_of(row, stage));
  StageWindow& window = windows_[at(stage.resource)];
  const double before = ready + stage.worst;
  double end = limit + 1;
  double alone = 0;
  questions_.clear();
  for (const size_t index : row.lanes[at(stage.resource)]) {
    questions_.push_back(question(row, stage, jitter, index));
    alone = std::max(alone, window.least(questions_.back()));
  }
  const bool pipeline_first = least < before + alone;
  double whole_job = kForever;  // by the pipeline, if that is less than what is known before
  const auto look_at_the_whole = [&] {
    const double found = pipeline_.end(end);
    if (found < end) end = whole_job = found;
  };
  if (pipeline_first) look_at_the_whole();
  waits_.clear();
  whatever_.clear();
  for (StageQuestion& question : questions_) {
    // On several elements what is found first may be above the end and yet be brought below it.
    question.limit = (partial() || lane(first_lane(stage.resource)).elements > 1 ? limit + 1 : end) - before;
    const StageAnswer answer = window.solve(question);
    waits_.push_back(answer.waiting);
    whatever_.push_back(answer.whatever);
  }
  const double waiting = last_of(waits_, row.taken[at(stage.resource)]);
  if (waiting < kForever) end = std::min(end, before + waiting);
  if (!pipeline_first) look_at_the_whole();
  if (end > limit) return kForever;
  note_wait(row, stage.worst, last_of(whatever_, row.taken[at(stage.resource)]), whole_job);
  return end;
}

// From the stage's becoming ready to the end of its last request; or `enough`. In a single lane of one
// element its wait may begin earlier, and then with nothing more urgent at work there.
double Safe::last_request(const TaskRow& row, const StageRow& stage, double enough) {
  auto lanes = lanes_of(row);
  auto& asked = lanes[at(stage.resource)];
  if (asked.shares.size() == 1 && asked.elements == 1) {
    const double own = partial() ? 0 : longest_section(row, stage.resource);
    asked.from_wait = true;
    asked.before = asked.end > 0 && own > asked.shares.front().sections->back() ? own : 0;
  }
  requests_.begin(lanes);
  requests_.append(next_of(row, stage));
  return requests_.end(enough);
}

double Safe::finish_requests(const TaskRow& row, const StageRow& stage, double ready) {
  const double limit = static_cast<double>(kLimit * row.task->period);
  pipeline_.append(next_of(row, stage));
  waits_.assign(row.lanes[at(stage.resource)].size(), kForever);
  const double whole_job = pipeline_.end(limit + 1);
  const double enough = (partial() ? limit + 1 : whole_job) - ready, alone = last_request(row, stage, enough);
  const double end = std::min(whole_job, ready + alone);
  if (end > limit) return kForever;
  const double time = stage.worst + stage.between;
  note_wait(row, time, alone < enough ? alone - time : kForever, whole_job <= limit ? whole_job : kForever);
  return end;
}

// After a stage of that time: how long the job has waited until its end, by what is known of the stage and of the whole
// job up to there.
void Safe::note_wait(const TaskRow& row, double time, double of_stage, double whole_job) {
  executed_ += time;
  waited_ = std::min(waited_ + of_stage, whole_job - std::min(executed_, row.work));
}

// The stage's end, as the job executes for no longer than was seen of whole jobs.
double Safe::bound_work(const TaskRow& row, double ready, double end) {
  if (end >= kForever || row.work >= executed_) return end;
  return std::min(end, std::max(ready, waited_ + row.work));
}

// How long the stage waits for its last subtask, if these are in the lanes with the shortest waits.
double Safe::last_of(const std::vector<double>& waits, size_t taken) {
  if (waits.size() == 1) return waits.front();
  sorted_ = waits;
  const auto last = sorted_.begin() + static_cast<std::ptrdiff_t>(taken) - 1;
  std::nth_element(sorted_.begin(), last, sorted_.end());
  return *last;
}

std::array<PipelineWindow::Lanes, 3> Safe::lanes_of(const TaskRow& row) {
  std::array<PipelineWindow::Lanes, 3> lanes;
  for (const Resource resource : kResources) {
    auto& shares = shares_[at(resource)];
    shares.clear();
    for (const size_t index : row.lanes[at(resource)])
      shares.push_back({&lane(index).demand, &lane(index).cycles, &row.blocking[index]});
    lanes[at(resource)] = {shares, row.taken[at(resource)], row.first[at(resource)],
                           lane(first_lane(resource)).elements};
  }
  lanes[at(Resource::cpu)].enough = has_cpus_;
  return lanes;
}

Time Safe::respond(TaskRow& row, bool detail) {
  has_cpus_ = has_cpus(row);
  pipeline_.begin(lanes_of(row), row.work);
  double ready = 0, earliest = 0;  // bounds on when the stage becomes ready after the release
  executed_ = waited_ = 0;
  for (StageRow& stage : row.stages) {
    const double jitter = ready < kForever ? std::max(0.0, ready - earliest) : kForever;
    double end = kForever;
    if (ready < kForever)
      end = bound_work(row, ready,
                       by_window(stage) ? finish_requests(row, stage, ready) : finish(row, stage, ready, jitter));
    if (tighter_) end = tighter_(row.index, static_cast<size_t>(&stage - row.stages.data()), end);
    set_demand(row, stage, ready, earliest, end);
    if (detail) explain(row, stage, ready, jitter, end);
    ready = end;
    earliest += stage.best;
  }
  set_budget(row);
  set_holds(row, ready, detail);
  return ready < kForever ? static_cast<Time>(ready) : kUnbounded;
}

// What less urgent tasks find in each lane. A subtask is over with its stage, or earlier. What a stage has
// left of its requests may begin whenever the stage is not over: like work that was carried in.
void Safe::set_demand(const TaskRow& row, const StageRow& stage, double ready, double earliest, double end) {
  const double jitter = ready < kForever ? std::max(0.0, ready - earliest) : kForever;
  if (stage.on_cpu) {
    // Sections of several lanes may execute at once: then any part of it may be the last thing to end.
    const double host = hosted() ? static_cast<double>(row.taken[at(stage.resource)]) * host_in_lane(stage) : 0;
    const double carry = end < kForever ? std::max(0.0, end - earliest - (hosted() ? 0 : stage.between)) : kForever;
    Demand& cpus = lane(first_lane(Resource::cpu)).demand;
    cpus.set(stage.between_row, stage.between + host, 1, carry, carry);
    set_threads(stage, stage.between, carry, carry);
  }
  const auto& lanes = row.lanes[at(stage.resource)];
  if (end_lane(stage.resource) - first_lane(stage.resource) > 1)
    for (size_t index = first_lane(stage.resource); index < end_lane(stage.resource); ++index)
      lane(index).demand.set(stage.row, 0, 1, 0, 0);
  if (!row.placed(stage.resource)) return;
  for (size_t n = 0; n < lanes.size(); ++n) {
    const double over = end < kForever ? std::min(end, ready + stage.worst + waits_[n]) : kForever;
    const double carry = over < kForever ? std::max(jitter, over - earliest - stage.worst) : kForever;
    const bool on_cpu = stage.resource == Resource::cpu;
    lane(lanes[n]).demand.set(stage.row, stage.worst, on_cpu ? 1 : stage.subtasks, stage.requests > 1 ? carry : jitter,
                              carry);
    if (on_cpu) set_threads(stage, stage.worst, jitter, carry);
  }
}

// Its threads on CPUs but the first.
void Safe::set_threads(const StageRow& stage, double work, double jitter, double carry) {
  Demand& cpus = lane(first_lane(Resource::cpu)).demand;
  for (size_t n = 0; n < stage.thread_rows.size(); ++n) {
    const bool executes = static_cast<double>(n) + 1 < stage.threads;
    cpus.set(stage.thread_rows[n], executes ? work : 0, 1, executes ? jitter : 0, executes ? carry : 0);
  }
}

// Where its CPU time is enforced rather than believed, less urgent tasks find all of it, and what is noticed too late
// on all CPUs, at any time of a period, and of the time by which jobs may seem early.
void Safe::set_budget(const TaskRow& row) {
  if (row.task->late == 0) return;
  Lane& cpus = lane(first_lane(Resource::cpu));
  double budget = cpus.elements * static_cast<double>(row.task->late);
  std::optional<size_t> taken;  // a row for all of it
  const auto take = [&](size_t from, double work) {
    budget += work;
    cpus.demand.set(from, 0, 1, 0, 0);
    if (!taken) taken = from;
  };
  for (const StageRow& stage : row.stages) {
    if (stage.resource == Resource::cpu) take(stage.row, stage.worst);
    const double in_sections =
        hosted() && stage.on_cpu ? static_cast<double>(row.taken[at(stage.resource)]) * host_in_lane(stage) : 0;
    if (stage.on_cpu) take(stage.between_row, stage.between + in_sections);
    for (size_t n = 0; n < stage.thread_rows.size(); ++n)
      take(stage.thread_rows[n], static_cast<double>(n) + 1 >= stage.threads ? 0
                                 : stage.resource == Resource::cpu           ? stage.worst
                                                                             : stage.between);
  }
  const double spread = static_cast<double>(row.task->period + row.task->tolerated() + row.task->late_lease);
  if (taken) cpus.demand.set(*taken, budget, 1, spread, spread);
}

// Sections that need CPUs wait for them, of all of a job that takes so long, no longer.
double Safe::waits_for_cpus(const TaskRow& row, double response) {
  if (has_cpus_) return 0;
  const Lane& cpus = lane(first_lane(Resource::cpu));
  const size_t end = row.first[at(Resource::cpu)];
  fresh_.resize(end + kBlock);
  growth_.resize(end + kBlock);
  executing(cpus.demand, end, response, 0, fresh_.data(), growth_.data());
  double work = 0, longest = 0;  // of the rows that lie together
  for (size_t n = 0; n < end; ++n) {
    if (n == cpus.demand.first[n]) longest = 0;
    work += fresh_[n] + std::max(0.0, growth_[n] - longest);
    longest = std::max(longest, growth_[n]);
  }
  for (const StageRow& stage : row.stages)
    if (stage.resource != Resource::cpu)
      work += (static_cast<double>(row.taken[at(stage.resource)]) - 1) * host_in_lane(stage);
  return std::floor(work / cpus.elements);
}

// For how long a job can have each of its links and GPUs. Where that is enforced rather than believed, less urgent
// tasks find all of it, and what is noticed too late, at any time of the job.
void Safe::set_holds(TaskRow& row, double response, bool detail) {
  if (!set().platform.bound || (row.task->late == 0 && !detail)) return;
  std::optional<double> for_cpus;
  for (const Resource resource : {Resource::link, Resource::gpu}) {
    double worst = 0;
    bool computes = false;
    const StageRow* first = nullptr;
    for (const StageRow& stage : row.stages) {
      if (stage.resource != resource) continue;
      if (!first) first = &stage;
      worst += stage.worst;
      computes = computes || stage.host > 0;
    }
    if (!first) continue;
    if (response >= kForever) {
      row.holds[at(resource)] = kUnbounded;
    } else {
      if (computes && !for_cpus) for_cpus = waits_for_cpus(row, response);
      row.holds[at(resource)] = static_cast<Time>(std::min(response, worst + (computes ? *for_cpus : 0)));
    }
    if (row.task->late == 0 || !row.placed(resource)) continue;
    const double late = static_cast<double>(row.task->late_lease), period = static_cast<double>(row.task->period);
    const double work = response >= kForever ? worst : static_cast<double>(row.holds[at(resource)]) + late;
    const double early = static_cast<double>(row.task->tolerated());
    const double spread = response + late + early;
    const double jitter = response >= kForever ? kForever : partial() ? early : work <= period ? spread - work : spread;
    for (const size_t index : row.lanes[at(resource)]) {
      for (const StageRow& stage : row.stages)
        if (stage.resource == resource) lane(index).demand.set(stage.row, 0, 1, 0, 0);
      lane(index).demand.set(first->row, work, 1, jitter, jitter);
      lane(index).demand.span[first->row] = response + late;
    }
  }
}

// All sections that the requests may find, at most; the device is the one with the longest.
void Safe::explain_requests(const TaskRow& row, StageRow& stage, double ready, double jitter, double end) {
  const double response = end < kForever ? end - ready : kForever;
  const double waiting = std::max(0.0, response - stage.worst - stage.between);
  double most = 0;
  size_t where = row.lanes[at(stage.resource)].front();
  for (const size_t index : row.lanes[at(stage.resource)]) {
    const auto& sections = row.blocking[index];
    const double held = std::ceil(stage.requests * std::accumulate(sections.begin(), sections.end(), 0.0) /
                                  static_cast<double>(sections.size()));
    if (held <= most) continue;
    most = held;
    where = index;
  }
  const double blocking = std::min(most, waiting);
  stage.bound = stage_bound(response, waiting - blocking, blocking, jitter, end);
  if (set().platform.bound) stage.bound.device = static_cast<int>(where - first_lane(stage.resource));
}

// What the stage takes, looked at alone, in the lane where that is most; no less than what its end says.
void Safe::explain(const TaskRow& row, StageRow& stage, double ready, double jitter, double end) {
  if (by_window(stage)) return explain_requests(row, stage, ready, jitter, end);
  StageAnswer longest;
  longest.waiting = -1;
  size_t where = 0;
  for (const size_t index : row.lanes[at(stage.resource)]) {
    StageQuestion alone = question(row, stage, jitter, index);
    alone.limit = static_cast<double>(kLimit * row.task->period);
    const StageAnswer answer = end < kForever ? windows_[at(stage.resource)].solve(alone) : StageAnswer();
    if (answer.waiting <= longest.waiting) continue;
    longest = answer;
    where = index;
  }
  const double least = end - ready - stage.worst;
  const double waiting = end < kForever ? std::max(least, longest.bounded() ? longest.waiting : 0) : kForever;
  const double blocking = std::min(longest.blocking, waiting);
  stage.bound =
      stage_bound(waiting < kForever ? waiting + stage.worst : kForever, waiting - blocking, blocking, jitter, end);
  if (set().platform.bound && stage.resource != Resource::cpu)
    stage.bound.device = static_cast<int>(where - first_lane(stage.resource));
}

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_safe(const TaskSet& set, PriorityOrder order, Tighter tighter) {
  return std::make_unique<Safe>(set, std::move(order), std::move(tighter));
}

}  // namespace samcl::analysis
