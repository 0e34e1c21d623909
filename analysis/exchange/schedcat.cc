#include "analysis/exchange/schedcat.h"

#include "analysis/exchange/tags.h"
#include "analysis/model/number_text.h"

namespace samcl::analysis {
namespace {

// The attribute, or `usual` where it is missing and that is not negative.
Result<Time> number(const Tag& tag, const std::string& name, Time usual = -1) {
  const auto found = tag.attributes.find(name);
  if (found == tag.attributes.end()) {
    if (usual >= 0) return usual;
    return fail(where(tag) + name + ": missing");
  }
  const auto value = whole_number(found->second);
  if (!value || *value < 0 || *value > kLongest)
    return fail(where(tag) + name + ": '" + found->second + "', expected a whole number");
  return *value;
}

Result<void> read_task(const Tag& tag, Time unit, locking::TaskSet& set) {
  const auto period = number(tag, "period"), wcet = number(tag, "wcet"), id = number(tag, "id", 0);
  for (const auto& value : {period, wcet, id})
    if (!value) return tl::unexpected(value.error());
  const auto deadline = number(tag, "deadline", *period);
  if (!deadline) return tl::unexpected(deadline.error());
  if (*deadline != *period) return fail(where(tag) + "deadline: expected the period, " + std::to_string(*period));
  if (*period > kLongest / unit || *wcet > kLongest / unit) return fail(where(tag) + "period or wcet: too long");
  locking::Task task;
  task.name = "T" + std::to_string(*id > 0 ? *id : static_cast<Time>(set.tasks.size()) + 1);
  task.period = *period * unit;
  task.cpu = *wcet * unit;
  set.tasks.push_back(std::move(task));
  return {};
}

Result<void> read_requirement(const Tag& tag, Time unit, locking::TaskSet& set, std::string& resource) {
  if (set.tasks.empty()) return fail(where(tag) + "expected inside a <task>");
  const auto writes = number(tag, "max_writes", 1), length = number(tag, "max_write_length", 1),
             reads = number(tag, "max_reads", 0);
  for (const auto& value : {writes, length, reads})
    if (!value) return tl::unexpected(value.error());
  if (*writes == 0 && *reads == 0) return {};
  if (*reads > 0) return fail(where(tag) + "max_reads: expected 0, a GPU has one user at a time");
  if (*writes > 1) return fail(where(tag) + "max_writes: expected 1, a job uses a GPU once");
  const auto id = tag.attributes.find("res_id");
  const std::string name = id == tag.attributes.end() ? "0" : id->second;
  if (!resource.empty() && name != resource) return fail(where(tag) + "res_id: expected one resource, " + resource);
  resource = name;
  locking::Task& task = set.tasks.back();
  if (task.uses_gpu()) return fail(where(tag) + "expected one of a task");
  if (*length * unit > task.cpu) return fail(where(tag) + "max_write_length: longer than the task's wcet");
  task.gpu = task.section = *length * unit;
  task.cpu -= task.gpu;
  return {};
}

}  // namespace

Result<std::string> format_schedcat(const locking::TaskSet& set, Time unit) {
  if (set.gpus != 1) return fail("platform, gpus: " + std::to_string(set.gpus) + ", expected 1 for SchedCAT");
  if (set.parts != 1) return fail("platform, parts: " + std::to_string(set.parts) + ", expected none for SchedCAT");
  std::string xml = "<taskset>\n";
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const locking::Task& task = set.tasks[i];
    if (task.period % unit != 0 || task.execution() % unit != 0 || task.section % unit != 0)
      return fail("task \"" + task.name + "\": times are no whole numbers of units; expected a smaller unit");
    xml += "  <task id=\"" + std::to_string(i + 1) + "\" period=\"" + std::to_string(task.period / unit) +
           "\" wcet=\"" + std::to_string(task.execution() / unit) + "\"";
    if (task.uses_gpu())
      xml +=
          "><resources><requirement res_id=\"0\" max_reads=\"0\" max_writes=\"1\" max_read_length=\"0\" "
          "max_write_length=\"" +
          std::to_string(task.section / unit) + "\"/></resources></task>\n";
    else
      xml += "/>\n";
  }
  return xml + "</taskset>\n";
}

Result<locking::TaskSet> parse_schedcat(const std::string& text, int cpus, Time unit) {
  const auto tags = parse_tags(text);
  if (!tags) return tl::unexpected(tags.error());
  locking::TaskSet set;
  set.cpus = cpus;
  std::string resource;
  for (const Tag& tag : *tags) {
    Result<void> good;
    if (tag.name == "task") good = read_task(tag, unit, set);
    if (tag.name == "requirement") good = read_requirement(tag, unit, set, resource);
    if (!good) return tl::unexpected(good.error());
  }
  if (set.tasks.empty()) return fail("no <task>, expected a SchedCAT task set");
  if (auto good = check(set); !good) return tl::unexpected(good.error());
  return set;
}

}  // namespace samcl::analysis
