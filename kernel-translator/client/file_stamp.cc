#include "kernel-translator/client/file_stamp.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace samcl {
namespace {

using Hash = unsigned __int128;

// FNV-1a.
constexpr Hash kBasis = (Hash{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
constexpr Hash kPrime = (Hash{1} << 88) | 0x13b;

}  // namespace

std::string stamp_of_bytes(std::string_view bytes) {
  Hash hash = kBasis;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  char text[64];
  std::snprintf(text, sizeof text, "%zu %016llx%016llx", bytes.size(),
                static_cast<unsigned long long>(static_cast<uint64_t>(hash >> 64)),
                static_cast<unsigned long long>(static_cast<uint64_t>(hash)));
  return text;
}

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
