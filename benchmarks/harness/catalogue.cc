#include "benchmarks/harness/catalogue.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "tools/process/child.h"

namespace samcl::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kHelpLimitS = 20;

std::vector<std::string> option_lines(const std::string& help) {
  std::vector<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && begin > 0 && line.compare(begin, 2, "--") == 0)
      options.push_back(line.substr(begin));
  }
  return options;
}

Program ask(const fs::path& path) {
  Program program{path.filename(), path, false, {}};
  const auto ending = process::run({path.string(), "--help"}, {}, kHelpLimitS);
  if (!ending || ending->exit_code != 0) return program;
  program.options = option_lines(ending->out);
  program.has_jobs = std::any_of(program.options.begin(), program.options.end(),
                                 [](const std::string& line) { return line.starts_with("--iterations"); });
  return program;
}

std::string names_of(const std::vector<Program>& programs) {
  std::string names;
  for (const Program& program : programs) {
    if (program.has_jobs) names += (names.empty() ? "" : ", ") + program.name;
  }
  return names;
}

}  // namespace

void keep_own_options(std::vector<Program>& programs) {
  std::map<std::string, size_t> having;
  size_t count = 0;
  for (const Program& program : programs) {
    if (!program.has_jobs) continue;
    ++count;
    for (const std::string& line : program.options) ++having[line];
  }
  if (count < 2) return;
  for (Program& program : programs) {
    if (program.has_jobs)
      std::erase_if(program.options, [&](const std::string& line) { return having[line] == count; });
  }
}

Result<std::vector<Program>> find_programs(const std::string& folder) {
  std::error_code error;
  std::vector<Program> programs;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0) programs.push_back(ask(entry.path()));
  }
  if (programs.empty())
    return fail("there are no benchmark programs in " + folder + (error ? ": " + error.message() : ""));
  std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) { return a.name < b.name; });
  keep_own_options(programs);
  return programs;
}

Result<std::vector<Program>> choose(const std::vector<Program>& programs, const std::vector<std::string>& names) {
  std::vector<Program> chosen;
  for (const std::string& name : names) {
    if (name == "all") {
      std::copy_if(programs.begin(), programs.end(), std::back_inserter(chosen),
                   [](const Program& program) { return program.has_jobs; });
      continue;
    }
    const auto found =
        std::find_if(programs.begin(), programs.end(), [&](const Program& program) { return program.name == name; });
    if (found == programs.end()) return fail("there is no program " + name + "; there are: " + names_of(programs));
    if (!found->has_jobs) return fail(name + " does not run jobs of upload, kernel and download: run it by itself");
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace samcl::bench
