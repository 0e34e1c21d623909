#include "sam-manager/registry/registry.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace samcl::registry {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;

Task from_json(const json& value) {
  return {value.at("name"),
          value.at("priority"),
          value.at("period_ns"),
          value.at("deadline_ns"),
          value.at("gpus"),
          value.at("match"),
          value.value("devices", std::vector<std::string>()),
          value.contains("profile") ? value["profile"].dump() : ""};
}

// The file holds the old text or the new one, never a part of it.
Result<void> write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  const std::string draft = file.string() + ".new";
  const int out = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool written = out >= 0 &&
                       write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(out) == 0 && rename(draft.c_str(), file.c_str()) == 0;
  const int why = errno;
  if (out >= 0) close(out);
  if (!written) return fail("cannot write the tasks to " + file.string() + ": " + std::strerror(why));
  return {};
}

}  // namespace

json to_json(const Task& task) {
  json value = {{"name", task.name},           {"priority", task.priority},
                {"period_ns", task.period_ns}, {"deadline_ns", task.deadline_ns},
                {"gpus", task.gpus},           {"match", task.match},
                {"devices", task.devices}};
  if (!task.profile.empty()) value["profile"] = json::parse(task.profile);
  return value;
}

Result<Registry> Registry::open(const std::string& file) {
  Registry registry(file);
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return registry;
  std::ifstream in(file);
  if (!in) return fail("cannot read the tasks in " + file);
  try {
    const json content = json::parse(in);
    if (content.at("format") != kFormat) return fail(file + " is not of this release of samcl");
    for (const json& entry : content.at("tasks")) {
      const Task task = from_json(entry);
      registry.tasks_[task.name] = task;
    }
  } catch (const json::exception& problem) {
    return fail(file + " is no list of tasks (" + problem.what() + "); move it away to start without tasks");
  }
  return registry;
}

Result<void> Registry::put(const Task& task) {
  auto changed = tasks_;
  changed[task.name] = task;
  return replace(std::move(changed));
}

Result<void> Registry::remove(const std::string& name) {
  auto changed = tasks_;
  if (changed.erase(name) == 0) return fail("no task \"" + name + "\" is registered");
  return replace(std::move(changed));
}

Result<void> Registry::replace(std::map<std::string, Task> tasks) {
  if (!file_.empty()) {
    json list = json::array();
    for (const auto& [name, task] : tasks) list.push_back(to_json(task));
    const json content = {{"format", kFormat}, {"tasks", list}};
    if (auto written = write_file(file_, content.dump(2) + "\n"); !written) return written;
  }
  tasks_ = std::move(tasks);
  return {};
}

const Task* Registry::find(const std::string& name, const std::string& executable) const {
  if (!name.empty()) {
    const auto found = tasks_.find(name);
    return found == tasks_.end() ? nullptr : &found->second;
  }
  for (const auto& [ignored, task] : tasks_) {
    if (task.match.empty()) continue;
    const bool is_path = task.match.find('/') != std::string::npos;
    if (task.match == (is_path ? executable : fs::path(executable).filename().string())) return &task;
  }
  return nullptr;
}

}  // namespace samcl::registry
