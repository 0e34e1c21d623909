// GPU-SPARC as printed: two modes, one GPU (1) and all of them (M_G).
//   w = C_ij + B + floor(sum_k sum_p ceil((J_kp + w) / T_k) * alpha / m)
// where a more urgent task's GPU stage counts with its single-GPU time, whatever its mode.
#include "analysis/rta/published.h"

namespace samcl::analysis {
namespace {

class GpuSparc : public Published {
 public:
  using Published::Published;

 protected:
  double divide(double numerator, double denominator) const override { return whole(numerator / denominator); }
  double load(const TaskRow& row, size_t stage) const override {
    const bool gpu = row.stages[stage].resource == Resource::gpu;
    return gpu ? static_cast<double>(row.task->stages[stage].worst_in(1)) : row.stages[stage].worst;
  }
  double own(const StageRow&) const override { return 0; }
};

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_gpu_sparc(const TaskSet& set, PriorityOrder order) {
  return std::make_unique<GpuSparc>(set, std::move(order), modes_of(set.platform, Form::gpu_sparc));
}

}  // namespace samcl::analysis
