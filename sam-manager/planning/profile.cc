#include "sam-manager/planning/profile.h"

#include <algorithm>

#include "analysis/json/task_set_json.h"

namespace samcl::planning {

using analysis::Stage;
using analysis::Time;

namespace {

int modes_of(const analysis::Task& task) { return static_cast<int>(task.stages.front().worst.size()); }

Result<analysis::TaskSetDocument> parse(const std::string& text) {
  auto document = analysis::parse_task_set(text);
  if (!document) return fail(document.error().message);
  return *std::move(document);
}

}  // namespace

Result<analysis::Task> find_profile(const std::string& document, const std::string& name) {
  auto parsed = parse(document);
  if (!parsed) return tl::unexpected(parsed.error());
  auto& tasks = parsed->set.tasks;
  const auto named =
      std::find_if(tasks.begin(), tasks.end(), [&](const analysis::Task& task) { return task.name == name; });
  if (named != tasks.end()) return std::move(*named);
  if (tasks.size() == 1) return std::move(tasks.front());
  std::string names;
  for (const analysis::Task& task : tasks) names += (names.empty() ? "\"" : ", \"") + task.name + "\"";
  return fail("it has no task \"" + name + "\", only " + names);
}

std::string format_profile(const analysis::Task& task) {
  analysis::TaskSetDocument document;
  document.set.platform.gpus = modes_of(task);
  document.set.tasks.push_back(task);
  document.set.tasks.front().priority.reset();
  document.set.tasks.front().devices.clear();
  document.modes = {1};
  std::string text = analysis::format_task_set(document);
  // No string in it holds a line's end: JSON writes it as \n.
  std::erase(text, '\n');
  return text;
}

Result<analysis::Task> parse_profile(const std::string& text) {
  auto parsed = parse(text);
  if (!parsed) return tl::unexpected(parsed.error());
  if (parsed->set.tasks.size() != 1)
    return fail("it has " + std::to_string(parsed->set.tasks.size()) + " tasks, expected one");
  return std::move(parsed->set.tasks.front());
}

void fit_modes(analysis::Task& task, int gpus) {
  const int measured = modes_of(task);
  const int most = task.most_gpus == 0 ? measured : std::min(task.most_gpus, measured);
  task.most_gpus = std::min(most, gpus);
  const auto fit = [gpus](auto& by_mode) {
    if (!by_mode.empty()) by_mode.resize(static_cast<size_t>(gpus), by_mode.back());
  };
  fit(task.work);
  for (Stage& stage : task.stages) {
    for (std::vector<Time>* times :
         {&stage.worst, &stage.best, &stage.section, &stage.between, &stage.host, &stage.host_section})
      fit(*times);
    fit(stage.threads);
  }
}

}  // namespace samcl::planning
