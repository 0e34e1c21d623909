// Gives a source's kernels the place of their sub-kernel in the whole NDRange, as a last parameter, and makes
// the built-ins about it (get_group_id, get_num_groups, get_global_size, get_global_offset,
// get_global_linear_id) read it. Only what calls such a built-in, itself or through others, is changed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel-translator/frontend.h"
#include "kernel-translator/source_facts.h"

namespace samcl::translator {

// Reads the tree of `text`; afterwards holds the kernels and can rewrite.
class NdrangeRewriter : public TreeReader {
 public:
  // `static_functions`: the language has them.
  NdrangeRewriter(const std::string& text, bool static_functions)
      : text_(text), static_functions_(static_functions) {}

  void read(clang::ASTContext& tree) override;

  // In the order of the source; the memory facts are not filled in yet.
  std::vector<Kernel>& kernels() { return kernels_; }

  // The new source, with the helpers on the line before it.
  std::string rewritten() const;

 private:
  struct Edit {
    size_t length;  // characters replaced
    std::string text;
  };

  std::string helpers() const;

  const std::string& text_;
  bool static_functions_;
  std::vector<Kernel> kernels_;
  std::set<std::string> builtins_;  // the affected ones that any function names
  std::map<size_t, Edit> edits_;    // by offset in text_
};

}  // namespace samcl::translator
