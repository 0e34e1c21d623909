#include "analysis/cli/kernel_source.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "kernel-translator/client/run_translator.h"

namespace samcl::analysis::cli {
namespace {

constexpr int kPatienceMs = 60'000;

std::vector<std::string> remarks_of(const nlohmann::json& answer) {
  std::vector<std::string> remarks;
  std::string units;
  for (const auto& [letter, unit] : answer.at("units").items())
    units += (units.empty() ? "" : ", ") + letter + " " + unit.get<std::string>();
  remarks.push_back("units: " + units);
  for (const auto& loop : answer.at("loops"))
    remarks.push_back("loop in line " + std::to_string(loop.at("line").get<int64_t>()) + ": " +
                      std::to_string(loop.at("rounds").get<int64_t>()) +
                      (loop.at("given").get<bool>() ? " rounds, as given" : " rounds"));
  for (const auto& unseen : answer.at("unseen")) remarks.push_back("not seen: " + unseen.get<std::string>());
  remarks.emplace_back(answer.at("static").get<bool>()
                           ? "its control flow is static: the string is that of LLVM's IR, the driver's code differs"
                           : "the string is a longest way through LLVM's IR; the driver's code differs");
  return remarks;
}

}  // namespace

Result<SourceString> string_of(const KernelSource& source) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "sam-translate";
  if (error || !std::filesystem::exists(program, error))
    return fail("--kernel: " + program + " is not there, which reads the kernel");
  if (!std::filesystem::exists(source.file, error)) return fail(source.file + ": there is no such file");
  std::vector<std::string> command = {program, source.file, "--instructions", source.name};
  if (!source.loop_bounds.empty()) command.insert(command.end(), {"--loop-bounds", source.loop_bounds});
  command.emplace_back("--");
  command.insert(command.end(), source.build_options.begin(), source.build_options.end());
  const auto printed = run_translator(command, "", kPatienceMs);
  if (!printed) return fail(source.file + ": " + printed.error().message);
  try {
    const auto answer = read_json(*printed);
    return SourceString{answer.at("string").get<std::string>(), remarks_of(answer)};
  } catch (const nlohmann::json::exception& wrong) {
    return fail(source.file + ": sam-translate's answer is not understood: " + wrong.what());
  }
}

}  // namespace samcl::analysis::cli
