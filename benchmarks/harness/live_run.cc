#include "benchmarks/harness/live_run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "analysis/json/task_set_json.h"
#include "base/files.h"
#include "base/json_text.h"
#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/output.h"
#include "benchmarks/harness/own_manager.h"
#include "tools/process/last_line.h"

namespace samcl::bench {
namespace {

using nlohmann::json;

constexpr unsigned kJobs = 5;  // of a measurement
constexpr int kSizings = 6;    // measurements until a size is taken as it is
constexpr const char* kNeighbour = "VectorAdd";
constexpr unsigned kNeighbourElements = 1 << 22;  // of the VectorAdd beside: 16 MiB each of two inputs and a result

// A program with its size, and what it takes.
struct Sized {
  LiveTask task;
  Program program;
  std::vector<std::string> arguments;
  std::string profile;  // file
  double period_ms = 0;
};

std::string milliseconds(double ms) { return std::to_string(static_cast<int64_t>(std::llround(ms * 1000))) + "us"; }

std::vector<std::string> size_arguments(const LiveTask& task, double size) {
  std::vector<std::string> words;
  for (const std::string& option : task.size_options)
    words.insert(words.end(), {option, std::to_string(static_cast<uint64_t>(size))});
  return words;
}

// The line of JSON that a program ends with.
Result<json> result_of(const process::Ending& ending) {
  auto line = process::last_json_line(ending.out);
  if (line.is_discarded() || ending.exit_code != 0 || !line.value("passed", false))
    return fail(ending.err.empty() ? "it did not pass" : ending.err);
  return line;
}

class Conductor {
 public:
  Conductor(const LiveSettings& settings, const std::function<void(const std::string&)>& tell)
      : settings_(settings), tell_(tell), manager_(settings.folder, "live." + std::to_string(getpid())) {}

  Result<Sized> prepare(const LiveTask& task, const Program& program) {
    Sized sized{task, program, {}, folder_.file(task.program + ".task.json"), 0};
    const double wanted = task.execution_ms * settings_.scale;
    double size = task.size;
    for (int round = 1; round <= kSizings; ++round) {
      const auto took = measure(sized.program, size_arguments(task, size));
      if (!took) return tl::unexpected(took.error());
      tell_(task.program + " of size " + short_number(size) + " takes " + short_number(*took) + " ms, wanted " +
            short_number(wanted));
      if (*took > 0.9 * wanted && *took < 1.1 * wanted) break;
      const double better = better_size(task, size, *took, wanted);
      if (round == kSizings || better == size) break;
      size = better;
    }
    sized.arguments = size_arguments(task, size);
    return profile(std::move(sized));
  }

  // Where no other program is, none has to be waited for.
  Result<void> begin_manager(analysis::ModePolicy policy, unsigned beside) {
    return manager_.begin(std::string("modes = \"") + analysis::name(policy) +
                          "\"\ngpus = " + std::to_string(settings_.gpus) + "\noverrun = \"" + settings_.overrun +
                          "\"\ncpu_watch = \"" + settings_.cpu_watch + "\"\n" +
                          (beside == 0 ? "other_slice = \"1us\"\nother_chunk = \"1us\"\n" : ""));
  }

  void end_manager() { manager_.end(); }

  Result<void> register_task(const Sized& sized) {
    auto done = manager_.ctl({"register", sized.task.program, "--priority", std::to_string(sized.task.priority),
                              "--period", milliseconds(sized.period_ms), "--profile", sized.profile});
    if (!done) return tl::unexpected(done.error());
    return {};
  }

  Result<json> plan() {
    const auto text = manager_.ctl({"analyze", "--json"});
    if (!text) return tl::unexpected(text.error());
    return read_json(*text);
  }

  Result<Neighbours> begin_neighbours(const Program& program, unsigned count) {
    return manager_.begin_neighbours(
        {program.path, "--size", std::to_string(kNeighbourElements), "--iterations", "1000000"}, count);
  }

