#include "analysis/exchange/cheddar.h"

#include <algorithm>
#include <map>

#include "analysis/exchange/stations.h"
#include "analysis/exchange/tags.h"
#include "analysis/model/number_text.h"
#include "base/xml_text.h"

namespace samcl::analysis {
namespace {

constexpr const char* kPosix = "POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL";
constexpr const char* kRate = "RATE_MONOTONIC_PROTOCOL";
constexpr const char* kDeadlineMonotonic = "DEADLINE_MONOTONIC_PROTOCOL";

std::string line(const std::string& name, const std::string& text) {
  return "<" + name + ">" + text + "</" + name + ">\n";
}

// Cheddar wants these of everything that schedules.
std::string scheduling(const std::string& scheduler) {
  return "<scheduling><scheduling_parameters>\n" + line("scheduler_type", scheduler) + line("quantum", "0") +
         line("preemptive_type", "PREEMPTIVE") + line("capacity", "0") + line("period", "0") + line("priority", "0") +
         line("start_time", "0") + "</scheduling_parameters></scheduling>\n";
}

std::string sizes(bool heap) {
  std::string text = line("text_memory_size", "0") + line("stack_memory_size", "0");
  return heap ? text + line("data_memory_size", "0") + line("heap_memory_size", "0") : text;
}

std::string core_text(const Station& station, size_t n) {
  return "<core_unit id=\"core_" + std::to_string(n) + "\">\n" + line("object_type", "CORE_OBJECT_TYPE") +
         line("name", station.name + "_core") + scheduling(kPosix) + line("speed", "0.00000") + "</core_unit>\n";
}

std::string processor_text(const Station& station, size_t n) {
  return "<mono_core_processor id=\"processor_" + std::to_string(n) + "\">\n" +
         line("object_type", "PROCESSOR_OBJECT_TYPE") + line("name", station.name) +
         line("processor_type", "MONOCORE_TYPE") + line("migration_type", "NO_MIGRATION_TYPE") + "<core ref=\"core_" +
         std::to_string(n) + "\"></core>\n</mono_core_processor>\n";
}

std::string space_text(const Station& station, size_t n) {
  return "<address_space id=\"space_" + std::to_string(n) + "\">\n" + line("object_type", "ADDRESS_SPACE_OBJECT_TYPE") +
         line("name", station.name + "_space") + line("cpu_name", station.name) + sizes(true) +
         scheduling("NO_SCHEDULING_PROTOCOL") + "</address_space>\n";
}

Result<std::string> task_text(const StationTask& task, const StationSet& set, size_t n, Time unit) {
  const std::string& cpu = set.stations[task.stages.front().station].name;
  Time capacity = 0;
  for (const StationStage& stage : task.stages) capacity += stage.worst;
  for (const Time time : {capacity, task.period, task.deadline, task.jitter, task.offset.value_or(0)})
    if (time % unit != 0)
      return fail("task \"" + task.name + "\": times are no whole numbers of units; expected a smaller unit");
  const auto units = [&](Time time) { return std::to_string(time / unit); };
  return "<periodic_task id=\"task_" + std::to_string(n) + "\">\n" + line("object_type", "TASK_OBJECT_TYPE") +
         line("name", xml_escaped(task.name)) + line("task_type", "PERIODIC_TYPE") + line("cpu_name", cpu) +
         line("address_space_name", cpu + "_space") + line("capacity", units(capacity)) +
         line("deadline", units(task.deadline)) + line("start_time", units(task.offset.value_or(0))) +
         line("priority", std::to_string(static_cast<int>(set.tasks.size()) + 1 - task.rank)) +
         line("blocking_time", "0") + line("policy", "SCHED_FIFO") + sizes(false) + line("criticality", "0") +
         line("context_switch_overhead", "0") + line("period", units(task.period)) +
         line("jitter", units(task.jitter)) + line("every", "0") + "</periodic_task>\n";
}

// Reading: what the tags of one task say.
struct Read {
  int line = 0;
  std::map<std::string, std::string> fields;
};

Result<Time> number(const Read& task, const std::string& name, Time unit, std::optional<Time> usual = {}) {
  const std::string where = "line " + std::to_string(task.line) + ", <" + name + ">: ";
  const auto found = task.fields.find(name);
  if (found == task.fields.end()) {
    if (usual) return *usual;
    return fail(where + "missing");
  }
  const auto value = whole_number(found->second);
  if (!value || *value < 0 || *value > kLongest / unit)
    return fail(where + "'" + found->second + "', expected a whole number");
  return *value * unit;
}

Result<Task> task_of(const Read& read, Time unit, std::map<std::string, int>& cpus) {
  Task task;
  const std::string where = "line " + std::to_string(read.line) + ", ";
  for (const char* none : {"blocking_time", "context_switch_overhead"}) {
    const auto value = number(read, none, 1, 0);
    if (!value) return tl::unexpected(value.error());
    if (*value != 0) return fail(where + "<" + none + ">: " + std::to_string(*value) + ", expected 0");
  }
  const auto period = number(read, "period", unit), capacity = number(read, "capacity", unit),
             jitter = number(read, "jitter", unit, 0), start = number(read, "start_time", unit, 0),
             priority = number(read, "priority", 1, 1);
  for (const auto& value : {period, capacity, jitter, start, priority})
    if (!value) return tl::unexpected(value.error());
  const auto deadline = number(read, "deadline", unit, *period);
  if (!deadline) return tl::unexpected(deadline.error());
  const auto name = read.fields.find("name"), cpu = read.fields.find("cpu_name");
  if (name == read.fields.end()) return fail(where + "<name>: missing");
  if (cpu == read.fields.end()) return fail(where + "<cpu_name>: missing");
  task.name = name->second;
  task.period = *period;
  task.deadline = *deadline;
  task.jitter = *jitter;
  if (*start > 0) task.offset = *start;
  task.priority = static_cast<int>(*priority);
  task.cpu = cpus.emplace(cpu->second, static_cast<int>(cpus.size())).first->second;
  task.stages.emplace_back();
  task.stages.back().worst = {*capacity};
  return task;
}

Result<void> check_tag(const Tag& tag, std::string& scheduler, bool in_core) {
  const std::string where = "line " + std::to_string(tag.line) + ", <" + tag.name + ">: ";
  for (const char* unknown : {"dependency", "generic_resource", "message", "buffer", "multi_cores_processor",
                              "aperiodic_task", "poisson_task", "frame_task", "parametric_task"})
    if (tag.name == unknown) return fail(where + "expected none, it is not in this model");
  if (!in_core) return {};
  if (tag.name == "preemptive_type" && tag.text != "PREEMPTIVE")
    return fail(where + "'" + tag.text + "', expected PREEMPTIVE");
  if (tag.name != "scheduler_type") return {};
  if (tag.text != kPosix && tag.text != kRate && tag.text != kDeadlineMonotonic)
    return fail(where + "'" + tag.text + "', expected " + kPosix + ", " + kRate + " or " + kDeadlineMonotonic);
  if (!scheduler.empty() && scheduler != tag.text)
    return fail(where + "'" + tag.text + "', expected that of the first core, " + scheduler);
  scheduler = tag.text;
  return {};
}

// Priorities in the scheduler's order; among equals the first one is more urgent.
void give_priorities(TaskSet& set, const std::string& scheduler) {
  std::vector<size_t> order(set.tasks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Task &left = set.tasks[a], &right = set.tasks[b];
    if (scheduler == kRate) return left.period < right.period;
    if (scheduler == kDeadlineMonotonic) return left.deadline < right.deadline;
    return *left.priority > *right.priority;
  });
  for (size_t n = 0; n < order.size(); ++n) set.tasks[order[n]].priority = static_cast<int>(order.size() - n);
}

}  // namespace

