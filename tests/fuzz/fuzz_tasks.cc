// The file of registered tasks, and the plan that is made of them at once.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sam-manager/planning/assignment.h"
#include "sam-manager/registry/registry.h"

using namespace samcl;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tasks = registry::parse_tasks(std::string(reinterpret_cast<const char*>(data), size));
  if (!tasks) return 0;
  for (const auto& [name, task] : *tasks)
    if ((task.period_ns == 0) != (task.weight > 0) || (task.deadline_ns == 0) != (task.weight > 0) || task.name != name)
      std::abort();
  planning::Settings settings;
  settings.modes = analysis::ModePolicy::single;
  planning::assign_modes(*tasks, {2, {"a", "b"}, 0}, settings);
  return 0;
}
