// A manager that an experiment begins for itself, and programs that run on beside what it measures. All end with their
// objects.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "tools/process/child.h"

namespace samcl::bench {

inline constexpr double kLongestRunS = 600;  // of one program

// Runs it to its end. Errors: it fails, or takes too long; with what it wrote.
Result<process::Ending> succeed(const std::vector<std::string>& words,
                                const std::map<std::string, std::string>& changes = {});

// Programs that run until this ends.
class Neighbours {
 public:
  Neighbours() = default;
  ~Neighbours();
  Neighbours(Neighbours&& other) noexcept;
  Neighbours& operator=(Neighbours&&) = delete;

  // One that can't be started is missed when they are counted. instance: of the manager that it finds.
  void begin(std::vector<std::string> words, const std::string& instance);

 private:
  std::vector<pid_t> processes_;
};

class OwnManager {
 public:
  // folder: of sam-run, sam-managerd and sam-ctl.
  OwnManager(std::string folder, std::string instance) : folder_(std::move(folder)), instance_(std::move(instance)) {}
  ~OwnManager() { end(); }
  OwnManager(const OwnManager&) = delete;
  OwnManager& operator=(const OwnManager&) = delete;

  const std::string& instance() const { return instance_; }
  std::string tool(const char* name) const { return folder_ + "/" + name; }

  Result<void> begin(const std::string& configuration);
  void end();
  // What sam-ctl prints.
  Result<std::string> ctl(std::vector<std::string> words) const;
  // So many programs of no task, once all of them are at work.
  Result<Neighbours> begin_neighbours(const std::vector<std::string>& program, unsigned count) const;

 private:
  const std::string folder_, instance_;
  const TemporaryFolder files_;
  bool runs_ = false;
};

}  // namespace samcl::bench
