#include "sam-manager/registry/registry.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json_text.h"
#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/limits.h"

namespace samcl::registry {

using nlohmann::json;
using protocol::Fields;
namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;
constexpr size_t kMaxFileBytes = 1 << 28;
constexpr int64_t kLongestTime = int64_t{86400} * 1'000'000'000 * 366;  // ns; a year

// The file holds the old text or the new one, never a part of it.
Result<void> write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  const std::string draft = file.string() + ".new";
  const int out = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool written = out >= 0 && write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(out) == 0 && rename(draft.c_str(), file.c_str()) == 0;
  const int why = errno;
  if (out >= 0) close(out);
  if (!written) unlink(draft.c_str());  // where the disk is full it would keep the next one from being written
  if (!written) return fail("cannot write the tasks to " + file.string() + ": " + std::strerror(why));
  return {};
}

}  // namespace

json to_json(const Task& task) {
  json value = {{"name", task.name}, {"gpus", task.gpus}, {"match", task.match}, {"devices", task.devices}};
  if (task.weight > 0)
    value["weight"] = task.weight;
  else
    value.update({{"priority", task.priority}, {"period_ns", task.period_ns}, {"deadline_ns", task.deadline_ns}});
  if (task.memory_bytes > 0) value["memory_bytes"] = task.memory_bytes;
  if (task.hold_ns >= 0) value["hold_ns"] = task.hold_ns;
  if (!task.profile.empty()) value["profile"] = read_json(task.profile);
  return value;
}

Result<Task> task_from_json(const json& value) {
  const bool named = value.is_object() && value.contains("name") && value["name"].is_string() &&
                     protocol::check_name(value["name"].get<std::string>(), protocol::kNameBytes - 1);
  Fields fields(value, named ? "task \"" + value["name"].get<std::string>() + "\"" : "a task");
  Task task;
  task.name = fields.name("name", protocol::kNameBytes - 1);
  task.weight = static_cast<uint32_t>(fields.integer_or("weight", 1, kMostWeight, 0));
  if (task.weight == 0) {
    task.priority = static_cast<int>(fields.integer("priority", INT32_MIN, INT32_MAX));
    task.period_ns = static_cast<uint64_t>(fields.integer("period_ns", 1, kLongestTime));
    task.deadline_ns = static_cast<uint64_t>(fields.integer("deadline_ns", 1, kLongestTime));
  }
  task.memory_bytes = static_cast<uint64_t>(fields.integer_or("memory_bytes", 0, kMostMemory, 0));
  task.hold_ns = fields.integer_or("hold_ns", -1, kLongestHold, -1);
  task.gpus = static_cast<uint32_t>(fields.integer_or("gpus", 0, protocol::kMaxDevices, 0));
  task.match = fields.text("match", protocol::kPathBytes - 1);
  task.devices = fields.names("devices", protocol::kMaxDevices, protocol::kNameBytes - 1);
  if (const json* profile = fields.object("profile")) task.profile = profile->dump();
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  for (const char* field : {"priority", "period_ns", "deadline_ns", "profile", "hold_ns"})
    if (task.weight > 0 && value.contains(field))
      return fail("task \"" + task.name + "\": " + field +
                  ": a task with a weight has no deadline: expected one of the two");
  if (!task.devices.empty() && task.gpus > task.devices.size())
    return fail("task \"" + task.name + "\": gpus: it is to use " + std::to_string(task.gpus) +
                " GPUs, but may use only " + std::to_string(task.devices.size()) + " devices");
  return task;
}

Result<Tasks> parse_tasks(const std::string& text) {
  const auto content = protocol::parse_json(text, kMaxFileBytes);
  if (!content) return tl::unexpected(content.error());
  Fields fields(*content, "the file");
  fields.integer("format", kFormat, kFormat);
  if (const auto read = fields.end(); !read) return tl::unexpected(read.error());
  const auto list = content->find("tasks");
  if (list == content->end() || !list->is_array()) return fail("tasks: expected an array");
  Tasks tasks;
  for (const json& entry : *list) {
    auto task = task_from_json(entry);
    if (!task) return tl::unexpected(task.error());
    Task& known = tasks[task->name];
    known = *std::move(task);
  }
  return tasks;
}

Result<void> save(const std::string& file, const Tasks& tasks) {
  json list = json::array();
  for (const auto& [name, task] : tasks) list.push_back(to_json(task));
  const json content = {{"format", kFormat}, {"tasks", list}};
  return write_file(file, json_text(content, 2) + "\n");
}

std::vector<std::string> doubts(const Task& task, const Tasks& tasks) {
  std::vector<std::string> found;
  if (task.priority > 98)
    found.push_back("priority " + std::to_string(task.priority) +
                    " is beyond 98: its threads get the real-time priority 98 like others beyond");
  for (const auto& [name, other] : tasks)
    if (name != task.name && !task.match.empty() && other.match == task.match)
      found.push_back("task \"" + name + "\" has the match " + task.match +
                      " too: programs of it are of the task whose name comes first");
  return found;
}

Result<Registry> Registry::open(const std::string& file) {
  Registry registry(file);
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return registry;
  // Anything else may have no end, or make us wait for one.
  if (!fs::is_regular_file(file, error)) return fail("cannot read the tasks in " + file + ": it is no regular file");
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return fail("cannot read the tasks in " + file);
  auto tasks = parse_tasks(text);
  if (!tasks)
    return fail(file + " is no list of tasks (" + tasks.error().message + "); move it away to start without tasks");
  registry.replace(*std::move(tasks));
  return registry;
}

const Task* Registry::find(const std::string& name, const std::string& executable) const {
  if (!name.empty()) {
    const auto found = tasks_->find(name);
    return found == tasks_->end() ? nullptr : &found->second;
  }
  for (const auto& [ignored, task] : *tasks_) {
    if (task.match.empty()) continue;
    const bool is_path = task.match.find('/') != std::string::npos;
    if (task.match == (is_path ? executable : fs::path(executable).filename().string())) return &task;
  }
  return nullptr;
}

}  // namespace samcl::registry
