#include "analysis/model/capacity.h"

#include <algorithm>

#include "analysis/model/number_text.h"
#include "analysis/model/placement.h"

namespace samcl::analysis {
namespace {

// Of all its subtasks, or, of one device, of the one there.
double utilisation(const Platform& platform, const Task& task, int mode, Resource resource, bool of_device = false) {
  double sum = 0;
  for (const Stage& stage : task.stages) {
    const double subtasks = of_device ? 1 : platform.subtasks(stage, mode);
    if (stage.resource == resource) sum += subtasks * static_cast<double>(stage.worst_in(mode));
    if (resource == Resource::cpu) sum += stage.threads_in(mode) * static_cast<double>(stage.between_in(mode));
  }
  return sum / static_cast<double>(task.period);
}

// `part`: each task's. `where`: "GPU", or "GPU of device 1".
Result<void> check(const TaskSet& set, std::span<const int> modes, const std::string& where, int elements,
                   const std::vector<double>& part) {
  double sum = 0;
  for (const double one : part) sum += one;
  // Rounding is no overload.
  if (sum <= elements * (1 + 1e-9)) return {};
  const auto most = static_cast<size_t>(std::max_element(part.begin(), part.end()) - part.begin());
  return fail("task \"" + set.tasks[most].name + "\" and others, worst on " + where + ": utilisation " +
              above(sum, elements) + ", expected at most " + std::to_string(elements) +
              "; the largest part is this task's in mode " + std::to_string(modes[most]) + ", " +
              significant(part[most], 4));
}

// Each task's part of a resource.
std::vector<double> parts(const TaskSet& set, std::span<const int> modes, Resource resource) {
  std::vector<double> part;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    part.push_back(utilisation(set.platform, set.tasks[i], modes[i], resource));
  return part;
}

// And of one device's.
std::vector<double> parts(const TaskSet& set, std::span<const int> modes, Resource resource, const Placement& placement,
                          int device) {
  std::vector<double> part;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const bool there = std::find(placement[i].begin(), placement[i].end(), device) != placement[i].end();
    part.push_back(there ? utilisation(set.platform, set.tasks[i], modes[i], resource, true) : 0);
  }
  return part;
}

}  // namespace

double utilisation(const TaskSet& set, std::span<const int> modes, Resource resource) {
  double sum = 0;
  for (const double part : parts(set, modes, resource)) sum += part;
  return sum;
}

Result<void> check_capacity(const TaskSet& set, std::span<const int> modes) {
  const Placement placement = place_devices(set, priority_order(set), modes);
  for (const Resource resource : kResources) {
    if (!set.platform.bound || resource == Resource::cpu) {
      const int elements = set.platform.elements(resource);
      if (auto good = check(set, modes, name(resource), elements, parts(set, modes, resource)); !good) return good;
      continue;
    }
    for (int device = 0; device < set.platform.gpus; ++device) {
      const std::string where = set.platform.name_of(resource, device);
      if (auto good = check(set, modes, where, 1, parts(set, modes, resource, placement, device)); !good) return good;
    }
  }
  return {};
}

}  // namespace samcl::analysis
