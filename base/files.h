// Files as whole texts, and a folder for those that nobody keeps.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace samcl {

// Errors name the file.
Result<std::string> read_file(const std::string& path);
Result<void> write_file(const std::string& path, const std::string& text);

// An empty folder among the temporary files that is gone with the object.
class TemporaryFolder {
 public:
  // Throws std::system_error if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace samcl
