// What GPU-SAM's and GPU-SPARC's printed equations have in common: stage by stage a fixed point
// r = C + I(r) + B, R = sum of r, J_ij = sum_{q<j} r_iq - sum_{q<j} C_iq.
#pragma once

#include "analysis/rta/core.h"
#include "analysis/rta/steps.h"

namespace samcl::analysis {

class Published : public ResponseTimeAnalysis::Core {
 public:
  Published(const TaskSet& set, PriorityOrder order, std::vector<int> modes);

 protected:
  Time respond(TaskRow& row, bool detail) override;
  bool proves() const override { return false; }
  void sections(const TaskRow& row, Resource resource, Longest& longest) const override;

  // Quotients of integers: ceil in GPU-SAM, floor in GPU-SPARC.
  virtual double divide(double numerator, double denominator) const = 0;
  // alpha times subtasks: what one job of the stage adds to X.
  virtual double load(const TaskRow& row, size_t stage) const = 0;
  // Y: the stage's own other subtasks.
  virtual double own(const StageRow& stage) const = 0;

 private:
  void respond_on(const TaskRow& row, Resource resource);
  double blocking(const TaskRow& row, Resource resource);
  double fixed_point(const TaskRow& row, const StageRow& stage, double blocking, double least);

  Steps steps_;
  std::vector<double> responses_;  // [stage] of the task at hand: r, each looked at alone
  std::vector<size_t> ascending_;  // its stages on one resource, by C
};

}  // namespace samcl::analysis
