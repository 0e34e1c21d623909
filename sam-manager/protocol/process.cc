#include "sam-manager/protocol/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace samcl::protocol {

int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

namespace {

// What /proc tells about it, from the field behind its name on: " S 1 ..."; "" if there is no such process.
// The name, field 2, is in parentheses and may hold anything.
std::string stat_fields(pid_t pid) {
  const int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::array<char, 1024> text{};
  const ssize_t bytes = read(file, text.data(), text.size() - 1);
  close(file);
  const char* name_end = bytes > 0 ? std::strrchr(text.data(), ')') : nullptr;
  return name_end ? name_end + 1 : "";
}

}  // namespace

uint64_t process_start_time(pid_t pid) {
  const std::string fields = stat_fields(pid);
  const char* at = fields.c_str();
  for (int field = 2; at && field < 22; ++field) at = std::strchr(field == 2 ? at : at + 1, ' ');
  return at ? std::strtoull(at + 1, nullptr, 10) : 0;
}

namespace {

// As control groups of both versions tell it: lines "ID:CONTROLLERS:PATH".
bool is_frozen(pid_t pid) {
  std::ifstream groups("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string path = line.substr(second + 1);
    if (path == "/") continue;  // can't be frozen
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string word;
    if (controllers == "freezer") {
      std::ifstream("/sys/fs/cgroup/freezer" + path + "/freezer.state") >> word;
      if (word == "FROZEN") return true;
    } else if (controllers.empty()) {
      for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        std::ifstream events(root + path + "/cgroup.events");
        for (int value = 0; events >> word >> value;)
          if (word == "frozen" && value == 1) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool process_is_stopped(pid_t pid) {
  const std::string fields = stat_fields(pid);
  return fields.size() > 1 && (fields[1] == 'T' || fields[1] == 't' || is_frozen(pid));
}

std::vector<pid_t> process_threads(pid_t pid) {
  std::vector<pid_t> threads;
  DIR* folder = opendir(("/proc/" + std::to_string(pid) + "/task").c_str());
  if (!folder) return threads;
  while (const dirent* entry = readdir(folder))
    if (const pid_t thread = std::atoi(entry->d_name); thread > 0) threads.push_back(thread);
  closedir(folder);
  return threads;
}

pid_t find_thread(pid_t pid, pid_t tid) {
  // The numbers of a thread in all namespaces from ours inwards: "NSpid: OURS ... ITS".
  const auto own_number = [folder = "/proc/" + std::to_string(pid) + "/task/"](pid_t thread) {
    std::ifstream status(folder + std::to_string(thread) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("NSpid:")) continue;
      std::istringstream numbers(line.substr(6));
      pid_t last = 0;
      for (pid_t number; numbers >> number;) last = number;
      return last;
    }
    return 0;
  };
  if (own_number(tid) == tid) return tid;
  for (const pid_t thread : process_threads(pid))
    if (own_number(thread) == tid) return thread;
  return 0;
}

std::string process_executable(pid_t pid) {
  std::array<char, PATH_MAX> path{};
  const ssize_t bytes = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path.data(), path.size() - 1);
  return bytes > 0 ? std::string(path.data(), static_cast<size_t>(bytes)) : "";
}

}  // namespace samcl::protocol
