#include "kernel-translator/client/file_stamp.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/hash_text.h"

namespace samcl {

std::string stamp_of_bytes(std::string_view bytes) { return std::to_string(bytes.size()) + " " + hash_text(bytes); }

std::string stamp_of_path(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return "absent";
  if (S_ISDIR(info.st_mode)) return "folder";
  if (!S_ISREG(info.st_mode)) return "special";
  std::ifstream file(path, std::ios::binary);
  if (!file) return "absent";
  return stamp_of_bytes(std::string(std::istreambuf_iterator<char>(file), {}));
}

bool is_of_contents(const std::string& stamp) { return !stamp.empty() && stamp[0] >= '0' && stamp[0] <= '9'; }

std::string stamp_of_program(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return "absent";
  const auto time = [](const timespec& when) {
    return std::to_string(when.tv_sec) + "." + std::to_string(when.tv_nsec);
  };
  return std::to_string(info.st_dev) + " " + std::to_string(info.st_ino) + " " + std::to_string(info.st_size) + " " +
         time(info.st_mtim) + " " + time(info.st_ctim);
}

}  // namespace samcl
