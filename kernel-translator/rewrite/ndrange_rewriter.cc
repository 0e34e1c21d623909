#include "kernel-translator/rewrite/ndrange_rewriter.h"

#include <algorithm>
#include <map>

namespace samcl::translator {

NdrangeRewriter::NdrangeRewriter(const LinkedFunctions& program)
    : program_(program), sources_(program.sources()), prefix_(unused_prefix(sources_)), edits_(sources_.size()) {
  finish_kernels();
  if (make_edits(find_affected())) return;
  edits_.clear();
  for (KernelFacts& kernel : kernels_)
    if (kernel.needs_ndrange_argument) {
      kernel.needs_ndrange_argument = false;
      kernel.no_slice("its use of " + *kernel.affected_builtins.begin() + " cannot be rewritten");
    }
}

// Everything that a function reaches, itself included.
std::set<NdrangeRewriter::Id> NdrangeRewriter::reached_from(const Id& start) const {
  std::set<Id> reached;
  std::vector<Id> open = {start};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (!reached.insert(id).second) continue;
    for (const std::string& callee : program_.function(id).functions)
      if (const auto next = program_.definition(id.first, callee)) open.push_back(*next);
  }
  return reached;
}

// All functions that reach an affected built-in.
std::set<NdrangeRewriter::Id> NdrangeRewriter::find_affected() const {
  std::map<Id, std::vector<Id>> callers;
  std::vector<Id> open;
  for (size_t i = 0; i < sources_.size(); ++i)
    for (const auto& [key, function] : sources_[i].functions.functions) {
      if (!function.builtins.empty()) open.push_back({i, key});
      for (const std::string& callee : function.functions)
        if (const auto id = program_.definition(i, callee)) callers[*id].push_back({i, key});
    }
  std::set<Id> affected;
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (!affected.insert(id).second) continue;
    const std::vector<Id>& more = callers[id];
    open.insert(open.end(), more.begin(), more.end());
  }
  return affected;
}

void NdrangeRewriter::finish_kernels() {
  for (size_t i = 0; i < sources_.size(); ++i)
    for (KernelFacts kernel : sources_[i].functions.kernels) {
      if (!sources_[i].functions.functions.count(kernel.name)) {
        kernel.no_slice("its calls are not understood");
        kernels_.push_back(std::move(kernel));
        continue;
      }
      for (const Id& id : reached_from({i, kernel.name})) {
        const Function& reached = program_.function(id);
        kernel.affected_builtins.insert(reached.builtins.begin(), reached.builtins.end());
        for (const std::string& callee : reached.functions)
          if (!program_.definition(id.first, callee))
            kernel.no_slice("calls " + sources_[id.first].functions.functions.at(callee).name +
                            ", which is defined elsewhere");
        if (reached.has_block) kernel.no_slice("uses a block");
      }
      kernel.needs_ndrange_argument = !kernel.affected_builtins.empty();
      kernels_.push_back(std::move(kernel));
    }
}

// Any place that it cannot rewrite makes it fail as a whole.
bool NdrangeRewriter::make_edits(const std::set<Id>& affected) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].functions.names_outside || sources_[i].functions.is_cpp) return false;
    for (const auto& [key, function] : sources_[i].functions.functions) {
      const auto defined = program_.definition(i, key);
      if (defined && affected.count(*defined) && !edit_declarations({i, key}, function)) return false;
      if (affected.count({i, key}) && !edit_calls({i, key}, function, affected)) return false;
    }
  }
  return true;
}

bool NdrangeRewriter::edit_declarations(const Id& id, const Function& function) {
  const std::string parameter = function.kernel ? structure() + " " + parameter_name() : helper_parameter();
  return std::all_of(function.declarations.begin(), function.declarations.end(), [&](const Declaration& each) {
    if (!each.left || !each.right || *each.left >= *each.right) return false;
    return each.has_parameters ? edits_.insert(id.first, each.right, ", " + parameter)
                               : edits_.replace(id.first, *each.left + 1, *each.right - *each.left - 1, parameter);
  });
}

bool NdrangeRewriter::edit_calls(const Id& id, const Function& function, const std::set<Id>& affected) {
  if (function.has_block) return false;
  const auto is_affected = [&](const std::string& callee) {
    const auto defined = program_.definition(id.first, callee);
    return defined && affected.count(*defined);
  };
  for (const std::string& key : function.addressed)
    if (function.builtins.count(key) || is_affected(key)) return false;
  const std::string pointer = (function.kernel ? "&" : "") + parameter_name();
  const std::string value = (function.kernel ? "" : "*") + parameter_name();
  for (const Call& call : function.calls) {
    if (!call.to_builtin && !is_affected(call.callee)) continue;
    const bool to_kernel = !call.to_builtin && program_.function(*program_.definition(id.first, call.callee)).kernel;
    if (!edits_.insert(id.first, call.right, (call.has_arguments ? ", " : "") + (to_kernel ? value : pointer)))
      return false;
    if (call.to_builtin && !edits_.replace(id.first, call.name, call.callee.size(), helper(id.first, call.callee)))
      return false;
  }
  return true;
}

// Where there are no static functions, those of two sources must not meet in a link.
std::string NdrangeRewriter::helper(size_t source, const std::string& builtin) const {
  const bool apart = sources_[source].static_functions || sources_.size() == 1;
  return prefix_ + "_" + builtin + (apart ? "" : "_" + std::to_string(source));
}

std::string NdrangeRewriter::helpers(size_t source) const {
  const std::string parameter = helper_parameter();
  const std::string whole = parameter_name() + "->", d = prefix_ + "_d", id = prefix_ + "_id";
  const std::string prefix = sources_[source].static_functions ? " static inline " : " ";
  std::set<std::string> builtins;
  for (const auto& [key, function] : sources_[source].functions.functions)
    builtins.insert(function.builtins.begin(), function.builtins.end());
  std::string line = structure() + " { ulong group_offset[3], num_groups[3], global_size[3], global_offset[3]; };";
  // Beyond the third dimension drivers differ; there the driver's own answer stands.
  const auto array = [&](const std::string& builtin, const std::string& expression) {
    if (builtins.count(builtin))
      line += prefix + "size_t " + helper(source, builtin) + "(uint " + d + ", " + parameter + ") { return " + d +
              " < 3 ? (size_t)(" + expression + "[" + d + "]) : " + builtin + "(" + d + "); }";
  };
  array("get_group_id", "get_group_id(" + d + ") + " + whole + "group_offset");
  array("get_num_groups", whole + "num_groups");
  array("get_global_size", whole + "global_size");
  array("get_global_offset", whole + "global_offset");
  if (builtins.count("get_global_linear_id"))
    line += prefix + "size_t " + helper(source, "get_global_linear_id") + "(" + parameter + ") { ulong " + id +
            " = 0; for (uint " + d + " = get_work_dim(); " + d + "-- > 0;) " + id + " = " + id + " * " + whole +
            "global_size[" + d + "] + (get_global_id(" + d + ") - " + whole + "global_offset[" + d +
            "]); return (size_t)" + id + "; }";
  return line + "\n";
}

std::optional<std::string> NdrangeRewriter::rewritten(size_t source) const {
  if (!edits_.changes(source)) return std::nullopt;
  return helpers(source) + edits_.applied(source, sources_[source].text);
}

}  // namespace samcl::translator
