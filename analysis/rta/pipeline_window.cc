#include "analysis/rta/pipeline_window.h"

#include <cmath>
#include <numeric>

namespace samcl::analysis {

void PipelineWindow::begin(const std::array<Share, 3>& shares) {
  for (size_t i = 0; i < shares.size(); ++i) used_[i] = Used{shares[i], false, 0, 0};
  executed_ = window_ = 0;
}

// On one resource: all work that comes in the window, and one stage per task that was at work before.
double PipelineWindow::waiting(const Used& used, double window) {
  const Demand& demand = *used.share.demand;
  const size_t end = used.share.end;
  const Arrivals arrivals = arriving(demand, end, window, growth_.data());
  double sum = arrivals.work + used.constant + arrivals.stages * used.per_arrival;
  for (size_t i = 0; i < end;) {
    const size_t first = i;
    double most = 0;
    for (; i < end && demand.task[i] == demand.task[first]; ++i) most = std::max(most, growth_[i]);
    sum += most * demand.copies[first];
  }
  return sum >= kExact ? kForever : std::floor(sum / used.share.elements);
}

double PipelineWindow::waiting(double window) {
  double sum = 0;
  for (const Used& used : used_)
    if (used.used) sum += waiting(used, window);
  return sum;
}

double PipelineWindow::append(Resource resource, double worst, double siblings, bool whole, double enough) {
  Used& used = used_[static_cast<size_t>(resource)];
  const auto& sections = *used.share.sections;
  used.used = true;
  used.constant += siblings * worst + std::accumulate(sections.begin(), sections.end(), 0.0);
  if (!whole) used.per_arrival = std::accumulate(sections.begin(), sections.end() - 1, 0.0);
  const double before = executed_;
  executed_ += worst;
  // The window ends with the stage, or with the start of its last subtask.
  const double beyond = whole ? 1 : 0, rest = whole ? worst : 0;
  const double constant = whole ? before : executed_;
  double window = whole ? window_ : window_ + worst;
  while (window + rest < enough) {
    const double next = constant + waiting(window + beyond);
    if (next <= window) break;
    window = next;
  }
  window_ = std::min(window + rest, enough);
  return window_;
}

}  // namespace samcl::analysis
