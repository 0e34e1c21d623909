#include "analysis/rta/stage_window.h"

#include <cmath>

namespace samcl::analysis {
namespace {

// From window to window of the waiting time: up to the start at the earliest, or up to the end.
double beyond(const StageQuestion& question) {
  return question.whole ? 1 : question.worst;
}

}  // namespace

// Below the least fixed point of ascend(): from the line below all arrivals. Rounding is allowed for.
double StageWindow::begin(const StageQuestion& question) const {
  Line line = below(*question.demand, question.end);
  if (per_arrival_ > 0) {
    const Line stages = stages_below(*question.demand, question.end);
    line.base += stages.base * per_arrival_;
    line.slope += stages.slope * per_arrival_;
  }
  if (line.slope >= count_) return kForever;
  const double constant = line.base + line.slope * (beyond(question) + before_) +
                          question.siblings * question.worst + question.sections->front() - count_;
  return std::max(0.0, std::floor(constant / (count_ - line.slope) * (1 - 1e-6)) - 1);
}

// Work that can keep the stage waiting, in a window with this much waiting.
double StageWindow::work(const StageQuestion& question, double waiting) {
  const Demand& demand = *question.demand;
  const double window = waiting + beyond(question) + before_;
  const double constant = question.siblings * question.worst;
  if (count_ == 1) {
    blocking_ = question.sections->front();
    return arriving(demand, question.end, window) + constant + blocking_;
  }
  const Arrivals arrivals = arriving(demand, question.end, window, growth_.data());
  occupants_.clear();
  for (size_t i = 0; i < question.end;) {
    const size_t first = i;
    double most = 0;
    for (; i < question.end && demand.task[i] == demand.task[first]; ++i) most = std::max(most, growth_[i]);
    if (most > 0) occupants_.carry(most, demand.copies[first]);
  }
  occupants_.choose(*question.sections);
  blocking_ = arrivals.stages * per_arrival_;
  return arrivals.work + constant + occupants_.sum() + blocking_;
}

// Least waiting Q with Q = floor(work(Q) / N); any Q with N (Q + 1) > work(Q) is a bound.
double StageWindow::ascend(const StageQuestion& question) {
  double waiting = begin(question);
  while (waiting <= question.limit) {
    const double sum = work(question, waiting);
    if (sum >= kExact) return kForever;
    const double next = std::floor(sum / count_);
    if (next <= waiting) return waiting;
    waiting = next;
  }
  return kForever;
}

// Work counts only as far as it fits into the window, a task's only on as many elements as it has
// subtasks. Every step goes from a bound to a lower one: Newton on the concave side.
double StageWindow::descend(const StageQuestion& question, double waiting) {
  const Demand& demand = *question.demand;
  for (int step = 0; step < 8 && waiting > 0; ++step) {
    const double most = waiting + 1;  // work on one element while waiting, if it waited longer
    const double stages =
        executing(demand, question.end, waiting + beyond(question), before_, fresh_.data(), growth_.data());
    double sum = stages * per_arrival_, elements = 0;
    occupants_.clear();
    for (size_t i = 0; i < question.end;) {
      const size_t first = i;
      double growth = 0, fresh = 0;
      for (; i < question.end && demand.task[i] == demand.task[first]; ++i) {
        fresh += fresh_[i];
        growth = std::max(growth, growth_[i]);
      }
      if (fresh >= most) {
        elements += demand.copies[first];
        continue;
      }
      sum += fresh * demand.copies[first];
      if (growth > 0) occupants_.carry(growth, demand.copies[first]);
    }
    (question.worst >= most ? elements : sum) +=
        question.siblings * (question.worst >= most ? 1 : question.worst);
    occupants_.choose(*question.sections);
    for (const double time : occupants_.times()) (time >= most ? elements : sum) += time >= most ? 1 : time;
    if (elements >= count_) break;
    const double next = std::floor(sum / (count_ - elements));
    if (next >= waiting) break;
    waiting = next;
    blocking_ = stages * per_arrival_;
  }
  return waiting;
}

StageAnswer StageWindow::solve(const StageQuestion& question) {
  const auto& sections = *question.sections;
  before_ = question.end > 0 && question.own_section > sections.back() ? question.own_section : 0;
  per_arrival_ = 0;
  if (!question.whole)
    for (size_t i = 0; i + 1 < sections.size(); ++i) per_arrival_ += sections[i];
  StageAnswer answer;
  double waiting = ascend(question);
  if (waiting >= kForever) return answer;
  if (count_ > 1) waiting = descend(question, waiting);
  answer.waiting = waiting;
  const double held = count_ == 1 ? sections.front() : std::accumulate(sections.begin(), sections.end(), 0.0);
  answer.blocking = std::min(waiting, std::ceil((held + (count_ == 1 ? 0 : blocking_)) / count_));
  return answer;
}

}  // namespace samcl::analysis