  // All at once; the rows get their responses.
  void run_together(const std::vector<Sized>& tasks, std::vector<LiveRow>& rows) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < tasks.size(); ++i)
      threads.emplace_back([this, &task = tasks[i], &row = rows[i]] { run_periodic(task, row); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::string tool(const char* name) const { return manager_.tool(name); }

  // ms of a job on one GPU under samcl, the median of a few.
  Result<double> measure(const Program& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {
        tool("sam-run"), "--manager",          "off", "--gpus", "1", "--", program.path, "--json", "--warmup", "3",
        "--iterations",  std::to_string(kJobs)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    // With the priority that profiles are taken with: else a busy machine makes sizes too small by any factor.
    const auto ending = process::run(words, {{"SAMCL_DIRECT", "off"}}, kLongestRunS, true);
    if (!ending) return tl::unexpected(ending.error());
    const auto result = result_of(*ending);
    if (!result) return fail(program.name + ": " + result.error().message);
    return result->at("median").at("total").at("host_ms").get<double>();
  }

  Result<Sized> profile(Sized sized) {
    // The period is registered later; a long one is never too short for what is measured.
    std::vector<std::string> words = {tool("sam-profile"),
                                      "--out",
                                      folder_.file(sized.task.program),
                                      "--margin",
                                      std::to_string(settings_.margin_percent),
                                      "--busy-links",
                                      "--realtime",
                                      "--rehearse",
                                      "--period",
                                      "3600s",
                                      "--modes"};
    std::string modes;
    for (unsigned k = 1; k <= settings_.gpus; ++k) modes += (k > 1 ? "," : "") + std::to_string(k);
    words.insert(words.end(), {modes, "--", sized.program.path, "--json", "--period", "1", "--jobs", "20"});
    words.insert(words.end(), sized.arguments.begin(), sized.arguments.end());
    if (auto done = succeed(words); !done) return tl::unexpected(done.error());
    const auto text = read_file(sized.profile);
    if (!text) return tl::unexpected(text.error());
    const auto measured = analysis::parse_task_set(*text);
    if (!measured) return fail(sized.profile + ": " + measured.error().message);
    double execution_ms = 0;
    for (const analysis::Stage& stage : measured->set.tasks.front().stages)
      execution_ms += static_cast<double>(stage.length_in(1)) * 1e-6;
    sized.period_ms = execution_ms / (sized.task.utilisation() * settings_.load);
    tell_(sized.task.program + ": " + short_number(execution_ms) + " ms on one GPU at most, period " +
          short_number(sized.period_ms) + " ms");
    return sized;
  }

  void run_periodic(const Sized& sized, LiveRow& row) {
    const auto jobs = static_cast<size_t>(std::max(3.0, std::ceil(settings_.seconds * 1000 / sized.period_ms)));
    std::vector<std::string> words = {tool("sam-run"),    "--manager",
                                      "required",         "--task",
                                      sized.task.program, "--",
                                      sized.program.path, "--json",
                                      "--period",         std::to_string(sized.period_ms),
                                      "--jobs",           std::to_string(jobs)};
    words.insert(words.end(), sized.arguments.begin(), sized.arguments.end());
    const auto ending = process::run(words, {{"SAMCL_INSTANCE", manager_.instance()}}, kLongestRunS);
    const auto result = ending ? result_of(*ending) : tl::unexpected(ending.error());
    if (!result) {
      row.failure = result.error().message;
      return;
    }
    row.responses_ms = result->at("periodic").at("responses_ms").get<std::vector<double>>();
  }

  const LiveSettings& settings_;
  const std::function<void(const std::string&)>& tell_;
  OwnManager manager_;
  const TemporaryFolder folder_;
};

LiveRow planned(const Sized& sized, analysis::ModePolicy policy, unsigned beside, const json& plan) {
  LiveRow row;
  row.beside = beside;
  row.policy = analysis::name(policy);
  row.task = sized.task.program;
  row.period_ms = sized.period_ms;
  for (const json& task : plan.at("tasks")) {
    if (task.at("name") != row.task) continue;
    row.gpus = task.at("mode");
    row.guaranteed = task.at("guaranteed");
    row.why_not = task.at("doubt").get<std::string>().empty() ? task.at("estimate") : task.at("doubt");
    if (!task.at("bound_ns").is_null()) row.bound_ms = task.at("bound_ns").get<double>() * 1e-6;
  }
  return row;
}

}  // namespace

Result<LiveSession> run_live(const LiveExperiment& experiment, const std::vector<Program>& programs,
                             const LiveSettings& settings, const std::function<void(const std::string&)>& tell) {
  const auto find = [&](const std::string& name) {
    return std::find_if(programs.begin(), programs.end(), [&](const Program& each) { return each.name == name; });
  };
  Conductor conductor(settings, tell);
  LiveSession session;
  session.experiment = experiment.name;
  session.scale = settings.scale;
  session.load = settings.load;
  std::vector<Sized> tasks;
  for (const LiveTask& task : experiment.tasks) {
    const auto program = find(task.program);
    if (program == programs.end()) return fail("there is no program " + task.program);
    auto sized = conductor.prepare(task, *program);
    if (!sized) return tl::unexpected(sized.error());
    tasks.push_back(*std::move(sized));
  }
  const auto neighbour = find(kNeighbour);
  const unsigned most = *std::max_element(settings.beside.begin(), settings.beside.end());
  if (most > 0 && neighbour == programs.end()) return fail(std::string("there is no program ") + kNeighbour);
  for (const analysis::ModePolicy policy : settings.policies.empty() ? experiment.policies : settings.policies)
    for (const unsigned beside : settings.beside) {
      tell(std::string("policy ") + analysis::name(policy) + ", beside " + std::to_string(beside) + ": " +
           short_number(settings.seconds) + " s");
      if (auto begun = conductor.begin_manager(policy, beside); !begun) return tl::unexpected(begun.error());
      for (const Sized& sized : tasks)
        if (auto done = conductor.register_task(sized); !done) return tl::unexpected(done.error());
      const auto neighbours = beside > 0 ? conductor.begin_neighbours(*neighbour, beside) : Neighbours();
      if (!neighbours) return tl::unexpected(neighbours.error());
      const auto plan = conductor.plan();
      if (!plan) return tl::unexpected(plan.error());
      std::vector<LiveRow> rows;
      for (const Sized& sized : tasks) rows.push_back(planned(sized, policy, beside, *plan));
      conductor.run_together(tasks, rows);
      session.rows.insert(session.rows.end(), rows.begin(), rows.end());
      conductor.end_manager();
    }
  return session;
}

}  // namespace samcl::bench
