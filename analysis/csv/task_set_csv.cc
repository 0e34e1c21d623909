#include "analysis/csv/task_set_csv.h"

#include <algorithm>
#include <array>
#include <regex>

#include "analysis/csv/rows.h"
#include "analysis/model/number_text.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array kStageFields = {"resource", "requests"};
// A column each, or one for each mode: worst_1, worst_2.
constexpr std::array kByMode = {"worst", "best", "section", "between", "host", "host_section", "threads"};
constexpr std::array kTasksByMode = {"work"};  // likewise, of a task
constexpr const char* kDevices = "devices";    // "1 0"

template <size_t count>
bool is_one_of(const std::array<const char*, count>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

json value_of(const std::string& cell) {
  if (const auto number = whole_number(cell)) return *number;
  if (cell == "true" || cell == "false") return cell == "true";
  return cell;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

// "# cpus=4 pci=1 gpus=2" in the first line, and " bound=1" where devices are bound.
Result<json> platform_of(const std::string& text) {
  const std::string first = text.substr(0, text.find_first_of("\r\n"));
  json platform = json::object();
  for (const std::string& word : split(first)) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = word.substr(0, equals);
    platform[name] = value_of(word.substr(equals + 1));
    if (name == "bound" && platform[name].is_number()) platform[name] = platform[name] != 0;
  }
  if (!first.starts_with('#') || platform.empty())
    return fail("line 1: \"" + first + "\", expected the platform, as # cpus=4 pci=1 gpus=2");
  return platform;
}

// A cell of column `name`; the name's own field, or the element of a list by mode.
void put(json& task, json& stage, const std::string& name, const std::string& cell) {
  const size_t last = name.rfind('_');
  const std::string kind = name.substr(0, last);
  const int64_t mode = last == std::string::npos ? 0 : whole_number(name.substr(last + 1)).value_or(0);
  if (name == "task")
    task["name"] = cell;
  else if (name == kDevices)
    for (const std::string& device : split(cell)) task[kDevices].push_back(value_of(device));
  else if (mode >= 1 && mode <= kMaxElements && is_one_of(kByMode, kind))
    stage[kind][static_cast<size_t>(mode - 1)] = value_of(cell);
  else if (mode >= 1 && mode <= kMaxElements && is_one_of(kTasksByMode, kind))
    task[kind][static_cast<size_t>(mode - 1)] = value_of(cell);
  else if (is_one_of(kByMode, name) || is_one_of(kStageFields, name))
    stage[name] = value_of(cell);
  else
    task[name] = value_of(cell);
}

// The document that the lines are, and of each task's stages the lines.
struct Document {
  json tasks = json::array();
  std::vector<std::vector<int>> lines;

  void add(const CsvRow& names, const CsvRow& row) {
    json task = json::object(), stage = task;
    for (size_t n = 0; n < std::min(names.cells.size(), row.cells.size()); ++n)
      if (!row.cells[n].empty()) put(task, stage, names.cells[n], row.cells[n]);
    // Further stages of the task above may leave out what is the task's.
    if (tasks.empty() || (task.contains("name") && task["name"] != tasks.back()["name"])) {
      tasks.push_back(json::object());
      lines.emplace_back();
    }
    for (const auto& [field, value] : task.items()) tasks.back().emplace(field, value);
    tasks.back()["stages"].push_back(std::move(stage));
    lines.back().push_back(row.line);
  }

  // "/tasks/0/stages/1/worst/0: ..." as "line 4, worst_1: ..."
  std::string by_line(const std::string& message) const {
    static const std::regex kPlace("^/tasks/(\\d+)(/stages/(\\d+))?/(\\w+)(/(\\d+))?"), kPlatform("^/platform/");
    std::smatch place;
    if (!std::regex_search(message, place, kPlace)) return std::regex_replace(message, kPlatform, "line 1, ");
    const size_t task = std::stoul(place[1]), stage = place[3].matched ? std::stoul(place[3]) : 0;
    const std::string field = place[4] == "name" ? "task" : place[4].str();
    return "line " + std::to_string(lines[task][stage]) + ", " + field +
           (place[6].matched && field != kDevices ? "_" + std::to_string(std::stoul(place[6]) + 1) : "") +
           place.suffix().str();
  }
};

// A line's cells by column; columns in the order in which they were met.
class Table {
 public:
  void start_line() { lines_.emplace_back(); }
  void add(const std::string& column, const ordered_json& value) {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    const auto index = static_cast<size_t>(found - columns_.begin());
    if (found == columns_.end()) columns_.push_back(column);
    lines_.back().resize(std::max(lines_.back().size(), index + 1));
    lines_.back()[index] = value.is_string() ? value.get<std::string>() : json_text(value);
  }
  std::string text() const {
    std::string text = format_row(columns_);
    for (std::vector<std::string> line : lines_) {
      line.resize(columns_.size());
      text += format_row(line);
    }
    return text;
  }

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> lines_;
};

// A value for each mode, or one for all.
void add_by_mode(Table& table, const std::string& field, const ordered_json& value, int modes) {
  for (int k = 0; k < modes; ++k)
    table.add(field + "_" + std::to_string(k + 1), value.is_array() ? value[static_cast<size_t>(k)] : value);
}

void add_task(Table& table, const ordered_json& task, int modes) {
  for (const auto& [field, value] : task.items()) {
    if (field == "stages") continue;
    if (is_one_of(kTasksByMode, field)) {
      add_by_mode(table, field, value, modes);
      continue;
    }
    if (field != kDevices) {
      table.add(field == "name" ? "task" : field, value);
      continue;
    }
    std::string list;
    for (const auto& device : value) list += (list.empty() ? "" : " ") + json_text(device);
    table.add(field, list);
  }
}

void add_stage(Table& table, const ordered_json& stage, int modes) {
  for (const auto& [field, value] : stage.items()) {
    if (is_one_of(kByMode, field))
      add_by_mode(table, field, value, modes);
    else
      table.add(field, value);
  }
}

}  // namespace

Result<TaskSetDocument> parse_task_set_csv(const std::string& text, Model model) {
  const auto platform = platform_of(text);
  if (!platform) return tl::unexpected(platform.error());
  const auto rows = parse_rows(text);
  if (!rows) return tl::unexpected(rows.error());
  if (rows->size() < 2) return fail("expected a line of column names, and a line per stage");
  Document document;
  for (size_t n = 1; n < rows->size(); ++n) document.add(rows->front(), (*rows)[n]);
  auto set = task_set_of({{"platform", *platform}, {"tasks", document.tasks}}, model);
  if (!set) return fail(document.by_line(set.error().message));
  return set;
}

std::string format_task_set_csv(const TaskSetDocument& document) {
  const ordered_json all = task_set_json(document);
  std::string text = "#";
  for (const auto& [name, value] : all["platform"].items())
    text += " " + name + "=" + (value.is_boolean() ? "1" : json_text(value));
  Table table;
  for (const auto& task : all["tasks"])
    for (const auto& stage : task["stages"]) {
      table.start_line();
      add_task(table, task, document.set.platform.gpus);
      add_stage(table, stage, document.set.platform.gpus);
    }
  return text + "\n" + table.text();
}

}  // namespace samcl::analysis
