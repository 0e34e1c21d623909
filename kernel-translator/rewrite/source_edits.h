// Changes to the texts of a program's sources, collected before any is made.
#pragma once

#include <string>
#include <vector>

#include "clang/Tooling/Core/Replacement.h"
#include "kernel-translator/rewrite/linked_functions.h"

namespace samcl::translator {

// "samcl", or with a number behind it where the sources have such names already: a rewritten source is rewritten again
// where what one samcl launches is another one's program.
std::string unused_prefix(const std::vector<ReadSource>& sources);

class SourceEdits {
 public:
  explicit SourceEdits(size_t sources) : edits_(sources) {}

  // In place of `length` characters; false: it can't be done.
  bool replace(size_t source, Offset at, size_t length, const std::string& text);
  // In front of what stands there.
  bool insert(size_t source, Offset at, const std::string& text) { return replace(source, at, 0, text); }
  void clear() { edits_.assign(edits_.size(), {}); }

  bool changes(size_t source) const { return !edits_[source].empty(); }
  // `text`: of that source.
  std::string applied(size_t source, const std::string& text) const;

 private:
  std::vector<clang::tooling::Replacements> edits_;  // by source
};

}  // namespace samcl::translator
