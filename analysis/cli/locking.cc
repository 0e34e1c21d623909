// sam-analyze locking FILE: GPUs as resources that tasks under global EDF share; every method's verdict.
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/draw/schedule_drawing.h"
#include "analysis/json/locking_json.h"
#include "analysis/locking/pipeline.h"
#include "analysis/locking/simulator.h"
#include "analysis/model/number_text.h"
#include "base/duration.h"
#include "base/files.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::locking_command {
namespace {

struct Options {
  std::string file;
  locking::TardinessBound bound = locking::TardinessBound::least;
  std::vector<double> speed_ups = {2, 4, 8, 16};
  std::optional<locking::Method> schedule;
  int jobs = 1;
  std::string svg;
  bool as_json = false;
};

std::string utilisations_table(const locking::TaskSet& set, const std::vector<double>& speed_ups) {
  std::vector<std::vector<std::string>> rows = {{"TASK", "p", "e", "s", "cs", "(e + s) / p"}};
  for (const double speed_up : speed_ups) {
    std::string factor = decimal(speed_up, 3);
    factor.erase(factor.find_last_not_of('0') + 1);
    if (factor.back() == '.') factor.pop_back();
    rows[0].push_back("u_eff x" + factor);
  }
  for (const locking::Task& task : set.tasks) {
    rows.push_back({task.name, format_duration(task.period), format_duration(task.cpu), format_duration(task.gpu),
                    format_duration(task.section), decimal(effective_utilisation(task, 1), 3)});
    for (const double speed_up : speed_ups) rows.back().push_back(decimal(effective_utilisation(task, speed_up), 3));
  }
  rows.push_back({"all", "", "", "", "", decimal(effective_utilisation(set, 1), 3)});
  for (const double speed_up : speed_ups) rows.back().push_back(decimal(effective_utilisation(set, speed_up), 3));
  return table(rows);
}

std::string methods_table(const locking::TaskSet& set, const locking::Verdicts& verdicts) {
  std::vector<std::vector<std::string>> rows = {{"METHOD", "SCHEDULABLE", "WHY NOT", "UTILISATION"}};
  const auto add = [&](const std::string& method, const auto& verdict) {
    rows.push_back({method, verdict.schedulable() ? "yes" : "no", failure(set, verdict),
                    decimal(verdict.utilisation.value(), 3) + " of " + std::to_string(set.cpus)});
  };
  constexpr const char* kTitles[] = {"FMLP-Long", "OMLP", "donation", "SMLP"};
  for (const auto& verdict : verdicts.shared_resource)
    add("shared resource, " + std::string(kTitles[static_cast<size_t>(verdict.protocol)]), verdict);
  add("suspension-aware, FMLP-Long", verdicts.suspension_aware);
  add(set.gpus == 1 ? "container" : "containers", verdicts.containers);
  return table(rows, 3) + "GPU utilisation, sum of cs / p (Ineq. 13): " + decimal(verdicts.gpu_utilisation.value(), 3) +
         " of " + std::to_string(set.gpus) + "\n";
}

std::string tasks_table(const locking::TaskSet& set, const locking::Verdicts& verdicts) {
  std::vector<std::vector<std::string>> rows = {{"LATE AT MOST", "b FMLP-Long", "FMLP-Long", "suspension-aware",
                                                 "b OMLP", "b Eq. (3)", "OMLP", "b donation", "donation", "container"}};
  const auto& fmlp_long = verdicts.shared_resource[0];
  const auto& omlp = verdicts.shared_resource[1];
  const auto& donation = verdicts.shared_resource[2];
  if (set.parts > 1) rows[0].insert(rows[0].end(), {"b SMLP", "SMLP"});
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const auto late = [&](const auto& verdict) {
      return verdict.schedulable() ? format_duration(verdict.tasks[i].late) : "-";
    };
    rows.push_back({set.tasks[i].name, format_duration(fmlp_long.tasks[i].blocking), late(fmlp_long),
                    late(verdicts.suspension_aware), format_duration(omlp.tasks[i].blocking),
                    format_duration(verdicts.loose_omlp[i]), late(omlp), format_duration(donation.tasks[i].blocking),
                    late(donation),
                    verdicts.containers.schedulable() ? format_duration(verdicts.containers.late[i]) : "-"});
    if (set.parts == 1) continue;
    const auto& smlp = verdicts.shared_resource.back();
    rows.back().insert(rows.back().end(), {format_duration(smlp.tasks[i].blocking), late(smlp)});
  }
  return table(rows);
}

