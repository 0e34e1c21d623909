#include "analysis/rta/stage_window.h"

#include <cmath>

namespace samcl::analysis {
namespace {

// The window reaches this far beyond the waiting: up to the start at the earliest, or up to the end.
double beyond(const StageQuestion& question) { return question.whole ? 1 : question.worst; }

// Sections of less urgent tasks that one more urgent arrival can let in: lemma 2.
double let_in(const StageQuestion& question) {
  return question.whole ? 0 : std::accumulate(question.sections->begin(), question.sections->end() - 1, 0.0);
}

}  // namespace

// Below the least fixed point of ascend(): from the line below all arrivals. Rounding is allowed for.
double StageWindow::begin(const StageQuestion& question, double elements, double Line::* base) const {
  const Line& line = question.cycles->below(question.cycles->tasks_before(question.end));
  const double slope = line.slope + line.arrivals_slope * per_arrival_;
  if (slope >= elements) return kForever;
  const double constant = line.*base + line.arrivals_base * per_arrival_ + slope * (beyond(question) + before_) +
                          question.siblings * question.worst + question.sections->front() - elements;
  const double least = constant / (elements - slope) * (1 - 1e-6);
  if (least >= kExact) return kForever;
  return least > 1 ? whole(least) - 1 : 0;
}

// Work that can keep the stage waiting, in the window at hand.
double StageWindow::work(const StageQuestion& question) {
  const double constant = steps_.work() + question.siblings * question.worst;
  arrivals_ = steps_.arrivals();
  if (count_ == 1) return constant + question.sections->front();
  occupants_.clear();
  if (steps_.growth() > 0) {
    const size_t tasks = question.cycles->tasks_before(question.end);
    for (size_t task = 0; task < tasks; ++task)
      if (steps_.growth_of(task) > 0) occupants_.carry(steps_.growth_of(task), question.cycles->copies(task));
  }
  occupants_.choose(*question.sections);
  return constant + occupants_.sum() + arrivals_ * per_arrival_;
}

// Least waiting Q with Q = floor(work(Q) / elements); any Q with elements (Q + 1) > work(Q) is a bound.
double StageWindow::ascend(const StageQuestion& question, double elements) {
  double waiting = begin(question, elements, &Line::base);
  if (waiting > question.limit) return kForever;
  const double further = beyond(question) + before_;
  steps_.begin(*question.cycles, question.cycles->tasks_before(question.end), waiting + further);
  while (true) {
    const double sum = work(question);
    if (sum >= kExact) return kForever;
    const double next = whole(sum / elements);
    if (next <= waiting) return waiting;
    if (next > question.limit) return kForever;
    waiting = next;
    steps_.advance(waiting + further);
  }
}

// Work counts only as far as it fits into the window, a task's only on as many elements as it has
// subtasks. Every step goes from a bound to a lower one: Newton on the concave side.
double StageWindow::descend(const StageQuestion& question, double waiting) {
  const Demand& demand = *question.demand;
  for (int step = question.monotone ? -1000 : 0; step < 24 && waiting > 0; ++step) {
    const double most = waiting + 1;  // work on one element while waiting, if it waited longer
    const double arrivals =
        executing(demand, question.end, waiting + beyond(question), before_, fresh_.data(), growth_.data());
    double sum = arrivals * per_arrival_, elements = 0;
    const auto count = [&](double work, double times) {
      (work >= most ? elements : sum) += times * (work >= most ? 1 : work);
    };
    occupants_.clear();
    for (size_t first = 0; first < question.end; first = demand.end[first]) {
      double growth = 0, fresh = 0;
      for (size_t row = first; row < demand.end[first]; ++row) {
        fresh += fresh_[row];
        growth = std::max(growth, growth_[row]);
      }
      count(fresh, demand.copies[first]);
      if (question.monotone) growth = std::min(growth, most - fresh);
      if (growth > 0 && fresh < most) occupants_.carry(growth, demand.copies[first]);
    }
    count(question.worst, question.siblings);
    occupants_.choose(*question.sections);
    for (const double time : occupants_.times()) count(time, 1);
    if (elements >= count_) break;
    const double next = whole(sum / (count_ - elements));
    if (next >= waiting) break;
    waiting = next;
    arrivals_ = arrivals;
  }
  return waiting;
}

// Sections of less urgent tasks as work to be shared by all elements.
StageAnswer StageWindow::by_work(const StageQuestion& question, double own_section) {
  const auto& sections = *question.sections;
  before_ = question.end > 0 && own_section > sections.back() ? own_section : 0;
  StageAnswer answer;
  answer.waiting = ascend(question, count_);
  if (!answer.bounded()) return answer;
  if (count_ > 1 && !question.spread) answer.waiting = descend(question, answer.waiting);
  const double held = std::accumulate(sections.begin(), sections.end(), arrivals_ * per_arrival_);
  answer.blocking = std::min(answer.waiting, std::ceil(held / count_));
  return answer;
}

// First wait until all of them are over, then for more urgent tasks on the elements that the stage's own
// other subtasks leave.
StageAnswer StageWindow::by_time(const StageQuestion& question, double own_section) {
  const double longest = question.sections->front();
  StageQuestion later = question;
  later.sections = &none_;
  later.limit = question.limit - longest;
  later.siblings = 0;
  before_ = std::max(longest, question.end > 0 ? own_section : 0);
  StageAnswer answer;
  answer.waiting = ascend(later, count_ - question.siblings);
  if (!answer.bounded()) return answer;
  later.siblings = question.siblings;
  if (!question.spread) answer.waiting = descend(later, answer.waiting);
  answer.waiting += longest;
  answer.blocking = std::min(answer.waiting, longest + std::ceil(arrivals_ * per_arrival_ / count_));
  return answer;
}

// If the task itself may have been in a section when its waiting began: what came meanwhile is still there.
StageAnswer StageWindow::after(const StageQuestion& question, double own_section) {
  const auto& sections = *question.sections;
  const StageAnswer answer = by_work(question, own_section);
  if (count_ == 1 || answer.waiting <= sections.front()) return answer;
  if (question.siblings >= count_ || (sections.front() == 0 && question.siblings == 0)) return answer;
  const StageAnswer other = by_time(question, own_section);
  return other.waiting < answer.waiting ? other : answer;
}

double StageWindow::least(const StageQuestion& question) {
  before_ = 0;
  per_arrival_ = let_in(question);
  return begin(question, count_, &Line::stage_base);
}

StageAnswer StageWindow::solve(const StageQuestion& question) {
  const auto& sections = *question.sections;
  per_arrival_ = let_in(question);
  if (question.end == 0 || question.same_section <= std::max(question.other_section, sections.back())) {
    StageAnswer answer = after(question, question.other_section);
    answer.whatever = answer.waiting;
    return answer;
  }
  StageAnswer other = after(question, question.other_section);
  if (!other.bounded()) return other;
  // Unless the stage's last job is too long ago to matter.
  const double rest = question.period - question.jitter - question.worst;
  StageQuestion wider = question;
  wider.limit = std::max(question.limit, rest);
  StageAnswer same = after(wider, question.same_section);
  other.whatever = same.whatever = same.waiting;
  if (same.waiting <= rest) return other;
  return same.waiting <= question.limit ? same : StageAnswer();
}

}  // namespace samcl::analysis
