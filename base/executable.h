// Where the program that runs is installed: what belongs to it lies beside it.
#pragma once

#include <filesystem>
#include <system_error>

namespace samcl {

// The folder of the running executable; empty if the system does not tell (no /proc).
inline std::filesystem::path own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace samcl
