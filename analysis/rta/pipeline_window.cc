#include "analysis/rta/pipeline_window.h"

#include <numeric>

namespace samcl::analysis {

void PipelineWindow::begin(const std::array<Share, 3>& shares) {
  for (size_t i = 0; i < shares.size(); ++i) {
    Used& used = used_[i];
    used.share = shares[i];
    used.per_element = 1 / shares[i].elements;
    used.used = false;
    used.per_arrival = used.as_work = used.as_time = 0;
  }
  executed_ = window_ = beyond_ = rest_ = constant_ = 0;
}

// Below the least fixed point of window = constant + waiting(window + beyond), from the lines below all
// arrivals, for either view of what has two. Rounding is allowed for.
double PipelineWindow::begin(double constant, double beyond) const {
  double work_base = constant - 1, work_slope = 0, time_base = work_base, time_slope = 0;
  for (const Used& used : used_) {
    if (!used.used) continue;
    const Line& line = used.share.demand->below[used.share.end];
    const double slope = line.slope + line.arrivals_slope * used.per_arrival;
    const double base = line.base + line.arrivals_base * used.per_arrival + slope * beyond;
    const double as_work = (base + used.as_work) * used.per_element - 1;
    work_base += as_work;
    work_slope += slope * used.per_element;
    const bool choice = used.left != used.share.elements;
    time_base += choice ? base / used.left + used.as_time - 1 : as_work;
    time_slope += choice ? slope / used.left : slope * used.per_element;
  }
  const double by_work = work_slope >= 1 ? kForever : work_base / (1 - work_slope);
  const double by_time = time_slope >= 1 ? kForever : time_base / (1 - time_slope);
  const double least = std::min(by_work, by_time) * (1 - 1e-6);
  return least >= kExact ? kForever : least > 0 ? whole(least) : 0;
}

// On each resource all work that comes in the window, and one stage per task that was at work before.
double PipelineWindow::waiting(double window) {
  double sum = 0;
  for (Used& used : used_) {
    if (!used.used) continue;
    used.steps.advance(window);
    const double work = used.steps.work() + used.steps.growth() + used.steps.stages() * used.per_arrival;
    if (work + used.as_work >= kExact) return kForever;
    sum +=
        std::min(whole((work + used.as_work) / used.share.elements), whole(work / used.left) + used.as_time);
  }
  return sum;
}

double PipelineWindow::append(Resource resource, double worst, double siblings, bool whole) {
  Used& used = used_[static_cast<size_t>(resource)];
  const auto& sections = *used.share.sections;
  if (!used.used)
    used.steps.begin(*used.share.cycles, used.share.cycles->tasks_before(used.share.end),
                     window_ + rest_ + 1);
  used.used = true;
  const double held = std::accumulate(sections.begin(), sections.end(), 0.0);
  used.left = used.share.elements - siblings;
  used.as_work += siblings * worst + held;
  used.as_time += sections.front();
  if (!whole) used.per_arrival = std::accumulate(sections.begin(), sections.end() - 1, 0.0);
  window_ += rest_;
  constant_ = whole ? executed_ : executed_ + worst;
  executed_ += worst;
  beyond_ = whole ? 1 : 0;
  rest_ = whole ? worst : 0;
  const double least = begin(constant_, beyond_);
  if (least >= kForever) return kForever;
  window_ = std::max(whole ? window_ : window_ + worst, least);
  return window_ + rest_;
}

double PipelineWindow::end(double enough) {
  while (window_ + rest_ < enough) {
    const double next = constant_ + waiting(window_ + beyond_);
    if (next <= window_) return window_ + rest_;
    if (next >= kForever) return enough;
    window_ = next;
  }
  return enough;
}

}  // namespace samcl::analysis
