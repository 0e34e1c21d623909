#include "kernel-translator/instructions/instruction_json.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json_text.h"
#include "kernel-translator/instructions/instruction_string.h"

namespace samcl::translator {
namespace {

bool read_number(const std::string& text, uint64_t& number) {
  constexpr uint64_t kMost = 1'000'000'000;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0 && number <= kMost;
}

}  // namespace

std::optional<std::map<unsigned, uint64_t>> parse_loop_bounds(const std::string& text) {
  std::map<unsigned, uint64_t> bounds;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const size_t sign = item.find('=');
    uint64_t line = 0, rounds = 0;
    if (sign == std::string::npos || !read_number(item.substr(0, sign), line) ||
        !read_number(item.substr(sign + 1), rounds))
      return std::nullopt;
    if (!bounds.emplace(static_cast<unsigned>(line), rounds).second) return std::nullopt;
  }
  if (bounds.empty()) return std::nullopt;
  return bounds;
}

int print_instructions(llvm::Module& module, const std::vector<KernelFacts>& kernels, const std::string& name,
                       const std::map<unsigned, uint64_t>& rounds) {
  const auto error = [](const std::string& message) {
    std::cerr << "sam-translate: error: " << message << "\n";
    return 1;
  };
  llvm::Function* function = module.getFunction(name);
  if (!function || function->isDeclaration() ||
      std::none_of(kernels.begin(), kernels.end(), [&](const KernelFacts& kernel) { return kernel.name == name; })) {
    std::string known;
    for (const KernelFacts& kernel : kernels) known += (known.empty() ? "" : ", ") + kernel.name;
    return error("no kernel is named " + name + "; there are: " + (known.empty() ? "none" : known));
  }
  const InstructionString found = instruction_string(*function, rounds);
  if (!found.error.empty()) return error(name + ": " + found.error);
  for (const auto& [line, bound] : rounds)
    if (std::none_of(found.loops.begin(), found.loops.end(),
                     [line = line](const LoopRounds& loop) { return loop.line == line; }))
      return error("--loop-bounds: " + name + " has no loop in line " + std::to_string(line));
  nlohmann::ordered_json json = {{"kernel", name},
                                 {"string", found.string},
                                 {"units",
                                  {{std::string(1, kMemoryUnit), "memory"},
                                   {std::string(1, kCoreUnit), "arithmetic"},
                                   {std::string(1, kFunctionUnit), "special function"}}},
                                 {"static", found.is_static},
                                 {"loops", nlohmann::json::array()},
                                 {"unseen", found.unseen}};
  for (const LoopRounds& loop : found.loops)
    json["loops"].push_back({{"line", loop.line}, {"rounds", loop.rounds}, {"given", loop.given}});
  std::cout << json_text(json) << "\n";
  return std::cout.flush() ? 0 : 2;
}

}  // namespace samcl::translator
