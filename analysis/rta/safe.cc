// The safe form. Until it stands: no bound at all, which is safe.
#include "analysis/rta/core.h"

namespace samcl::analysis {
namespace {

class Safe : public ResponseTimeAnalysis::Core {
 public:
  using Core::Core;

 protected:
  Time respond(TaskRow&) override { return kUnbounded; }
  bool proves() const override { return true; }
  void sections(const TaskRow&, Resource, Longest&) const override {}
};

}  // namespace

std::unique_ptr<ResponseTimeAnalysis::Core> make_safe(const TaskSet& set, PriorityOrder order) {
  return std::make_unique<Safe>(set, std::move(order));
}

}  // namespace samcl::analysis
