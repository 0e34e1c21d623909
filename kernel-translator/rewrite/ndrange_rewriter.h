// Gives a program's kernels the place of their sub-kernel in the whole NDRange, as a last parameter, and makes
// the built-ins about it (get_group_id, get_num_groups, get_global_size, get_global_offset,
// get_global_linear_id) read it. Only what calls such a built-in, itself or through others, is changed. A
// program is one source, or several that are compiled apart and linked: a function's new parameter is then
// passed and declared in all of them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel-translator/read/source_facts.h"
#include "kernel-translator/rewrite/linked_functions.h"
#include "kernel-translator/rewrite/source_edits.h"

namespace samcl::translator {

class NdrangeRewriter {
 public:
  // The program has no error and must outlive it.
  explicit NdrangeRewriter(const LinkedFunctions& program);

  // In the order of the sources; the memory facts are not filled in yet.
  std::vector<KernelFacts>& kernels() { return kernels_; }

  // The new source, with the helpers on the line before it; nullopt: it stays as it is.
  std::optional<std::string> rewritten(size_t source) const;

 private:
  using Id = LinkedFunctions::Id;

  std::set<Id> reached_from(const Id& start) const;
  std::set<Id> find_affected() const;
  void finish_kernels();
  bool make_edits(const std::set<Id>& affected);
  bool edit_declarations(const Id& id, const Function& function);
  bool edit_calls(const Id& id, const Function& function, const std::set<Id>& affected);

  std::string structure() const { return "struct " + prefix_ + "_ndrange"; }
  std::string parameter_name() const { return prefix_ + "_nd"; }
  std::string helper_parameter() const { return "__private const " + structure() + "* " + parameter_name(); }
  std::string helper(size_t source, const std::string& builtin) const;
  std::string helpers(size_t source) const;

  const LinkedFunctions& program_;
  const std::vector<ReadSource>& sources_;
  std::string prefix_;  // of the names that we add
  std::vector<KernelFacts> kernels_;
  SourceEdits edits_;
};

}  // namespace samcl::translator
