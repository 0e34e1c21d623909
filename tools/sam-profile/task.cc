#include <algorithm>

#include "tools/sam-profile/profile.h"

namespace samcl::profile {
namespace {

// Short kernels that follow each other run under one lease, as long as no more than that is in flight, ns
// (libsamcl/device/run_ahead.h): a traced program runs each alone, a managed one does not.
constexpr Time kInFlight = 1'000'000;

// Rounded up. Times are of runs that ended, far below what would overflow.
Time with_margin(Time time, unsigned percent) { return time + (time * static_cast<Time>(percent) + 99) / 100; }

// Over the measured mode, or the next ones on both sides of one that was not.
template <typename Measured, typename Value, typename Choose>
Time at_mode(const std::map<unsigned, Measured>& by_mode, unsigned mode, Value value, Choose choose) {
  const auto above = by_mode.lower_bound(mode);
  if (above != by_mode.end() && above->first == mode) return value(above->second);
  if (above == by_mode.end()) return value(std::prev(above)->second);
  if (above == by_mode.begin()) return value(above->second);
  return choose(value(above->second), value(std::prev(above)->second));
}

// The CPU time of its sections, if it is known in all measured modes. cut_as_measured: its sections are those
// that were seen; else more of it may be in one.
void tell_host(analysis::Stage& stage, const StageProfile& measured, unsigned modes, unsigned margin,
               bool cut_as_measured) {
  const bool is_told = std::ranges::none_of(measured.host, [](const auto& entry) { return entry.second == kNotTold; });
  if (measured.resource == analysis::Resource::cpu || measured.host.empty() || !is_told) return;
  for (unsigned mode = 1; mode <= modes; ++mode) {
    const Time host =
        at_mode(measured.host, mode, [](Time time) { return time; }, [](Time a, Time b) { return std::max(a, b); });
    stage.host.push_back(std::min(with_margin(host, margin), stage.worst[mode - 1]));
  }
  if (cut_as_measured && measured.host_section > 0) stage.host_section = with_margin(measured.host_section, margin);
}

// Threads on CPUs, in it or between its requests.
void tell_threads(analysis::Stage& stage, const StageProfile& measured, unsigned modes) {
  const bool computes = stage.resource == analysis::Resource::cpu || stage.requests > 1;
  const bool is_one = std::ranges::all_of(measured.threads, [](const auto& entry) { return entry.second == 1; });
  if (!computes || is_one) return;
  for (unsigned mode = 1; mode <= modes; ++mode)
    stage.threads.push_back(static_cast<int>(at_mode(
        measured.threads, mode, [](size_t count) { return count; },
        [](size_t a, size_t b) { return std::max(a, b); })));
}

// As other links at work make transfers longer.
void take_longer(analysis::Stage& stage, int percent) {
  const auto longer = [percent](Time& time) { time = (time * percent + 99) / 100; };
  std::ranges::for_each(stage.worst, longer);
  longer(stage.section);
}

analysis::Stage stage_of(const StageProfile& measured, unsigned modes, unsigned margin) {
  analysis::Stage stage;
  stage.resource = measured.resource;
  stage.requests = static_cast<int>(std::min<size_t>(measured.requests, analysis::kMaxRequests));
  const auto longer = [](Time a, Time b) { return std::max(a, b); };
  const auto shorter = [](Time a, Time b) { return std::min(a, b); };
  for (unsigned mode = 1; mode <= modes; ++mode) {
    const Time worst = at_mode(measured.by_mode, mode, [](const Samples& s) { return s.worst; }, longer);
    const Time best = at_mode(measured.by_mode, mode, [](const Samples& s) { return s.best; }, shorter);
    stage.worst.push_back(std::max<Time>(1, with_margin(worst, margin)));
    stage.best.push_back(best * 100 / (100 + static_cast<Time>(margin)));
    if (stage.requests == 1) continue;
    const Time between = at_mode(measured.between, mode, [](Time time) { return time; }, longer);
    stage.between.push_back(std::max<Time>(stage.requests - 1, with_margin(between, margin)));
  }
  tell_threads(stage, measured, modes);
  Time section = with_margin(measured.section, margin);
  const Time longest = *std::max_element(stage.worst.begin(), stage.worst.end());
  if (measured.resource == analysis::Resource::gpu) section = std::max(section, std::min(longest, kInFlight));
  const bool is_cut = section < longest;
  tell_host(stage, measured, modes, margin, is_cut && section == with_margin(measured.section, margin));
  if (measured.resource != analysis::Resource::cpu && is_cut) stage.section = section;
  return stage;
}

Time length_in(const analysis::Task& task, int mode) {
  Time length = 0;
  for (const analysis::Stage& stage : task.stages) length += stage.length_in(mode);
  return length;
}

// What stages take together, in whole jobs. `links`: by how much, in a mode, transfers are taken to be longer than
// seen.
std::vector<Time> work_of(const Profile& profile, const analysis::Task& task, unsigned margin,
                          const std::vector<Time>& links) {
  std::map<unsigned, Time> by_mode;
  for (const ModeProfile& mode : profile.modes) by_mode[mode.gpus] = mode.work;
  std::vector<Time> work;
  for (unsigned mode = 1; mode <= profile.modes.back().gpus; ++mode) {
    const Time seen =
        at_mode(by_mode, mode, [](Time time) { return time; }, [](Time a, Time b) { return std::max(a, b); });
    work.push_back(with_margin(seen, margin) + links[mode - 1]);
    for (const analysis::Stage& stage : task.stages)
      work.back() = std::max(work.back(), stage.length_in(static_cast<int>(mode)));
  }
  return work;
}

}  // namespace

Result<analysis::TaskSetDocument> make_task(const Profile& profile, const TaskParameters& parameters) {
  const unsigned modes = profile.modes.back().gpus;
  analysis::TaskSetDocument document;
  document.set.platform.cpus = parameters.cpus;
  document.set.platform.gpus = document.set.platform.links = static_cast<int>(modes);
  document.set.platform.bound =
      true;  // as tasks run under the manager: their sections need CPU time on their own devices
  analysis::Task task;
  task.name = parameters.name;
  task.links = parameters.links;
  std::vector<Time> longer(modes, 0);
  for (const StageProfile& stage : profile.stages) {
    task.stages.push_back(stage_of(stage, modes, parameters.margin_percent));
    if (stage.resource != analysis::Resource::link || task.links <= analysis::kBusyLinks) continue;
    const std::vector<Time> seen = task.stages.back().worst;
    take_longer(task.stages.back(), task.links);
    for (unsigned mode = 0; mode < modes; ++mode) longer[mode] += task.stages.back().worst[mode] - seen[mode];
  }
  task.work = work_of(profile, task, parameters.margin_percent, longer);

  int fastest = static_cast<int>(profile.modes.front().gpus);
  Time longest = 0;
  for (const ModeProfile& mode : profile.modes) {
    const int gpus = static_cast<int>(mode.gpus);
    if (length_in(task, gpus) < length_in(task, fastest)) fastest = gpus;
    longest = std::max(longest, length_in(task, gpus));
  }
  task.period = parameters.period.value_or(2 * longest);
  task.deadline = parameters.deadline.value_or(task.period);
  task.priority = parameters.priority;
  document.modes = {fastest};
  document.set.tasks = {std::move(task)};
  if (auto good = analysis::check(document.set); !good) return fail(good.error().message);
  if (auto good = analysis::check(document.set, document.modes); !good) return fail(good.error().message);
  return document;
}

}  // namespace samcl::profile
