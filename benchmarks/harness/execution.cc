#include "benchmarks/harness/execution.h"

#include "base/files.h"
#include "benchmarks/harness/output.h"
#include "tools/process/child.h"

namespace samcl::bench {
namespace {

std::vector<std::string> command(const Program& program, const Execution& run, const Settings& settings,
                                 const std::string& report) {
  std::vector<std::string> words;
  if (run.devices != kBare) {
    words = {settings.sam_run, "--manager", "off", "--gpus", std::to_string(run.devices), "--report=" + report, "--"};
  }
  words.insert(words.end(), {program.path, "--json", "--warmup", std::to_string(settings.warmup), "--iterations",
                             std::to_string(settings.jobs)});
  if (settings.small) words.push_back("--small");
  words.insert(words.end(), settings.arguments.begin(), settings.arguments.end());
  return words;
}

}  // namespace

Execution execute(const Program& program, Execution run, const Settings& settings) {
  const TemporaryFolder folder;
  const std::string report = folder.file("report.json");
  const auto ending = process::run(command(program, run, settings, report), {}, settings.limit_s);
  if (!ending) {
    run.detail = ending.error().message;
    return run;
  }
  return read_output(std::move(run), *ending, read_file(report).value_or(""), settings.warmup + settings.jobs);
}

}  // namespace samcl::bench
