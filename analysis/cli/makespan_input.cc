#include "analysis/cli/makespan_input.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "analysis/model/number_text.h"
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

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The letter whose units a key counts; 0 if it is no such key.
char letter_of(const std::string& key) {
  if (key == "load_store_units") return 'L';
  if (key == "cuda_cores") return 'C';
  return key.size() == 7 && key.starts_with("units_") && key[6] >= 'A' && key[6] <= 'Z' ? key[6] : '\0';
}

Result<void> take(const std::string& key, const std::string& value, MakespanConfig& config, std::map<char, int>& units,
                  int& warp_size) {
  if (key == "instructions") {
    config.instructions = value;
    return {};
  }
  const char letter = letter_of(key);
  if (key != "warps" && key != "warp_size" && letter == 0)
    return fail("'" + key +
                "', expected instructions, warps, warp_size, load_store_units, cuda_cores or units_X of a letter X");
  const auto number = whole_number(value);
  if (!number || *number < 1 || *number > INT32_MAX)
    return fail(key + ": '" + value + "', expected a whole number of at least 1");
  if (key == "warps")
    config.warps = *number;
  else
    (key == "warp_size" ? warp_size : units[letter]) = static_cast<int>(*number);
  return {};
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

Result<MakespanConfig> parse_makespan_config(const std::string& text) {
  MakespanConfig config;
  std::map<char, int> units;
  int warp_size = 1, number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    if (equals == std::string::npos) return fail("line " + std::to_string(number) + ": expected key = value");
    if (auto good = take(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), config, units, warp_size);
        !good)
      return fail("line " + std::to_string(number) + ": " + good.error().message);
  }
  if (config.instructions.empty() || config.warps == 0) return fail("expected instructions and warps");
  for (const auto& [letter, many] : units) {
    const int common = std::gcd(many, warp_size);
    config.rates.push_back({letter, many / common, warp_size / common, 1});
  }
  return config;
}

}  // namespace samcl::analysis::cli
