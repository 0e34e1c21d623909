#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "benchmarks/harness/comparison.h"
#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/own_manager.h"
#include "benchmarks/harness/urgent.h"
#include "tools/process/last_line.h"

namespace samcl::bench {
namespace {

constexpr const char* kTask = "urgent";
// Drivers on CPUs compile until then, in first launches, and keep devices for that.
constexpr unsigned kSettleS = 5;

// Of all its jobs.
Result<std::vector<double>> responses(const std::vector<std::string>& words, const std::string& instance) {
  const auto ending = process::run(words, {{"SAMCL_INSTANCE", instance}}, kLongestRunS);
  if (!ending) return tl::unexpected(ending.error());
  const auto line = process::last_json_line(ending->out);
  if (line.is_discarded() || ending->exit_code != 0 || !line.value("passed", false))
    return fail(ending->err.empty() ? "it did not pass" : ending->err);
  return line.at("periodic").at("responses_ms").get<std::vector<double>>();
}

std::vector<std::string> periodic(const Program& program, const UrgentSettings& settings, double period_ms,
                                  size_t jobs) {
  return {program.path, "--json",
          "--size",     std::to_string(settings.elements),
          "--period",   std::to_string(period_ms),
          "--jobs",     std::to_string(jobs)};
}

Result<std::vector<double>> run_one(const Program& program, const UrgentSettings& settings, double period_ms,
                                    bool managed, unsigned beside) {
  OwnManager manager(settings.folder, "urgent." + std::to_string(getpid()));
  const std::vector<std::string> other = {program.path, "--size", std::to_string(settings.elements_beside),
                                          "--iterations", "1000000"};
  std::vector<std::string> words = periodic(program, settings, period_ms, settings.jobs);
  Neighbours neighbours;
  if (!managed) {
    for (unsigned i = 0; i < beside; ++i) neighbours.begin(other, manager.instance());
    if (beside > 0) sleep(kSettleS);
    return responses(words, manager.instance());
  }
  if (auto begun = manager.begin("other_slice = \"" + std::to_string(settings.slice_us) + "us\"\n"); !begun)
    return tl::unexpected(begun.error());
  if (auto done = manager.ctl({"register", kTask, "--priority", "50", "--period",
                               std::to_string(static_cast<uint64_t>(period_ms * 1000)) + "us"});
      !done)
    return tl::unexpected(done.error());
  auto others = manager.begin_neighbours(other, beside);
  if (!others) return tl::unexpected(others.error());
  if (beside > 0) sleep(kSettleS);
  const std::vector<std::string> shim = {manager.tool("sam-run"), "--manager", "required", "--task", kTask, "--"};
  words.insert(words.begin(), shim.begin(), shim.end());
  return responses(words, manager.instance());
}

}  // namespace

Result<UrgentSession> run_urgent(const Program& program, const UrgentSettings& settings,
                                 const std::function<void(const std::string&)>& tell) {
  UrgentSession session{program.name, {}, settings, 0, {}};
  const auto alone = responses(periodic(program, settings, 1, 50), "");
  if (!alone) return fail(program.name + " fails without samcl: " + alone.error().message);
  session.period_ms = std::max(1.0, percentile(*alone, 0.5) / settings.load);
  for (const unsigned beside : settings.beside)
    for (const bool managed : {false, true}) {
      tell("beside " + std::to_string(beside) + (managed ? ", under a manager" : ", without") + ": " +
           short_number(session.period_ms * static_cast<double>(settings.jobs) * 1e-3) + " s");
      auto times = run_one(program, settings, session.period_ms, managed, beside);
      UrgentRow row{managed, beside, {}, times ? "" : times.error().message};
      if (times) row.responses_ms = *std::move(times);
      session.rows.push_back(std::move(row));
    }
  std::ranges::stable_sort(session.rows, {}, &UrgentRow::managed);
  return session;
}

}  // namespace samcl::bench
