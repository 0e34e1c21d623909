// Gives a program's kernels the place of their sub-kernel in the whole NDRange, as a last parameter, and makes
// the built-ins about it (get_group_id, get_num_groups, get_global_size, get_global_offset,
// get_global_linear_id) read it. Only what calls such a built-in, itself or through others, is changed. A
// program is one source, or several that are compiled apart and linked: a function's new parameter is then
// passed and declared in all of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang/Tooling/Core/Replacement.h"
#include "kernel-translator/read/source_facts.h"
#include "kernel-translator/read/source_functions.h"

namespace samcl::translator {

// One of a program's sources, preprocessed and read.
struct ReadSource {
  const std::string& text;
  const SourceFunctions& functions;
  bool static_functions;  // its language has them
};

class NdrangeRewriter {
 public:
  // The texts must outlive it.
  explicit NdrangeRewriter(std::vector<ReadSource> sources);

  // Why the sources are no program that could be understood; empty if they are. Then there are kernels.
  const std::string& error() const { return error_; }

  // In the order of the sources; the memory facts are not filled in yet.
  std::vector<KernelFacts>& kernels() { return kernels_; }

  // The new source, with the helpers on the line before it; nullopt: it stays as it is.
  std::optional<std::string> rewritten(size_t source) const;

 private:
  using Id = std::pair<size_t, std::string>;  // a function: its source and its key there

  void join();
  std::optional<Id> definition(size_t source, const std::string& key) const;
  std::set<Id> reached_from(const Id& start) const;
  std::set<Id> find_affected() const;
  void finish_kernels();
  bool make_edits(const std::set<Id>& affected);
  bool edit_declarations(const Id& id, const Function& function);
  bool edit_calls(const Id& id, const Function& function, const std::set<Id>& affected);
  // In place of `length` characters; false: it can't be done.
  bool replace(size_t source, Offset at, size_t length, const std::string& text);

  const Function& function(const Id& id) const { return sources_[id.first].functions.functions.at(id.second); }
  std::string structure() const { return "struct " + prefix_ + "_ndrange"; }
  std::string parameter_name() const { return prefix_ + "_nd"; }
  std::string helper_parameter() const { return "__private const " + structure() + "* " + parameter_name(); }
  std::string helper(size_t source, const std::string& builtin) const;
  std::string helpers(size_t source) const;

  std::vector<ReadSource> sources_;
  std::string prefix_;  // of the names that we add
  std::string error_;
  std::map<std::string, Id> external_;  // defined for all sources
  std::vector<KernelFacts> kernels_;
  std::vector<clang::tooling::Replacements> edits_;  // by source
};

}  // namespace samcl::translator
