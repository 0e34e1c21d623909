// The translator's answers, kept on disk.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace samcl {

// One directory of answers. Entries are written under another name and renamed, so readers and writers of
// many processes need no lock. An entry holds the whole question and is ignored unless it is the one asked,
// complete, and the files it depended on are as they were. A directory that can't be written is no cache.
class TranslationCache {
 public:
  explicit TranslationCache(std::string directory) : directory_(std::move(directory)) {}

  std::optional<std::string> find(const std::string& question) const;
  // includes: files whose change makes the answer stale.
  void keep(const std::string& question, const std::string& answer, const std::vector<std::string>& includes) const;

 private:
  std::string path_of(const std::string& question) const;
  void bound() const;
  std::string directory_;
};

// What changes when a file does: its size and time of modification; "absent" if it is not there.
std::string file_stamp(const std::string& path);

}  // namespace samcl
