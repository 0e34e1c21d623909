#include "analysis/rta/pipeline_window.h"

#include <cmath>
#include <numeric>

namespace samcl::analysis {

void PipelineWindow::begin(const std::array<Share, 3>& shares) {
  for (size_t i = 0; i < shares.size(); ++i) {
    Used& used = used_[i];
    used.share = shares[i];
    used.used = false;
    used.per_arrival = used.as_work = used.as_time = 0;
  }
  executed_ = window_ = beyond_ = rest_ = constant_ = 0;
}

// Below the least fixed point of window = constant + waiting(window + beyond), from the lines below all
// arrivals. Rounding is allowed for.
double PipelineWindow::begin(double constant, double beyond) const {
  return std::min(begin(constant, beyond, true), begin(constant, beyond, false));
}

double PipelineWindow::begin(double constant, double beyond, bool as_work) const {
  double base = constant - 1, slope = 0;
  for (const Used& used : used_) {
    if (!used.used) continue;
    const Line& line = used.share.demand->below[used.share.end];
    const bool shared = as_work || used.left == used.share.elements;
    const double elements = shared ? used.share.elements : used.left;
    const double share = (line.slope + line.arrivals_slope * used.per_arrival) / elements;
    base += (line.base + line.arrivals_base * used.per_arrival) / elements - 1 + share * beyond;
    base += shared ? used.as_work / elements : used.as_time;
    slope += share;
  }
  return slope >= 1 ? kForever : std::floor(base / (1 - slope) * (1 - 1e-6));
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
