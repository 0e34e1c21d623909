// The translator's answers, kept on disk.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace samcl {

// One directory of answers. Entries are written under another name and renamed, so readers and writers of
// many processes need no lock. An entry holds the whole question and is ignored unless it is the one asked,
// complete, and the files it depended on hold what they held. A directory that can't be written is no cache.
class TranslationCache {
 public:
  explicit TranslationCache(std::string directory) : directory_(std::move(directory)) {}

  std::optional<std::string> find(const std::string& question) const;
  // includes: stamps, by path, of what must be unchanged for the answer to hold.
  void keep(const std::string& question, const std::string& answer,
            const std::map<std::string, std::string>& includes) const;

 private:
  std::string path_of(const std::string& question) const;
  bool is_to_be_counted() const;
  void bound() const;
  std::string directory_;
};

}  // namespace samcl
