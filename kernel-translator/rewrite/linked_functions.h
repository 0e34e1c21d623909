// The functions of a program that is one source, or several that are compiled apart and linked: which definition a name
// means in each of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel-translator/read/source_functions.h"

namespace samcl::translator {

// One of a program's sources, preprocessed and read.
struct ReadSource {
  const std::string& text;
  const SourceFunctions& functions;
  bool static_functions;            // its language has them
  std::vector<std::string> macros;  // that its build options define or undefine
};

class LinkedFunctions {
 public:
  using Id = std::pair<size_t, std::string>;  // a function: its source and its key there

  // The texts must outlive it.
  explicit LinkedFunctions(std::vector<ReadSource> sources);

  // Why the sources are no program that could be understood; empty if they are.
  const std::string& error() const { return error_; }

  const std::vector<ReadSource>& sources() const { return sources_; }
  const Function& function(const Id& id) const { return sources_[id.first].functions.functions.at(id.second); }
  // The function with a body that the key means in a source.
  std::optional<Id> definition(size_t source, const std::string& key) const;

 private:
  void join();

  std::vector<ReadSource> sources_;
  std::string error_;
  std::map<std::string, Id> external_;  // defined for all sources
};

}  // namespace samcl::translator
