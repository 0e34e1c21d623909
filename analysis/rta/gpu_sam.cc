// GPU-SAM as printed: Han et al., JSS 117 (2016).
//   r = C_ij + I + B, I = ceil(X / N) on CPU and PCI, ceil((X + Y) / N) on GPU, B = ceil(Z / N)
#include "analysis/rta/published.h"

namespace samcl::analysis {
namespace {

class GpuSam : public Published {
 public:
  using Published::Published;

 protected:
  double divide(double numerator, double denominator) const override { return whole_above(numerator / denominator); }
  double load(const TaskRow& row, size_t stage) const override {
    return row.stages[stage].worst * row.stages[stage].subtasks;
  }
  double own(const StageRow& stage) const override { return stage.worst * (stage.subtasks - 1); }
};

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_gpu_sam(const TaskSet& set, PriorityOrder order) {
  return std::make_unique<GpuSam>(set, std::move(order), modes_of(set.platform, Form::gpu_sam));
}

}  // namespace samcl::analysis
