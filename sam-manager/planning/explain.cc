#include "sam-manager/planning/explain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/rta/waits.h"

namespace samcl::planning {

using analysis::Stage;
using analysis::Time;
using Kind = Term::Kind;

namespace {

// Scales times so that they add up to `sum`; those of 0 are left out. If there are none, one without a name.
void scale(std::vector<Term>& terms, Time sum) {
  __extension__ using Wide = __int128;
  Wide all = 0, so_far = 0;
  for (const Term& term : terms) all += term.time;
  Time given = 0;
  for (Term& term : terms) {
    so_far += term.time;
    const Time next = all == 0 ? 0 : static_cast<Time>(so_far * sum / all);
    term.time = next - std::exchange(given, next);
  }
  std::erase_if(terms, [](const Term& term) { return term.time == 0; });
  if (given < sum) terms.push_back({Kind::interference, "", sum - given});
}

Kind kind_of(const analysis::Wait& wait) {
  switch (wait.what) {
    case analysis::Wait::For::stages: return Kind::interference;
    case analysis::Wait::For::late: return Kind::late;
    case analysis::Wait::For::early: return Kind::starts;
  }
  return Kind::interference;
}

// What it executes itself; returns the sum.
Time add_own(std::vector<Term>& terms, const analysis::Task& task, int mode, const analysis::Handovers& handovers) {
  Time sum = 0, initiation = 0;
  for (size_t j = 0; j < task.stages.size(); ++j) {
    const Stage& stage = task.stages[j];
    Time own = stage.length_in(mode);
    if (stage.resource != analysis::Resource::cpu) own -= stage.requests * handovers.per_request();
    if (j == 0) own -= handovers.wake;
    sum += own;
    initiation += stage.host_in(mode);
    const int threads = stage.threads_in(mode);
    terms.push_back({Kind::own,
                     std::string(analysis::name(stage.resource)) + " stage " + std::to_string(j + 1) +
                         (threads > 1 ? ", " + std::to_string(threads) + " threads" : ""),
                     own - stage.host_in(mode)});
  }
  if (initiation > 0) terms.push_back({Kind::initiation, "its transfers and kernels", initiation});
  const Time own_handovers = analysis::own_handovers(task, handovers);
  if (own_handovers > 0) terms.push_back({Kind::handovers, "its requests and wake-ups", own_handovers});
  const Time less = sum + own_handovers - task.work_in(mode);
  if (less > 0) terms.push_back({Kind::together, "its stages, in one job", -less});
  return task.work_in(mode);
}

}  // namespace

const char* name(Kind kind) {
  switch (kind) {
    case Kind::own: return "own";
    case Kind::together: return "together";
    case Kind::initiation: return "initiation";
    case Kind::handovers: return "hand-overs";
    case Kind::interference: return "interference";
    case Kind::late: return "late enforcement";
    case Kind::starts: return "late starts";
    case Kind::deadline: return "deadline";
    case Kind::tardiness: return "tardiness";
    case Kind::blocking: return "blocking";
  }
  return "?";
}

std::vector<Term> explain(const analysis::TaskSet& set, const analysis::Modes& modes, const analysis::Bounds& bounds,
                          size_t index, const analysis::Handovers& handovers) {
  const analysis::Task& task = set.tasks[index];
  const Time response = bounds.tasks[index].response;
  std::vector<Term> terms;
  if (response == analysis::kUnbounded) return terms;
  const Time own = add_own(terms, task, modes[index], handovers);
  std::map<std::pair<Kind, std::string>, Time> waited;
  const auto waits = analysis::waits(set, modes, analysis::Form::safe, analysis::priority_order(set), bounds, index);
  for (size_t j = 0; j < waits.size(); ++j) {
    for (const analysis::Wait& wait : waits[j].urgent)
      waited[{kind_of(wait), wait.task == index ? "its other subtasks" : set.tasks[wait.task].name}] += wait.time;
    for (const analysis::Wait& wait : waits[j].sections)
      waited[{Kind::blocking,
              std::string(analysis::name(task.stages[j].resource)) + ", by " + set.tasks[wait.task].name}] += wait.time;
  }
  std::vector<Term> waiting;
  for (const auto& [what, time] : waited) waiting.push_back({what.first, what.second, time});
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Term& a, const Term& b) { return a.kind != b.kind ? a.kind < b.kind : a.time > b.time; });
  scale(waiting, response - own);
  terms.insert(terms.end(), waiting.begin(), waiting.end());
  return terms;
}

}  // namespace samcl::planning
