#include "kernel-translator/rewrite/source_edits.h"

#include <algorithm>

namespace samcl::translator {

std::string unused_prefix(const std::vector<ReadSource>& sources) {
  const auto is_used = [&](const std::string& prefix) {
    return std::any_of(sources.begin(), sources.end(),
                       [&](const ReadSource& each) { return each.text.find(prefix + "_") != std::string::npos; });
  };
  std::string prefix = "samcl";
  for (unsigned number = 2; is_used(prefix); ++number) prefix = "samcl" + std::to_string(number);
  return prefix;
}

bool SourceEdits::replace(size_t source, Offset at, size_t length, const std::string& text) {
  if (!at) return false;
  const auto number = [](size_t value) { return static_cast<unsigned>(value); };
  llvm::Error error = edits_[source].add({"program.cl", number(*at), number(length), text});
  return !llvm::errorToBool(std::move(error));
}

std::string SourceEdits::applied(size_t source, const std::string& text) const {
  return llvm::cantFail(clang::tooling::applyAllReplacements(text, edits_[source]));
}

}  // namespace samcl::translator
