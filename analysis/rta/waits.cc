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
  return stage.worst_in(mode) * (one_each ? 1 : platform.subtasks(stage.resource, mode));
}

// What a stage brings to where another one waits: on its resource, and on the CPUs between its requests.
Time load(const Platform& platform, const Stage& stage, int mode, Form form, const Stage& waiting) {
  const bool on_cpu = waiting.resource == Resource::cpu || waiting.requests > 1;
  const bool met = stage.resource == waiting.resource || (on_cpu && stage.resource == Resource::cpu);
  return (met ? load(platform, stage, mode, form) : 0) + (on_cpu ? stage.between_in(mode) : 0);
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
    std::vector<Wait> urgent, sections;
    for (size_t above = 0; above < position; ++above) {
      const size_t k = order[above];
      if (!meets(bounds.tasks[k], bound)) continue;
      Wait wait{k, 0, 0};
      for (size_t p = 0; p < set.tasks[k].stages.size(); ++p) {
        const Stage& other = set.tasks[k].stages[p];
        const Time jitter = bounds.tasks[k].stages[p].jitter;
        const Time each = load(set.platform, other, modes[k], form, stage);
        if (each == 0 || jitter == kUnbounded) continue;
        const Time stages = (jitter + bound.response + set.tasks[k].period - 1) / set.tasks[k].period;
        wait.stages += stages;
        wait.time += stages * each;
      }
      urgent.push_back(wait);
    }
    const int own = bound.device < 0 ? set.platform.subtasks(stage.resource, modes[task]) - 1 : 0;
    if (own > 0 && form != Form::gpu_sparc) urgent.push_back({task, own * stage.worst_in(modes[task]), own});
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
