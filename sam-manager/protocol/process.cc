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

uint64_t process_start_time(pid_t pid) {
  const int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 1024> text{};
  const ssize_t bytes = read(file, text.data(), text.size() - 1);
  close(file);
  if (bytes <= 0) return 0;
  // The name, field 2, is in parentheses and may hold anything; the start time is field 22.
  const char* at = std::strrchr(text.data(), ')');
  for (int field = 2; at && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at ? std::strtoull(at + 1, nullptr, 10) : 0;
}

std::string process_executable(pid_t pid) {
  std::array<char, PATH_MAX> path{};
  const ssize_t bytes =
      readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path.data(), path.size() - 1);
  return bytes > 0 ? std::string(path.data(), static_cast<size_t>(bytes)) : "";
}

}  // namespace samcl::protocol