// The simulated schedule in the words of the drawings.
Schedule drawable(const locking::Schedule& schedule) {
  Schedule result;
  for (const locking::Ran& ran : schedule.ran)
    result.segments.push_back({ran.on_gpu ? Resource::gpu : Resource::cpu, ran.element, ran.task,
                               static_cast<int64_t>(ran.job), ran.on_gpu ? size_t{1} : size_t{0}, 0, ran.start,
                               ran.end});
  for (const locking::Ended& job : schedule.ended)
    result.jobs.push_back({job.task, static_cast<int64_t>(job.job), job.release, job.end});
  return result;
}

void show_schedule(const Options& options, const locking::TaskSet& set) {
  const Schedule schedule = drawable(simulate(set, *options.schedule, synchronous_plan(set, options.jobs)));
  Time last = 0;
  for (const FinishedJob& job : schedule.jobs) last = std::max(last, job.finish);
  const Frame frame{0, last};
  TaskSet named = pipeline(set);
  named.platform.links = 0;  // copying runs on CPUs here
  if (*options.schedule == locking::Method::smlp) named.platform.gpus = set.parts;
  const std::string title = "All released at once, " + std::string(name(*options.schedule)) +
                            ": the last job ends at " + format_duration(last);
  if (!options.svg.empty()) need(write_file(options.svg, schedule_svg(named, schedule, frame, title)));
  if (!options.as_json) std::cout << "\n" << title << "\n" << schedule_text(named, schedule, frame);
}

int run(const Options& options) {
  const auto set = read_locking_set(options.file);
  if (options.schedule == locking::Method::smlp && set.parts == 1)
    refuse("--schedule smlp: the platform has no parts, expected a file with platform.parts above 1");
  const locking::Verdicts verdicts = analyse(set, options.bound);
  if (options.as_json)
    std::cout << format_verdicts(set, verdicts, options.speed_ups);
  else
    std::cout << utilisations_table(set, options.speed_ups) << "\n"
              << methods_table(set, verdicts) << "\n"
              << tasks_table(set, verdicts);
  if (options.schedule) show_schedule(options, set);
  return verdicts.schedulable() ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* locking = parent.add_subcommand("locking", "GPUs shared under global EDF: bounded tardiness");
  locking->footer(
      "Every task executes e on CPUs and s on a GPU, in a critical section cs that also covers copying.\n"
      "The shared resource method makes the GPU a lock with blocking b; the container method runs the\n"
      "tasks that use a GPU one at a time. See analysis/locking/README.md for the file and the methods.\n"
      "Exit code: 0 schedulable by one of them, 1 not, 2 bad input.");
  locking->add_option("FILE", options->file, "task set (JSON); - for standard input")->required();
  locking
      ->add_option("--tardiness", options->bound,
                   "bound used: least (default: of the others, task by task), devi-anderson, compliant-vector or\n"
                   "earlier-deadlines; containers: always compliant-vector")
      ->transform(one_of(locking::kTardinessBounds));
  locking
      ->add_option("--speed-up", options->speed_ups, "of GPUs over CPUs, for effective utilisations: a list (2,4,8,16)")
      ->delimiter(',')
      ->check(CLI::Range(1.0, 1e6));
  auto* schedule =
      locking
          ->add_option("--schedule", options->schedule,
                       "also show all tasks released at once under fmlp-long, omlp, donation, smlp or containers")
          ->transform(one_of(locking::kMethods));
  locking->add_option("--jobs", options->jobs, "of each task in the schedule (1)")
      ->check(CLI::Range(1, 10000))
      ->needs(schedule);
  locking->add_option("--svg", options->svg, "draw the schedule into this file")->option_text("FILE")->needs(schedule);
  locking->add_flag("--json", options->as_json, "print JSON");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::locking_command
