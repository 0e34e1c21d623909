#include "analysis/cli/nunna_opencl.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/process/child.h"
#include "tools/process/last_line.h"

namespace samcl::analysis::cli {
namespace {

using nlohmann::json;

constexpr size_t kShown = 200;  // characters of a line that is not understood

// Neither blank nor the verdict of a program that has failed before it could measure.
std::string last_telling_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos && line != "FAIL") last = line;
  return last.size() > kShown ? last.substr(0, kShown) + "..." : last;
}

// What the program says of its failure: on stderr, else at the end of stdout.
std::string cause(const process::Ending& ending) {
  const std::string said = last_telling_line(ending.err);
  return said.empty() ? last_telling_line(ending.out) : said;
}

std::string failure(const process::Ending& ending) {
  const std::string said = cause(ending);
  const std::string how = ending.signal ? std::string("ended by signal ") + std::to_string(ending.signal) + " (" +
                                              strsignal(ending.signal) + ")"
                                        : "exit code " + std::to_string(ending.exit_code);
  return said.empty() ? how + ", without a word" : how + ": " + said;
}

OpenClAnswer answer_of(const json& found) {
  const json& median = found.at("median");
  const auto device_ms = [&](const char* phase) { return median.at(phase).at("device_ms").get<double>(); };
  OpenClAnswer answer;
  answer.device = found.at("device").get<std::string>();
  answer.passed = found.at("passed").get<bool>();
  answer.times.job = median.at("total").at("host_ms").get<double>();
  answer.times.kernels = device_ms("kernel");
  answer.times.transfers = device_ms("upload") + device_ms("download");
  answer.times.build = found.at("once").at("build_ms").get<double>();
  answer.times.set_up = found.at("once").at("set_up_ms").get<double>();
  return answer;
}

}  // namespace

Result<OpenClAnswer> run_opencl(const std::vector<std::string>& command, double limit_s) {
  const auto ending = process::run(command, {}, limit_s);
  if (!ending) return fail(ending.error().message);
  const auto wrong = [&](const std::string& what) { return fail(command[0] + ": " + what); };
  if (ending->timed_out) {
    std::ostringstream limit;
    limit << "killed after " << limit_s << " s, its limit";
    const std::string said = cause(*ending);
    return wrong(limit.str() + (said.empty() ? "" : "; the last it said: " + said));
  }
  const json found = process::last_json_line(ending->out);
  if (!found.is_object()) {
    if (ending->exit_code != 0) return wrong(failure(*ending));
    const std::string last = last_telling_line(ending->out);
    return wrong("expected a last line with results as JSON, not " +
                 (last.empty() ? std::string("silence") : "\"" + last + "\""));
  }
  try {
    OpenClAnswer answer = answer_of(found);
    if (ending->exit_code != (answer.passed ? 0 : 1)) return wrong(failure(*ending));
    return answer;
  } catch (const json::exception& unknown) {
    return wrong(std::string("its results are not understood: ") + unknown.what());
  }
}

}  // namespace samcl::analysis::cli
