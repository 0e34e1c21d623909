#include "analysis/rta/waits.h"

#include <algorithm>

namespace samcl::analysis {
namespace {

// Splits `total` in proportion to each wait's time; largest first, those without a part left out.
std::vector<Wait> shared(std::vector<Wait> waits, Time total) {
  __extension__ using Wide = __int128;
  Wide sum = 0, so_far = 0;
  Time given = 0;
  std::stable_sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return a.time > b.time; });
  for (const Wait& wait : waits) sum += wait.time;
  for (Wait& wait : waits) {
    so_far += wait.time;
    const Time next = sum == 0 ? 0 : static_cast<Time>(so_far * total / sum);
    wait.time = next - given;
    given = next;
  }
  waits.erase(std::remove_if(waits.begin(), waits.end(), [](const Wait& wait) { return wait.time == 0; }), waits.end());
  return waits;
}

Time load(const Platform& platform, const Stage& stage, int mode, Form form) {
  if (form == Form::gpu_sparc) return stage.worst_in(stage.resource == Resource::gpu ? 1 : mode);
  const bool one_each = platform.bound && stage.resource != Resource::cpu;
  return stage.worst_in(mode) * (one_each ? 1 : platform.subtasks(stage, mode));
}

// Whether the stage waits for CPUs too: between its requests, or where some task's sections need them.
bool waits_for_cpus(const TaskSet& set, const Stage& stage) {
  if (stage.resource == Resource::cpu || stage.requests > 1) return true;
  const auto hosted = [](const Stage& one) { return one.longest_host() > 0; };
  return set.platform.bound && std::any_of(set.tasks.begin(), set.tasks.end(), [&](const Task& task) {
           return std::any_of(task.stages.begin(), task.stages.end(), hosted);
         });
}

// What a stage brings to where another one waits: on its resource, if it `meets` it there, and on the CPUs, between
// its requests and in its sections too.
Time load(const Platform& platform, const Stage& stage, int mode, Form form, const Stage& waiting, bool meets,
          bool on_cpu) {
  const bool met = stage.resource == waiting.resource ? meets : on_cpu && stage.resource == Resource::cpu;
  const Time sections = platform.bound ? platform.subtasks(stage, mode) * stage.host_in(mode) : 0;
  return (met ? load(platform, stage, mode, form) : 0) +
         (on_cpu ? stage.threads_in(mode) * stage.between_in(mode) + sections : 0);
}

// Its own other subtasks, and threads between its requests, that can be in a stage's way.
Wait own_wait(const Platform& platform, const Stage& stage, int mode, bool is_bound, size_t task) {
  const int subtasks = is_bound ? 0 : platform.subtasks(stage, mode) - 1, threads = stage.threads_in(mode) - 1;
  return {task, subtasks * stage.worst_in(mode) + (stage.requests > 1 ? threads * stage.between_in(mode) : 0),
          std::max(subtasks, threads)};
}

// What less urgent tasks wait for because the task's budgets are enforced: on the resource that it meets them on, and
// on CPUs.
void add_enforced(const TaskSet& set, int mode, size_t k, const TaskBound& bound, bool meets, bool on_cpu,
                  Time response, Resource resource, std::vector<Wait>& urgent) {
  const Task& task = set.tasks[k];
  const auto add = [&](Time spread, Time each, Time noticed) {
    const auto budgets = [&](Time early) { return (spread + early + response + task.period - 1) / task.period; };
    const Time usual = task.period / 16;
    urgent.push_back({k, budgets(usual) * noticed, 0, Wait::For::late});
    urgent.push_back({k, (budgets(task.tolerated()) - budgets(usual)) * (each + noticed), 0, Wait::For::early});
  };
  if (on_cpu) add(task.period, task.cpu_time(set.platform, mode), set.platform.cpus * task.late);
  if (meets) add(bound.response, resource == Resource::gpu ? bound.holds_gpu : bound.holds_link, task.late_lease);
}

// Whether the task is where the stage waits: everywhere, unless devices are bound.
bool meets(const TaskBound& task, const StageBound& stage) {
  return stage.device < 0 || std::find(task.devices.begin(), task.devices.end(), stage.device) != task.devices.end();
}

}  // namespace

std::vector<StageWaits> waits(const TaskSet& set, std::span<const int> modes, Form form, const PriorityOrder& order,
                              const Bounds& bounds, size_t task) {
  const size_t position = static_cast<size_t>(std::find(order.begin(), order.end(), task) - order.begin());
  std::vector<StageWaits> all(set.tasks[task].stages.size());
  for (size_t j = 0; j < all.size(); ++j) {
    const Stage& stage = set.tasks[task].stages[j];
    const StageBound& bound = bounds.tasks[task].stages[j];
    if (bound.response == kUnbounded) continue;
    const bool on_cpu = waits_for_cpus(set, stage);
    std::vector<Wait> urgent, sections;
    for (size_t above = 0; above < position; ++above) {
      const size_t k = order[above];
      const bool is_met = meets(bounds.tasks[k], bound);
      Wait wait{k, 0, 0};
      for (size_t p = 0; p < set.tasks[k].stages.size(); ++p) {
        const Stage& other = set.tasks[k].stages[p];
        const Time jitter = bounds.tasks[k].stages[p].jitter;
        const Time each = load(set.platform, other, modes[k], form, stage, is_met, on_cpu);
        if (each == 0 || jitter == kUnbounded) continue;
        const Time stages = (jitter + bound.response + set.tasks[k].period - 1) / set.tasks[k].period;
        wait.stages += stages;
        wait.time += stages * each;
      }
      urgent.push_back(wait);
      if (set.tasks[k].late > 0 && form == Form::safe)
        add_enforced(set, modes[k], k, bounds.tasks[k], is_met && stage.resource != Resource::cpu, on_cpu,
                     bound.response, stage.resource, urgent);
    }
    const Wait own = own_wait(set.platform, stage, modes[task], bound.device >= 0, task);
    if (own.time > 0 && form != Form::gpu_sparc) urgent.push_back(own);
    for (size_t below = position + 1; below < order.size(); ++below) {
      const size_t k = order[below];
      if (!meets(bounds.tasks[k], bound)) continue;
      Time longest = 0;
      for (const Stage& other : set.tasks[k].stages)
        if (other.resource == stage.resource && stage.resource != Resource::cpu)
          longest = std::max(longest, form == Form::safe ? other.section_in(modes[k]) : other.worst_in(modes[k]));
      sections.push_back({k, longest, 0});
    }
    all[j] = {shared(std::move(urgent), bound.interference), shared(std::move(sections), bound.blocking)};
  }
  return all;
}

}  // namespace samcl::analysis
