#include "kernel-translator/rewrite/gathering.h"

#include <algorithm>
#include <string_view>

#include "kernel-translator/rewrite/words.h"

namespace samcl::translator {
namespace {

constexpr size_t kMostIntegers = 16;

const Declaration* definition_of(const Function& function) {
  const auto found = std::find_if(function.declarations.begin(), function.declarations.end(),
                                  [](const Declaration& each) { return each.body.has_value(); });
  return found == function.declarations.end() ? nullptr : &*found;
}

// Pragmas about arithmetic hold for a block only if nothing stands before them.
bool begins_with_pragma(std::string_view body) {
  while (!body.empty()) {
    const size_t token = body.find_first_not_of(" \t\r\n\v\f");
    if (token == std::string_view::npos || body[token] != '#') return false;
    body.remove_prefix(token);
    if (!body.starts_with("#line")) return true;
    body.remove_prefix(std::min(body.find('\n'), body.size()));
  }
  return false;
}

// The name is the parameter's own wherever it stands from `head` to `body`: no type's, no attribute's.
bool stands_once(const IntegerParameter& integer, const std::string& text, size_t head, size_t body) {
  return count_word(std::string_view(text).substr(head, body - head), integer.name) == 1;
}

bool has_other_arguments(const KernelFacts& kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(), [](const KernelArgument& each) {
    return each.kind == ArgumentKind::image || each.kind == ArgumentKind::pipe || each.kind == ArgumentKind::other;
  });
}

bool is_flat(const KernelFacts& kernel) {
  return !kernel.required_work_group_size || (*kernel.required_work_group_size)[2] == 1;
}

}  // namespace

// Defined in one of the sources; where names of several are apart, in each that has one.
std::vector<LinkedFunctions::Id> Gathering::kernels_named(const std::string& name) const {
  std::vector<Id> found;
  for (size_t i = 0; i < program_.sources().size(); ++i) {
    const auto& functions = program_.sources()[i].functions.functions;
    const auto own = functions.find(name);
    if (own != functions.end() && own->second.defined && own->second.kernel) found.emplace_back(i, name);
  }
  return found;
}

// By a function that calls it or takes its address, or outside of all.
bool Gathering::is_named(const Id& kernel) const {
  for (size_t i = 0; i < program_.sources().size(); ++i) {
    const SourceFunctions& source = program_.sources()[i].functions;
    const auto is_kernel = [&](const std::string& key) { return program_.definition(i, key) == kernel; };
    if (std::any_of(source.functions_named_outside.begin(), source.functions_named_outside.end(), is_kernel))
      return true;
    for (const auto& [key, function] : source.functions)
      if (std::any_of(function.functions.begin(), function.functions.end(), is_kernel)) return true;
  }
  return false;
}

bool Gathering::is_gatherable(const Id& kernel) const {
  const Function& function = program_.function(kernel);
  if (function.linkage != Function::Linkage::external || function.has_block || is_named(kernel)) return false;
  if (function.integers.empty() || function.integers.size() > kMostIntegers) return false;
  const Declaration* definition = definition_of(function);
  if (!definition || !definition->left || !definition->right) return false;
  const size_t left = *definition->left, right = *definition->right, body = *definition->body;
  const std::string& text = program_.sources()[kernel.first].text;
  if (left >= right || right >= body || begins_with_pragma(std::string_view(text).substr(body + 1))) return false;
  const bool are_found = std::all_of(function.integers.begin(), function.integers.end(), [&](const auto& each) {
    return each.is_plain && each.place && left < *each.place && *each.place < right &&
           stands_once(each, text, left, body);
  });
  SourceEdits edits(program_.sources().size());
  return are_found && edit(kernel, edits);
}

void Gathering::find_gatherable(std::vector<KernelFacts>& kernels) const {
  for (const ReadSource& source : program_.sources())
    if (source.functions.is_cpp || source.functions.hides_words_of_variants) return;
  for (KernelFacts& kernel : kernels) {
    const std::vector<Id> found = kernels_named(kernel.name);
    if (found.size() != 1 || has_other_arguments(kernel) || !is_flat(kernel) || !is_gatherable(found[0])) continue;
    for (const IntegerParameter& integer : program_.function(found[0]).integers)
      kernel.gathers_by.push_back(integer.number);
  }
}

// The variables begin where the body does: it is the scope of the parameters that they stand for, and the only one in
// which a kernel may have local memory.
bool Gathering::edit(const Id& kernel, SourceEdits& edits) const {
  std::string parameters, variables;
  for (const IntegerParameter& each : program_.function(kernel).integers) {
    const std::string first = prefix_ + "_first_" + each.name, step = prefix_ + "_step_" + each.name;
    parameters += ", ulong " + step;
    const std::string type = each.type.starts_with("const ") ? each.type.substr(6) : each.type;
    variables +=
        " " + each.type + " " + each.name + " = (" + type + ")(" + first + " + " + step + " * get_global_id(2));";
    if (!edits.replace(kernel.first, each.place, each.name.size(), first)) return false;
  }
  for (size_t i = 0; i < program_.sources().size(); ++i) {
    if (program_.definition(i, kernel.second) != kernel) continue;
    for (const Declaration& each : program_.function({i, kernel.second}).declarations) {
      if (!each.has_parameters || !edits.insert(i, each.right, parameters)) return false;
      if (each.body && !edits.insert(i, *each.body + 1, variables)) return false;
    }
  }
  return true;
}

std::vector<std::string> Gathering::variants(const std::vector<KernelFacts>& kernels) const {
  SourceEdits edits(program_.sources().size());
  bool any = false;
  for (const KernelFacts& kernel : kernels) {
    if (kernel.gathers_by.empty()) continue;
    any = true;
    if (!edit(kernels_named(kernel.name).front(), edits)) return {};
  }
  std::vector<std::string> texts;
  for (size_t i = 0; any && i < program_.sources().size(); ++i) {
    texts.push_back(edits.applied(i, program_.sources()[i].text));
    for (const std::string& macro : program_.sources()[i].macros)
      if (count_word(texts.back(), macro) > 0) return {};
  }
  return texts;
}

}  // namespace samcl::translator
