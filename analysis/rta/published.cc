// GPU-SAM and GPU-SPARC as printed. Stage by stage a fixed point r = C + I(r) + B, R = sum of r,
// J_ij = sum_{q<j} r_iq - sum_{q<j} C_iq.
//
// GPU-SAM (Han et al., JSS 117 (2016)):
//   r = C_ij + I + B, I = ceil(X / N) on CPU and PCI, ceil((X + Y) / N) on GPU, B = ceil(Z / N)
// GPU-SPARC, in two modes, one GPU (1) and all of them (M_G):
//   w = C_ij + B + floor(sum_k sum_p ceil((J_kp + w) / T_k) * alpha / m)
// where a more urgent task's GPU stage counts with its single-GPU time, whatever its mode.
#include <algorithm>
#include <numeric>

#include "analysis/rta/core.h"
#include "analysis/rta/steps.h"

namespace samcl::analysis {
namespace {

class Published : public ResponseTimeAnalysis::Core {
 public:
  Published(const TaskSet& set, Form form, PriorityOrder order)
      : Core(set, std::move(order), modes_of(set.platform, form)),
        is_sparc_(form == Form::gpu_sparc),
        steps_(set.tasks.size()) {}

 protected:
  Time respond(TaskRow& row, bool detail) override {
    responses_.resize(row.stages.size());
    for (const Resource resource : kResources)
      if (row.uses[static_cast<size_t>(resource)]) respond_on(row, resource);
    double response = 0, execution = 0;
    for (size_t j = 0; j < row.stages.size(); ++j) {
      StageRow& stage = row.stages[j];
      const double jitter = response < kForever ? response - execution : kForever;
      lane(first_lane(stage.resource)).demand.set(stage.row, load(row, j), 1, jitter, jitter);
      const double r = response < kForever ? responses_[j] : kForever;
      response = r < kForever ? response + r : kForever;
      execution += stage.worst;
      if (!detail) continue;
      const double blocking = this->blocking(row, stage.resource);
      stage.bound = stage_bound(r, r - stage.worst - blocking, blocking, jitter, response);
    }
    return response > static_cast<double>(kLimit * row.task->period) ? kUnbounded : static_cast<Time>(response);
  }

  bool proves() const override { return false; }
  // Z: of the subtasks of less urgent tasks on the resource, the N largest.
  void sections(const TaskRow& row, Resource resource, Longest& longest) const override {
    if (resource == Resource::cpu) return;
    for (const StageRow& stage : row.stages)
      if (stage.resource == resource)
        for (auto left = static_cast<int64_t>(stage.subtasks); left > 0; --left) longest.add(stage.worst - 1);
  }

 private:
  // Quotients of integers.
  double divide(double numerator, double denominator) const {
    return is_sparc_ ? whole(numerator / denominator) : whole_above(numerator / denominator);
  }
  // alpha times subtasks: what one job of the stage adds to X.
  double load(const TaskRow& row, size_t j) const {
    const StageRow& stage = row.stages[j];
    if (!is_sparc_) return stage.worst * stage.subtasks;
    return stage.resource == Resource::gpu ? static_cast<double>(row.task->stages[j].worst_in(1)) : stage.worst;
  }
  // Y: the stage's own other subtasks.
  double own(const StageRow& stage) const { return is_sparc_ ? 0 : stage.worst * (stage.subtasks - 1); }

  // r grows with C, and does not depend on the task's other stages: shorter stages first, each goes on where
  // the one before has come to.
  void respond_on(const TaskRow& row, Resource resource) {
    ascending_.clear();
    for (size_t j = 0; j < row.stages.size(); ++j) {
      if (row.stages[j].resource != resource) continue;
      size_t n = ascending_.size();
      ascending_.push_back(j);
      for (; n > 0 && row.stages[ascending_[n - 1]].worst > row.stages[j].worst; --n) ascending_[n] = ascending_[n - 1];
      ascending_[n] = j;
    }
    const double blocking = this->blocking(row, resource);
    double least = 0;
    for (const size_t j : ascending_) {
      least = least < kForever ? fixed_point(row, row.stages[j], blocking, least) : kForever;
      responses_[j] = least;
    }
  }

  double blocking(const TaskRow& row, Resource resource) {
    const auto& longest = row.blocking[first_lane(resource)];
    return divide(std::accumulate(longest.begin(), longest.end(), 0.0), lane(first_lane(resource)).elements);
  }

  // r, or kForever if there is none below the limit. `least`: of a stage of no greater C, 0 if it is the first.
  double fixed_point(const TaskRow& row, const StageRow& stage, double blocking, double least) {
    const Lane& lane = this->lane(first_lane(stage.resource));
    const size_t tasks = lane.cycles.tasks_before(row.first[static_cast<size_t>(stage.resource)]);
    const double count = lane.elements;
    const double limit = static_cast<double>(kLimit * row.task->period);
    const double constant = stage.worst + blocking;
    const Line& line = lane.cycles.below(tasks);
    if (line.slope >= count) return kForever;
    // Every fixed point is above the line's; two less for the division's rounding down, and a millionth for
    // that of the line.
    const double start = (constant + line.base / count) / (1 - line.slope / count) * (1 - 1e-6) - 2;
    if (start > limit) return kForever;
    double r = std::max({constant, start > 0 ? whole(start) : 0, least});
    if (r > limit) return kForever;
    if (least == 0)
      steps_.begin(lane.cycles, tasks, r);
    else
      steps_.advance(r);
    while (true) {
      const double x = steps_.work() + own(stage);
      if (x >= kExact) return kForever;
      const double next = constant + divide(x, count);
      if (next <= r) return r;
      if (next > limit) return kForever;
      r = next;
      steps_.advance(r);
    }
  }

  const bool is_sparc_;
  Steps steps_;
  std::vector<double> responses_;  // [stage] of the task at hand: r, each looked at alone
  std::vector<size_t> ascending_;  // its stages on one resource, by C
};

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_published(const TaskSet& set, Form form, PriorityOrder order) {
  return std::make_unique<Published>(set, form, std::move(order));
}

}  // namespace samcl::analysis
