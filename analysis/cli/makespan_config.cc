#include "analysis/cli/makespan_config.h"

#include <charconv>
#include <map>
#include <numeric>
#include <sstream>

namespace samcl::analysis::cli {
namespace {

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

Result<int> count(const std::string& value) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1)
    return fail("'" + value + "', expected a whole number of at least 1");
  return number;
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
  const auto number = count(value);
  if (!number) return fail(key + ": " + number.error().message);
  if (key == "warps")
    config.warps = *number;
  else if (key == "warp_size")
    warp_size = *number;
  else
    units[letter] = *number;
  return {};
}

}  // namespace

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
