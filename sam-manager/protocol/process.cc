#include "sam-manager/protocol/process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace samcl::protocol {

int open_pidfd(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

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

bool process_is_stopped(pid_t pid) {
  const std::string fields = stat_fields(pid);
  return fields.size() > 1 && (fields[1] == 'T' || fields[1] == 't');
}

std::string process_executable(pid_t pid) {
  std::array<char, PATH_MAX> path{};
  const ssize_t bytes =
      readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path.data(), path.size() - 1);
  return bytes > 0 ? std::string(path.data(), static_cast<size_t>(bytes)) : "";
}

}  // namespace samcl::protocol
