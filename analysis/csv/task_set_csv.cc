#include "analysis/csv/task_set_csv.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "analysis/csv/rows.h"
#include "analysis/json/time_text.h"
#include "analysis/model/placement.h"

namespace samcl::analysis {
namespace {

const std::vector<std::string> kTaskColumns = {"task", "period", "deadline", "priority", "mode", "resource", "section"};

// Only where some task or stage has such. Devices: "1 0".
constexpr const char* kDevices = "devices";
constexpr const char* kMostGpus = "most_gpus";
constexpr const char* kRequests = "requests";

std::string column(const char* kind, size_t mode) { return std::string(kind) + "_" + std::to_string(mode); }

// One line, its cells by column name.
class Line {
 public:
  Line(const CsvRow& names, const CsvRow& row) : names_(names.cells), row_(row) {}

  tl::unexpected<Error> wrong(const std::string& name, const std::string& expected) const {
    return fail("line " + std::to_string(row_.line) + ", " + name + ": \"" + text(name) + "\", expected " + expected);
  }
  bool has(const std::string& name) const { return !text(name).empty(); }
  std::string text(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto index = static_cast<size_t>(found - names_.begin());
    return index < row_.cells.size() ? row_.cells[index] : "";
  }
  // A number of nanoseconds, or a time with unit.
  Result<Time> time(const std::string& name) const {
    auto plain = whole<Time>(name);
    if (plain) return plain;
    auto time = parse_time(text(name));
    if (!time) return wrong(name, "whole nanoseconds, or a time such as 40ms");
    return time;
  }
  template <typename Number>
  Result<Number> whole(const std::string& name) const {
    const std::string cell = text(name);
    Number value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (cell.empty() || error != std::errc() || end != cell.data() + cell.size()) return wrong(name, "a whole number");
    return value;
  }

 private:
  const std::vector<std::string>& names_;
  const CsvRow& row_;
};

// "# cpus=4 pci=1 gpus=2" in the first line, and " bound=1" where devices are bound: then without pci.
Result<Platform> read_platform(const std::string& text) {
  const std::string first = text.substr(0, text.find('\n'));
  const auto number = [&](const char* name) -> std::optional<int> {
    const std::string key = std::string(" ") + name + "=";
    const size_t at = first.find(key);
    int value = 0;
    if (first.empty() || first[0] != '#' || at == std::string::npos ||
        std::from_chars(first.data() + at + key.size(), first.data() + first.size(), value).ec != std::errc())
      return std::nullopt;
    return value;
  };
  Platform platform;
  platform.bound = number("bound").value_or(0) != 0;
  for (const auto& [name, count] :
       {std::pair{"cpus", &platform.cpus}, {"gpus", &platform.gpus}, {"pci", &platform.links}}) {
    const auto value = platform.bound && count == &platform.links ? number(name).value_or(platform.gpus) : number(name);
    if (!value) return fail("line 1: \"" + first + "\", expected the platform, as # cpus=4 pci=1 gpus=2");
    *count = *value;
    if (*count < 1 || *count > kMaxElements)
      return fail("line 1, " + std::string(name) + ": " + std::to_string(*count) + ", expected 1 to " +
                  std::to_string(kMaxElements));
  }
  return platform;
}

Result<void> check_names(const CsvRow& names, size_t modes) {
  std::vector<std::string> known = kTaskColumns;
  for (size_t k = 1; k <= modes; ++k) known.push_back(column("worst", k));
  const size_t required = known.size();
  for (size_t k = 1; k <= modes; ++k) known.push_back(column("best", k));
  for (size_t k = 1; k <= modes; ++k) known.push_back(column("between", k));
  known.emplace_back(kRequests);
  known.emplace_back(kDevices);
  known.emplace_back(kMostGpus);
  const std::string where = "line " + std::to_string(names.line) + ": ";
  for (size_t n = 0; n < required; ++n)
    if (std::find(names.cells.begin(), names.cells.end(), known[n]) == names.cells.end())
      return fail(where + "column " + known[n] + " is missing");
  for (const std::string& name : names.cells)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(where + "column " + name + " is unknown, expected one of " + format_row(known));
  return {};
}

Result<Stage> read_stage(const Line& line, size_t modes) {
  Stage stage;
  const auto* const resource = std::find_if(kResources.begin(), kResources.end(),
                                            [&](Resource entry) { return line.text("resource") == name(entry); });
  if (resource == kResources.end()) return line.wrong("resource", "CPU, PCI or GPU");
  stage.resource = *resource;
  if (line.has("section")) {
    const auto section = line.time("section");
    if (!section) return tl::unexpected(section.error());
    stage.section = *section;
  }
  if (line.has(kRequests)) {
    const auto requests = line.whole<int>(kRequests);
    if (!requests) return tl::unexpected(requests.error());
    stage.requests = *requests;
  }
  for (const auto& [kind, times, required] :
       {std::tuple{"worst", &stage.worst, true}, {"best", &stage.best, false}, {"between", &stage.between, false}}) {
    if (!required && !line.has(column(kind, 1))) continue;
    for (size_t k = 1; k <= modes; ++k) {
      const auto time = line.time(column(kind, k));
      if (!time) return tl::unexpected(time.error());
      times->push_back(*time);
    }
  }
  return stage;
}

Result<std::vector<int>> read_devices(const Line& line) {
  const std::string cell = line.text(kDevices);
  std::vector<int> devices;
  const char* at = cell.data();
  const char* const end = cell.data() + cell.size();
  while (at != end) {
    int device = 0;
    const auto [next, error] = std::from_chars(at, end, device);
    if (error != std::errc() || (next != end && (*next != ' ' || next + 1 == end)))
      return line.wrong(kDevices, "GPUs from 0, with a blank between two, as 1 0");
    devices.push_back(device);
    at = next == end ? end : next + 1;
  }
  return devices;
}

// What a task's first line says of the task.
Result<void> read_task(const Line& line, TaskSetDocument& document) {
  Task task;
  task.name = line.text("task");
  const auto period = line.time("period");
  if (!period) return tl::unexpected(period.error());
  const auto deadline = line.has("deadline") ? line.time("deadline") : period;
  if (!deadline) return tl::unexpected(deadline.error());
  const auto mode = line.has("mode") ? line.whole<int>("mode") : Result<int>(1);
  if (!mode) return tl::unexpected(mode.error());
  if (line.has("priority")) {
    const auto priority = line.whole<int>("priority");
    if (!priority) return tl::unexpected(priority.error());
    task.priority = *priority;
  }
  auto devices = read_devices(line);
  if (!devices) return tl::unexpected(devices.error());
  task.devices = std::move(*devices);
  if (line.has(kMostGpus)) {
    const auto most = line.whole<int>(kMostGpus);
    if (!most) return tl::unexpected(most.error());
    task.most_gpus = *most;
  }
  task.period = *period;
  task.deadline = *deadline;
  document.set.tasks.push_back(std::move(task));
  document.modes.push_back(*mode);
  return {};
}

}  // namespace

Result<TaskSetDocument> parse_task_set_csv(const std::string& text) {
  const auto platform = read_platform(text);
  if (!platform) return tl::unexpected(platform.error());
  const auto rows = parse_rows(text);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->size() < 2) return fail("expected a line of column names, and a line per stage");
  const auto modes = static_cast<size_t>(platform->gpus);
  if (auto good = check_names(rows->front(), modes); !good) return tl::unexpected(good.error());
  TaskSetDocument document;
  document.set.platform = *platform;
  for (size_t n = 1; n < rows->size(); ++n) {
    const Line line(rows->front(), (*rows)[n]);
    auto& tasks = document.set.tasks;
    // Further stages of the task above may leave out what is the task's.
    if (tasks.empty() || (line.has("task") && line.text("task") != tasks.back().name))
      if (auto good = read_task(line, document); !good) return tl::unexpected(good.error());
    auto stage = read_stage(line, modes);
    if (!stage) return tl::unexpected(stage.error());
    tasks.back().stages.push_back(std::move(*stage));
  }
  if (auto good = check(document.set); !good) return tl::unexpected(good.error());
  if (auto good = check(document.set, document.modes); !good) return tl::unexpected(good.error());
  return document;
}

