#include "sam-manager/planning/sections.h"

#include <algorithm>

#include "sam-manager/planning/profile.h"

namespace samcl::planning {

LongestSections longest_sections(const analysis::Task& task, int first_mode, int last_mode) {
  LongestSections longest;
  const auto raise = [](uint64_t& known, analysis::Time time) { known = std::max(known, static_cast<uint64_t>(time)); };
  for (const analysis::Stage& stage : task.stages) {
    if (stage.resource == analysis::Resource::cpu) continue;
    const bool on_gpu = stage.resource == analysis::Resource::gpu;
    const auto of = on_gpu ? &Sections::gpu_ns : &Sections::link_ns;
    for (Sections* const kind : {&longest.cut, &longest.whole})
      (on_gpu ? kind->gpu_needs_cpu : kind->link_needs_cpu) |= stage.longest_host() > 0;
    for (int mode = first_mode; mode <= last_mode; ++mode) {
      raise(longest.cut.*of, stage.section_in(mode));
      raise(longest.whole.*of, stage.worst_in(mode));
    }
  }
  return longest;
}

std::map<std::string, LongestSections> longest_sections(const registry::Tasks& tasks,
                                                        const analysis::Handovers& handovers) {
  std::map<std::string, LongestSections> all;
  for (const auto& [name, task] : tasks) {
    if (task.profile.empty()) continue;
    const auto profile = parse_profile(task.profile);
    if (!profile) continue;
    const auto modes = static_cast<int>(profile->stages.front().worst.size());
    all[name] = longest_sections(analysis::with_handovers(*profile, handovers), 1, modes);
  }
  return all;
}

}  // namespace samcl::planning
