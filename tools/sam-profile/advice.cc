#include "tools/sam-profile/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace samcl::profile {
namespace {

// A stage whose longest time is above this many of its usual one's, and that matters, is not yet known.
constexpr double kWide = 2;
constexpr double kMatters = 0.05;  // of a job
// Above this many of the longest job, the stages' longest times are worth a word.
constexpr double kAddsUp = 1.2;
// Less is no difference.
constexpr double kPays = 0.95, kDoesNotPay = 1.05;

double ratio(Time part, Time whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

std::string percent(Time part, Time whole) { return std::to_string(std::lround(100 * ratio(part, whole))) + "%"; }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string gpus(unsigned count) { return std::to_string(count) + (count == 1 ? " GPU" : " GPUs"); }

std::string ms(Time time) { return number(static_cast<double>(time) * 1e-6) + " ms"; }

std::string shares(const ModeProfile& mode) {
  const Time all = mode.host + mode.transfers + mode.kernels;
  return "kernels take " + percent(mode.kernels, all) + " of it, transfers " + percent(mode.transfers, all) +
         ", the host " + percent(mode.host, all);
}

// The largest part of a job that is not the kernels' due share of their time in the smallest mode.
std::string limit(const ModeProfile& mode, const ModeProfile& least) {
  const double due = static_cast<double>(least.gpus) / mode.gpus;
  const Time beyond = mode.kernels - static_cast<Time>(static_cast<double>(least.kernels) * due);
  const auto both = [&](Time before, Time now) {
    return " (" + ms(before) + " on " + gpus(least.gpus) + ", " + ms(now) + " here)";
  };
  if (mode.transfers >= mode.host && mode.transfers >= beyond)
    return "the transfers" + both(least.transfers, mode.transfers);
  if (mode.host >= beyond) return "the host's own times" + both(least.host, mode.host);
  return "the kernels, which take " + number(ratio(mode.kernels, least.kernels)) + " of their time on " +
         gpus(least.gpus) + ", not " + number(due);
}

std::string reasons(const ModeProfile& mode) {
  std::string text;
  for (const auto& [kernel, why] : mode.why_not_more) text += (text.empty() ? "" : "; ") + kernel + ": " + why;
  return text;
}

void warn_of_stages(const Profile& profile, std::vector<std::string>& list) {
  size_t wide = 0;
  std::string first;
  for (size_t i = 0; i < profile.stages.size(); ++i) {
    for (const ModeProfile& mode : profile.modes) {
      const Samples& samples = profile.stages[i].by_mode.at(mode.gpus);
      const double spread = ratio(samples.worst, samples.median);
      if (spread <= kWide || ratio(samples.worst, mode.length.median) < kMatters) continue;
      if (wide++ == 0)
        first = "stage " + std::to_string(i + 1) + " (" + profile.stages[i].what + ") on " + gpus(mode.gpus) +
                " took up to " + number(spread) + " times its median";
    }
  }
  if (wide > 0)
    list.push_back("times are spread widely: " + first +
                   (wide > 1 ? ", and " + std::to_string(wide - 1) + " more" : "") +
                   "; what was longest says little about what can be longest");
}

// What others wait for is a job in which every stage takes its longest: the more stages, the rarer is such a job.
void warn_of_sums(const Profile& profile, std::vector<std::string>& list) {
  for (const ModeProfile& mode : profile.modes) {
    Time sum = 0;
    for (const StageProfile& stage : profile.stages) sum += stage.by_mode.at(mode.gpus).worst;
    if (const double times = ratio(sum, mode.length.worst); times > kAddsUp)
      list.push_back("on " + gpus(mode.gpus) +
                     " the stages' longest times, each from the job where it was longest, are " + number(times) +
                     " times the longest job together: so much is in the bounds of less urgent tasks, while its own "
                     "has what a job took at most");
  }
}

void warn_of_mode(const ModeProfile& mode, std::vector<std::string>& list) {
  const std::string on = "on " + gpus(mode.gpus) + " ";
  if (mode.dropped > 0)
    list.push_back(on + std::to_string(mode.dropped) + " records did not fit into the trace: run fewer jobs");
  if (mode.boundaries == Boundaries::none)
    list.push_back(on + "nothing tells jobs apart; mark them (samcl/samcl.h), or say how many there are (--jobs)");
  if (mode.jobs < kFewJobs)
    list.push_back(on + "only " + std::to_string(mode.jobs) + " jobs were measured: below " + std::to_string(kFewJobs) +
                   " their longest is no worst case to speak of");
  if (!mode.same_launches)
    list.push_back(on +
                   "jobs differ in the kernels they launch: the task has as many launches as the longest, and at each "
                   "place the worst of all jobs");
  if (ratio(mode.overlap, mode.length.mean) > kMatters)
    list.push_back(on + "commands overlap in time, which the task's stages do not: together they are " +
                   percent(mode.overlap, mode.length.mean) + " longer than the job");
  if (!mode.realtime)
    list.push_back(
        on +
        "its threads had no real-time priority, as tasks' have under the manager: what else computed is in the "
        "times (--realtime, on a system that allows it)");
  if (!mode.managed)
    list.push_back(on +
                   "no manager was there, so kernels and transfers were not cut: the sections are whole "
                   "kernels and transfers");
}

}  // namespace

std::vector<std::string> warnings(const Profile& profile, unsigned margin_percent) {
  std::vector<std::string> list;
  for (const ModeProfile& mode : profile.modes) warn_of_mode(mode, list);
  warn_of_stages(profile, list);
  warn_of_sums(profile, list);
  const bool unmarked = std::any_of(profile.modes.begin(), profile.modes.end(),
                                    [](const ModeProfile& mode) { return mode.boundaries != Boundaries::marks; });
  if (unmarked)
    list.emplace_back(
        "without marks a job lasts from its first command to its last one's end: what the host does before "
        "and "
        "after is not in the task");
  if (profile.modes.size() < profile.modes.back().gpus)
    list.emplace_back("modes that were not measured have the times of the next ones that were");
  for (const ModeProfile& mode : profile.modes)
    if (mode.gpus < profile.modes.back().gpus && mode.beside == 0 && mode.transfers > 0) {
      list.emplace_back("transfers were measured while other links were idle; with --busy-links they are not");
      break;
    }
  const auto silent = std::count_if(profile.stages.begin(), profile.stages.end(), [](const StageProfile& stage) {
    return std::any_of(stage.host.begin(), stage.host.end(),
                       [](const auto& entry) { return entry.second == kNotTold; });
  });
  if (silent > 0)
    list.push_back("the CPU time that " + std::to_string(silent) + " of the " + std::to_string(profile.stages.size()) +
                   " stages need is not known, or is that of more than one CPU: nothing is guaranteed with them");
  list.push_back("the worst-case times are the longest seen and " + std::to_string(margin_percent) +
                 "%: estimates from these runs, no proof");
  return list;
}

std::string verdict(const ModeProfile& mode, const ModeProfile& least) {
  const std::string job = gpus(mode.gpus) + ": a job takes " + ms(mode.length.mean);
  if (mode.gpus == least.gpus) return job + "; " + shares(mode) + ".";
  const double gain = ratio(mode.length.mean, least.length.mean);
  const std::string compared =
      job + ", " + number(gain) + " of that on " + gpus(least.gpus) + "; " + shares(mode) + ". ";
  if (mode.gpus_used <= least.gpus_used) {
    const std::string why = reasons(mode);
    return compared + "No kernel ran on more GPUs" + (why.empty() ? "." : " (" + why + ").");
  }
  if (gain <= kPays) return compared + "Splitting pays; what limits it are " + limit(mode, least) + ".";
  if (gain < kDoesNotPay)
    return compared + "Splitting makes no difference: what is gained goes to " + limit(mode, least) + ".";
  return compared + "Splitting does not pay: what costs more than is gained are " + limit(mode, least) + ".";
}

}  // namespace samcl::profile