std::string format_task_set_csv(const TaskSetDocument& document) {
  const auto& [set, modes] = document;
  const auto count = static_cast<size_t>(set.platform.gpus);
  std::string text = "# cpus=" + std::to_string(set.platform.cpus) + " pci=" + std::to_string(set.platform.links) +
                     " gpus=" + std::to_string(set.platform.gpus) + (set.platform.bound ? " bound=1\n" : "\n");
  std::vector<std::string> names = kTaskColumns;
  const bool lists =
      std::any_of(set.tasks.begin(), set.tasks.end(), [](const Task& task) { return !task.devices.empty(); });
  const bool limits =
      std::any_of(set.tasks.begin(), set.tasks.end(), [](const Task& task) { return task.most_gpus > 0; });
  const bool requests = std::any_of(set.tasks.begin(), set.tasks.end(), [](const Task& task) {
    return std::any_of(task.stages.begin(), task.stages.end(), [](const Stage& stage) { return stage.requests > 1; });
  });
  std::vector<const char*> kinds = {"worst", "best"};
  if (requests) kinds.push_back("between");
  for (const char* const kind : kinds)
    for (size_t k = 1; k <= count; ++k) names.push_back(column(kind, k));
  if (requests) names.emplace_back(kRequests);
  if (lists) names.emplace_back(kDevices);
  if (limits) names.emplace_back(kMostGpus);
  text += format_row(names);
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    for (const Stage& stage : task.stages) {
      std::vector<std::string> cells = {task.name,
                                        std::to_string(task.period),
                                        std::to_string(task.deadline),
                                        task.priority ? std::to_string(*task.priority) : "",
                                        std::to_string(modes[i]),
                                        name(stage.resource),
                                        stage.section > 0 ? std::to_string(stage.section) : ""};
      for (const Time time : stage.worst) cells.push_back(std::to_string(time));
      for (size_t k = 0; k < count; ++k) cells.push_back(stage.best.empty() ? "" : std::to_string(stage.best[k]));
      for (size_t k = 0; requests && k < count; ++k)
        cells.push_back(stage.between.empty() ? "" : std::to_string(stage.between[k]));
      if (requests) cells.push_back(std::to_string(stage.requests));
      if (lists) cells.push_back(format_devices(task.devices));
      if (limits) cells.push_back(task.most_gpus > 0 ? std::to_string(task.most_gpus) : "");
      text += format_row(cells);
    }
  }
  return text;
}

}  // namespace samcl::analysis