Result<std::string> format_cheddar(const TaskSet& set, std::span<const int> modes, Time unit) {
  const auto stations = stations_of(set, modes, "Cheddar");
  if (!stations) return tl::unexpected(stations.error());
  std::string cores, processors, spaces, tasks;
  for (size_t n = 0; n < stations->stations.size(); ++n) {
    const Station& station = stations->stations[n];
    if (!station.preemptive) return fail(station.name + ": in use, expected CPU stages alone for Cheddar");
    cores += core_text(station, n);
    processors += processor_text(station, n);
    spaces += space_text(station, n);
  }
  for (size_t n = 0; n < stations->tasks.size(); ++n) {
    const auto text = task_text(stations->tasks[n], *stations, n, unit);
    if (!text) return tl::unexpected(text.error());
    tasks += *text;
  }
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<cheddar>\n<core_units>\n" + cores +
         "</core_units>\n<processors>\n" + processors + "</processors>\n<address_spaces>\n" + spaces +
         "</address_spaces>\n<tasks>\n" + tasks + "</tasks>\n</cheddar>\n";
}

Result<TaskSet> parse_cheddar(const std::string& text, Time unit) {
  const auto tags = parse_tags(text);
  if (!tags) return tl::unexpected(tags.error());
  std::vector<Read> read;
  std::string scheduler;
  bool in_core = false, in_task = false;
  for (const Tag& tag : *tags) {
    if (auto good = check_tag(tag, scheduler, in_core); !good) return tl::unexpected(good.error());
    if (tag.name == "core_unit" || tag.name == "/core_unit") in_core = tag.name[0] != '/';
    const bool task = tag.name.ends_with("periodic_task") || tag.name.ends_with("sporadic_task");
    if (task) in_task = tag.name[0] != '/';
    if (task && in_task) read.push_back({tag.line, {}});
    if (in_task && !task && tag.name[0] != '/') read.back().fields[tag.name] = tag.text;
  }
  if (read.empty()) return fail("no <periodic_task>, expected a Cheddar model");
  TaskSet set;
  std::map<std::string, int> cpus;
  for (const Read& one : read) {
    auto task = task_of(one, unit, cpus);
    if (!task) return tl::unexpected(task.error());
    set.tasks.push_back(std::move(*task));
  }
  set.platform.cpus = static_cast<int>(cpus.size());
  give_priorities(set, scheduler);
  if (auto good = check(set, Model::partitioned); !good) return tl::unexpected(good.error());
  return set;
}

}  // namespace samcl::analysis
