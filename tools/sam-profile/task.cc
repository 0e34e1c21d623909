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

Time longest_at_mode(const std::map<unsigned, Time>& by_mode, unsigned mode) {
  return at_mode(by_mode, mode, [](Time time) { return time; }, [](Time a, Time b) { return std::max(a, b); });
}

// Its sections, unless no mode's are shorter than the whole.
void tell_sections(analysis::Stage& stage, const StageProfile& measured, unsigned modes, unsigned margin) {
  if (stage.resource == analysis::Resource::cpu) return;
  bool is_cut = false;
  for (unsigned mode = 1; mode <= modes; ++mode) {
    Time& section =
        stage.section.emplace_back(std::max<Time>(1, with_margin(longest_at_mode(measured.section, mode), margin)));
    const Time worst = stage.worst[mode - 1];
    if (stage.resource == analysis::Resource::gpu) section = std::max(section, std::min(worst, kInFlight));
    is_cut = is_cut || section < worst;
  }
  if (!is_cut) stage.section.clear();
}

// The CPU time of its sections, if it is known in all measured modes. Where its sections are not those that were seen,
// more of it may be in one.
void tell_host(analysis::Stage& stage, const StageProfile& measured, unsigned modes, unsigned margin) {
  const bool is_told = std::ranges::none_of(measured.host, [](const auto& entry) { return entry.second == kNotTold; });
  if (measured.resource == analysis::Resource::cpu || measured.host.empty() || !is_told) return;
  const bool are_seen =
      std::ranges::none_of(measured.host_section, [](const auto& entry) { return entry.second == kNotTold; });
  for (unsigned mode = 1; mode <= modes; ++mode) {
    stage.host.push_back(std::min(with_margin(longest_at_mode(measured.host, mode), margin), stage.worst[mode - 1]));
    if (stage.section.empty() || !are_seen) continue;
    const bool as_seen = stage.section[mode - 1] == with_margin(longest_at_mode(measured.section, mode), margin);
    stage.host_section.push_back(as_seen ? with_margin(longest_at_mode(measured.host_section, mode), margin) : 0);
  }
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
  std::ranges::for_each(stage.section, longer);
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
    const Time between = with_margin(longest_at_mode(measured.between, mode), margin);
    stage.between.push_back(std::max<Time>(stage.requests - 1, between));
  }
  tell_threads(stage, measured, modes);
  tell_sections(stage, measured, modes, margin);
  tell_host(stage, measured, modes, margin);
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
    work.push_back(with_margin(longest_at_mode(by_mode, mode), margin) + links[mode - 1]);
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
