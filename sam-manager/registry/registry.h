// The tasks the administrator registered: their priorities and timing, and which programs are theirs. Kept in
// a JSON file that is replaced as a whole, or in memory alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace samcl::registry {

constexpr uint32_t kMostWeight = 1000;
constexpr uint64_t kMostMemory = uint64_t{1} << 50;
constexpr int64_t kLongestHold = 60'000'000'000;  // ns

struct Task {
  std::string name;
  int priority = 0;                  // larger is more urgent
  uint64_t period_ns = 0;            // 0: it has a share
  uint64_t deadline_ns = 0;          // relative; likewise
  uint32_t gpus = 0;                 // mode; 0: as many as there are
  std::string match;                 // executable: a path, or a name without '/'; "": found by the task's name alone
  std::vector<std::string> devices;  // it may use (see placement.h); empty: all
  std::string profile = {};          // as planning/profile.h formats it; "": none
  // Of its share of what real-time tasks leave, beside other programs without deadlines; it has no priority, period,
  // deadline or profile then. 0: it is a real-time task.
  uint32_t weight = 0;
  uint64_t memory_bytes = 0;  // that it reserves on each of its devices
  // For how long its jobs wait at their begin, at most, for what is being built, until something is promised of them;
  // 0: they do not; negative: as configured.
  int64_t hold_ns = -1;
};

nlohmann::json to_json(const Task& task);

// The other way. Errors name the field: a time that is not positive, a name with control characters, ...
Result<Task> task_from_json(const nlohmann::json& value);

using Tasks = std::map<std::string, Task>;

// What save() wrote. Errors name the task and the field.
Result<Tasks> parse_tasks(const std::string& text);

// The file's old text or the new one, never a part of it. Waits for the disk. Errors: it can't be written.
Result<void> save(const std::string& file, const Tasks& tasks);

// What an administrator probably did not mean by a task among the others; empty: nothing.
std::vector<std::string> doubts(const Task& task, const Tasks& tasks);

class Registry {
 public:
  // Reads `file`, which need not exist yet; "" keeps tasks in memory. Errors: unreadable, or not written by
  // us.
  static Result<Registry> open(const std::string& file);

  // The task of a program that asks for `name` ("": it does not ask) and runs `executable`; nullptr: none.
  const Task* find(const std::string& name, const std::string& executable) const;

  const Tasks& tasks() const { return *tasks_; }
  // As they are now, for another thread.
  std::shared_ptr<const Tasks> share() const { return tasks_; }
  const std::string& file() const { return file_; }
  void replace(Tasks tasks) { tasks_ = std::make_shared<const Tasks>(std::move(tasks)); }

 private:
  explicit Registry(std::string file) : file_(std::move(file)) {}

  std::string file_;
  std::shared_ptr<const Tasks> tasks_ = std::make_shared<const Tasks>();
};

}  // namespace samcl::registry
