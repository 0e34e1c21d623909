#include "kernel-translator/rewrite/linked_functions.h"

namespace samcl::translator {

LinkedFunctions::LinkedFunctions(std::vector<ReadSource> sources) : sources_(std::move(sources)) { join(); }

// What linking does with names, and where it could not be foreseen what it does.
void LinkedFunctions::join() {
  for (size_t i = 0; i < sources_.size(); ++i)
    for (const auto& [key, function] : sources_[i].functions.functions)
      if (function.defined && function.linkage == Function::Linkage::external &&
          !external_.emplace(key, Id{i, key}).second)
        error_ = function.name + " is defined in two sources";
  for (size_t i = 0; i < sources_.size(); ++i) {
    for (const auto& [key, function] : sources_[i].functions.functions) {
      const auto found = external_.find(key);
      if (found == external_.end() || found->second.first == i) continue;
      const Function& other = this->function(found->second);
      if (function.linkage == Function::Linkage::inlined)
        error_ = "the inline function " + function.name + " is defined in another source, too";
      else if (function.linkage == Function::Linkage::external &&
               (function.type != other.type || function.kernel != other.kernel))
        error_ = function.name + " is declared otherwise than another source defines it";
    }
    for (const auto& [key, id] : external_)
      if (id.first != i && sources_[i].functions.builtins_named.count(function(id).name))
        error_ = "one source defines the built-in function " + function(id).name + ", another one uses it";
  }
}

std::optional<LinkedFunctions::Id> LinkedFunctions::definition(size_t source, const std::string& key) const {
  const auto& functions = sources_[source].functions.functions;
  const auto own = functions.find(key);
  if (own == functions.end()) return std::nullopt;
  if (own->second.defined) return Id{source, key};
  const auto other = external_.find(key);
  if (other == external_.end() || own->second.linkage != Function::Linkage::external) return std::nullopt;
  return other->second;
}

}  // namespace samcl::translator
