#include "analysis/cli/makespan_text.h"

#include <algorithm>

#include "analysis/makespan/bounds.h"
#include "analysis/makespan/simulate.h"
#include "analysis/model/number_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli {
namespace {

using makespan::Slots;

std::string slots(Slots value) { return std::to_string(value); }

std::string percent(Slots part, Slots whole) {
  return analysis::percent(static_cast<double>(part) / static_cast<double>(whole), 1);
}

std::string seconds(double time) { return decimal(time, 3) + " s"; }

const char* kExactly = "exact: a schedule attains it, none exceeds it";

}  // namespace

std::string kernel_line(const makespan::Kernel& kernel) {
  constexpr size_t kShown = 60;
  std::string text = makespan::letters(kernel);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  text += " (" + std::to_string(kernel.instructions.size()) + " instructions";
  for (size_t unit = 0; unit < kernel.units.size(); ++unit) {
    int latency = 1;
    for (const makespan::Instruction& instruction : kernel.instructions)
      if (instruction.unit == unit) latency = std::max(latency, instruction.latency);
    const int capacity = kernel.units[unit].capacity;
    text += std::string("; ") + kernel.units[unit].letter + ": " + std::to_string(capacity) +
            (capacity == 1 ? " warp per slot" : " warps per slot");
    if (latency > 1) text += ", latency " + std::to_string(latency);
  }
  return text + ")";
}

std::string worst_case_text(const makespan::Kernel& kernel, int warps, const makespan::WorstCase& worst) {
  std::vector<std::vector<std::string>> rows = {{"MAKESPAN", "SLOTS", ""}};
  if (worst.exact()) {
    rows.push_back({"worst case", slots(worst.attained), kExactly});
  } else {
    rows.push_back({"worst case, at least", slots(worst.attained),
                    worst.schedule.empty() ? "one warp alone takes it" : "a schedule attains it"});
    rows.push_back({"worst case, at most", slots(worst.bound), "proven; more --effort may bring the two together"});
  }
  rows.push_back({"safe bound", slots(safe_bound(kernel, warps)), "the last warp's own slots and waiting"});
  rows.push_back({"pessimistic bound", slots(published_bound(kernel, warps)),
                  published_bound_is_safe(kernel) ? "units one after the other, in lockstep"
                                                  : "as published; not safe, since a unit takes more than one warp"});
  std::string text = table(rows, 3);
  if (worst.states > 0) text += "\n" + std::to_string(worst.states) + " states visited.\n";
  return text;
}

std::string schedulers_text(const makespan::Kernel& kernel, int warps, const makespan::WorstCase& worst, int runs) {
  std::vector<std::vector<std::string>> rows = {{"SCHEDULER", "SHORTEST", "LONGEST", "OF THE WORST"}};
  for (const makespan::Policy policy : makespan::kPolicies) {
    Slots least = 0, most = 0;
    for (int n = 0; n < (policy == makespan::Policy::random ? runs : 1); ++n) {
      const auto schedule = makespan::simulate(kernel, warps, policy, static_cast<uint64_t>(n) + 1);
      const Slots makespan = check_schedule(kernel, warps, schedule).value();
      least = n == 0 ? makespan : std::min(least, makespan);
      most = std::max(most, makespan);
    }
    rows.push_back({name(policy), slots(least), slots(most), percent(most, worst.attained)});
  }
  return table(rows);
}

std::string rounds_text(const makespan::RoundsMakespan& makespan, const makespan::Multiprocessors& multiprocessors) {
  const makespan::Rounds& rounds = makespan.rounds;
  std::vector<std::vector<std::string>> rows = {{"ROUNDS", "WARPS", "AT LEAST", "AT MOST"}};
  if (rounds.full > 0)
    rows.push_back({std::to_string(rounds.full), std::to_string(rounds.warps_of_full), slots(makespan.of_full.attained),
                    slots(makespan.of_full.bound)});
  if (rounds.warps_of_last > 0)
    rows.push_back(
        {"1", std::to_string(rounds.warps_of_last), slots(makespan.of_last.attained), slots(makespan.of_last.bound)});
  rows.push_back({"all", "", slots(makespan.attained), slots(makespan.bound)});
  return table(rows, 0) + "\nWarps on the multiprocessor that has most, of " + std::to_string(multiprocessors.count) +
         "; slots of the worst case.\nAssumed: multiprocessors do not delay each other, and a round begins "
         "when the one "
         "before it has ended.\n";
}

std::string convergence_text(const makespan::Convergence& convergence) {
  std::vector<std::vector<std::string>> rows = {{"Y", "T(Y)", "CEIL(W/Y) T(Y)", "LEAST", "CPU TIME"}};
  for (const auto& point : convergence.points)
    rows.push_back({std::to_string(point.warps), slots(point.makespan), slots(point.estimate), slots(point.least),
                    seconds(point.seconds)});
  std::string text = table(rows, 0) + "\n";
  std::vector<std::vector<std::string>> across = {{"pessimistic bound", slots(convergence.published)},
                                                  {"safe bound", slots(convergence.safe)}};
  if (convergence.worst.exact()) {
    across.push_back({"T(W), exact", slots(convergence.worst.attained)});
  } else {
    across.push_back({"T(W), at most", slots(convergence.worst.bound)});
    across.push_back({"T(W), at least", slots(convergence.worst.attained)});
  }
  text += table(across);
  if (convergence.estimate_exceeded())
    text += "\nThe least estimate is exceeded by a schedule: it is not safe for this kernel.\n";
  return text;
}

}  // namespace samcl::analysis::cli
