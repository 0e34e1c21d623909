#include "analysis/rta/pipeline_window.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/rta/block.h"

namespace samcl::analysis {

void PipelineWindow::begin(const std::array<Lanes, 3>& lanes, double work) {
  work_ = work;
  for (size_t i = 0; i < lanes.size(); ++i) {
    Used& used = used_[i];
    used.lanes = lanes[i];
    used.left = lanes[i].elements;
    used.per_element = 1 / lanes[i].elements;
    used.stages = 0;
    used.per_arrival = used.as_work = used.as_time = 0;
  }
  executed_ = window_ = beyond_ = rest_ = constant_ = 0;
}

const Line& PipelineWindow::below(const Lanes& lanes, size_t lane) {
  const Cycles& cycles = *lanes.shares[lane].cycles;
  return cycles.below(cycles.tasks_before(lanes.end));
}

// Below the work in those lanes that count: in any one of them.
Line PipelineWindow::below_several(const Used& used) {
  const Lanes& lanes = used.lanes;
  return lanes.taken < lanes.shares.size() ? Line() : below(lanes, 0);
}

// Below the least fixed point of window = constant + waiting(window + beyond), from the lines below all
// arrivals, for either view of each resource that has two. Rounding is allowed for.
template <typename Base>
double PipelineWindow::begin(double constant, double beyond, Base base_of) const {
  struct Sum {
    double base = 0, slope = 0;
    double least() const { return slope >= 1 ? kForever : base / (1 - slope); }
    Sum operator+(const Sum& other) const { return {base + other.base, slope + other.slope}; }
  };
  std::array<Sum, 8> views = {Sum{constant - 1, 0}};
  size_t count = 1;
  for (const Used& used : used_) {
    if (used.stages == 0) continue;
    const Lanes& lanes = used.lanes;
    const Line line = lanes.shares.size() == 1 ? below(lanes, 0) : below_several(used);
    const double slope = line.slope + line.arrivals_slope * used.per_arrival;
    const double base = base_of(line, lanes) + line.arrivals_base * used.per_arrival + slope * beyond;
    const bool choice = used.left > 0 && used.left != lanes.elements;
    for (size_t n = 0; n < count; ++n) {
      if (choice) views[count + n] = views[n] + Sum{base / used.left + used.as_time - 1, slope / used.left};
      views[n] = views[n] + Sum{(base + used.as_work) * used.per_element - 1, slope * used.per_element};
    }
    if (choice) count *= 2;
  }
  double least = kForever;
  for (size_t n = 0; n < count; ++n) least = std::min(least, views[n].least());
  least *= 1 - 1e-6;
  return least >= kExact ? kForever : least > 0 ? whole(least) : 0;
}

// A stage waits in one lane for its last subtask: of several lanes those with most work count, one per stage
// (of the lanes taken; where these are not known, of those with least work).
double PipelineWindow::work_of_several(Used& used, double window) {
  const size_t count = used.lanes.shares.size(), taken = used.lanes.taken;
  for (size_t n = 0; n < count; ++n) {
    used.steps[n].advance(window);
    used.works[n] = used.steps[n].work() + used.steps[n].growth();
  }
  const auto at = [&](size_t n) { return used.works.begin() + static_cast<std::ptrdiff_t>(n); };
  std::sort(at(0), at(count));
  const double lane_by_lane = std::accumulate(at(taken - std::min(used.stages, taken)), at(taken), 0.0);
  if (used.stages < 2 || taken < 2) return lane_by_lane;
  // Which lanes these are decides what can be in the way in more than one; it is no less than what is in any.
  if (taken < count) return used.works[taken - 1];
  return std::min(lane_by_lane, work_of_shared(used, window));
}

// What the lanes' rows tell of more urgent stages together.
void PipelineWindow::find_shared(Used& used) {
  const Lanes& lanes = used.lanes;
  const Demand& first = *lanes.shares.front().demand;
  used.shared.clear();
  for (size_t row = 0; row < lanes.end; ++row) {
    Used::Shared stage{first.period[row], first.rate[row]};
    for (const Share& share : lanes.shares) {
      const Demand& demand = *share.demand;
      if (demand.work[row] == 0) continue;
      ++stage.lanes;
      stage.cost = std::max(stage.cost, demand.cost[row]);
      stage.jitter = std::max(stage.jitter, demand.jitter[row]);
      stage.carry = std::max(stage.carry, demand.carry[row]);
      stage.span = std::max(stage.span, demand.span[row]);
    }
    if (stage.lanes > 0) used.shared.push_back(stage);
    if (row + 1 == first.end[row] && !used.shared.empty()) used.shared.back().ends_task = true;
  }
}

// One job of a more urgent stage delays the job for C in all lanes together: while it is in its way in one, the others
// work off what they have of it. Only where lanes are had in any order and at any time is it C in each.
double PipelineWindow::work_of_shared(const Used& used, double window) {
  const size_t most = std::min(used.stages, used.lanes.taken);
  double sum = 0, growth = 0;
  for (const Used::Shared& stage : used.shared) {
    if (stage.carry >= kForever) return kForever;
    const double everywhere = static_cast<double>(std::min(most, stage.lanes)) * stage.cost;
    const double of_job = std::max(stage.cost, std::min(everywhere, stage.span));
    const double fresh = times(stage.jitter + window, stage.period, stage.rate);
    const double carried = times(stage.carry + window, stage.period, stage.rate);
    sum += fresh * of_job;
    growth = std::max(growth, (carried - fresh) * of_job);
    if (stage.ends_task) sum += std::exchange(growth, 0);
  }
  return sum;
}

// All work that comes in the window, and one stage per task that was at work before.
inline double PipelineWindow::work(Used& used, double window) {
  if (used.lanes.shares.size() > 1) return work_of_several(used, window);
  Steps& steps = used.steps.front();
  steps.advance(window + used.lanes.before);
  return steps.work() + (used.lanes.from_wait ? 0 : steps.growth()) + steps.arrivals() * used.per_arrival;
}

double PipelineWindow::waiting(double window) {
  double sum = 0;
  for (Used& used : used_) {
    if (used.stages == 0) continue;
    const double work = this->work(used, window);
    if (work + used.as_work >= kExact) return kForever;
    const double as_work = whole((work + used.as_work) / used.lanes.elements);
    sum += used.left > 0 ? std::min(as_work, whole(work / used.left) + used.as_time) : as_work;
  }
  return sum;
}

// The longest section that a stage's last subtask can find at its begin.
double PipelineWindow::section(Used& used) {
  const auto& shares = used.lanes.shares;
  if (shares.size() == 1) return shares.front().sections->front();
  for (size_t n = 0; n < shares.size(); ++n) used.works[n] = shares[n].sections->front();
  const auto first = used.works.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(used.lanes.taken) - 1;
  std::nth_element(first, last, first + static_cast<std::ptrdiff_t>(shares.size()));
  return *last;
}

// Stages wait for this resource too from now on.
void PipelineWindow::use(Used& used, double requests) {
  const Lanes& lanes = used.lanes;
  if (lanes.enough) return;
  if (used.stages == 0)
    for (size_t n = 0; n < lanes.shares.size(); ++n) {
      const Cycles& cycles = *lanes.shares[n].cycles;
      used.steps[n].begin(cycles, cycles.tasks_before(lanes.end), window_ + rest_ + 1);
    }
  if (used.stages == 0 && lanes.shares.size() > 1 && lanes.taken == lanes.shares.size()) find_shared(used);
  used.stages += static_cast<size_t>(requests);
}

// A stage's other subtasks, each of that work, are in its way.
void PipelineWindow::add_siblings(Used& used, double siblings, double work) {
  used.left = std::max(0.0, std::min(used.left, used.lanes.elements - siblings));
  used.as_work += siblings * work;
}

double PipelineWindow::append(const Next& next) {
  const auto& [resource, worst, siblings, whole, requests, between, threads, hosted, lent] = next;
  Used& used = used_[static_cast<size_t>(resource)];
  use(used, requests);
  Used& cpus = used_[static_cast<size_t>(Resource::cpu)];
  if (between > 0 || hosted) use(cpus, 1);
  const auto& sections = *used.lanes.shares.front().sections;
  const double longest = section(used);
  add_siblings(used, siblings, worst);
  if (between > 0) add_siblings(cpus, threads, between);
  used.as_work += requests * std::accumulate(sections.begin() + 1, sections.end(), longest);
  used.as_time += requests * longest;
  cpus.as_work += lent;
  cpus.as_time += lent;
  if (!whole) used.per_arrival = std::accumulate(sections.begin(), sections.end() - 1, 0.0);
  // Up to the start of the last subtask; of several requests' last ones nothing is known, and one that needs a CPU
  // may wait after its start.
  const bool to_start = whole && requests == 1 && !hosted;
  const double time = std::min(worst + between, work_ - executed_);
  window_ += rest_;
  constant_ = to_start ? executed_ : executed_ + time;
  executed_ += time;
  beyond_ = to_start ? 1 : 0;
  rest_ = to_start ? time : 0;
  const double least = begin(constant_, beyond_, [](const Line& line, const Lanes&) { return line.stage_base; });
  if (least >= kForever) return kForever;
  window_ = std::max(to_start ? window_ : window_ + time, least);
  const double told = window_ + rest_;
  window_ = std::max(window_, begin(constant_, beyond_, [](const Line& line, const Lanes& lanes) {
                       return lanes.from_wait ? line.base : line.grown_base;
                     }));
  return told;
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
