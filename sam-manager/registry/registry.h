// The tasks the administrator registered: their priorities and timing, and which programs are theirs. Kept in
// a JSON file that is replaced as a whole, or in memory alone.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "libsamcl/result.h"

namespace samcl::registry {

struct Task {
  std::string name;
  int priority = 0;  // larger is more urgent
  uint64_t period_ns = 0;
  uint64_t deadline_ns = 0;  // relative
  uint32_t gpus = 0;         // mode; 0: as many as there are
  std::string match;         // executable: a path, or a name without '/'; "": found by the task's name alone
  std::vector<std::string> devices;  // it may use (see placement.h); empty: all
  std::string profile = {};          // as planning/profile.h formats it; "": none
};

nlohmann::json to_json(const Task& task);

class Registry {
 public:
  // Reads `file`, which need not exist yet; "" keeps tasks in memory. Errors: unreadable, or not written by
  // us.
  static Result<Registry> open(const std::string& file);

  // Adds or replaces. On an error (the file can't be written) nothing has changed.
  Result<void> put(const Task& task);
  Result<void> remove(const std::string& name);  // errors: no such task; as above

  // The task of a program that asks for `name` ("": it does not ask) and runs `executable`; nullptr: none.
  const Task* find(const std::string& name, const std::string& executable) const;

  const std::map<std::string, Task>& tasks() const { return tasks_; }

 private:
  explicit Registry(std::string file) : file_(std::move(file)) {}
  Result<void> replace(std::map<std::string, Task> tasks);

  std::string file_;
  std::map<std::string, Task> tasks_;
};

}  // namespace samcl::registry
