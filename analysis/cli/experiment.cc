// sam-analyze experiment FIGURE: the papers' experiments again. What is finished is kept in OUT.part until
// the end, so that an interrupted experiment goes on where it was.
#include "analysis/cli/experiment.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "analysis/cli/subcommand.h"
#include "analysis/experiment/figure.h"
#include "analysis/json/bounds_json.h"
#include "analysis/locking/experiment/elliott_figures.h"

namespace samcl::analysis::cli::experiment_command {
namespace {

constexpr const char* kElliott = "elliott";
constexpr const char* kRunningTime = "fig11";
constexpr const char* kAccess = "access";

std::string figure_or_not(const std::string& given) {
  std::string names;
  for (const std::string_view figure : kFigures) {
    if (given == figure) return "";
    names += std::string(figure) + ", ";
  }
  if (given == kElliott || given == kRunningTime || given == kAccess) return "";
  return "'" + given + "', expected one of " + names + kRunningTime + ", " + kElliott + ", " + kAccess +
         ", gap, berezovskyi, reductions or nunna";
}

std::map<std::string, size_t> periods() {
  std::map<std::string, size_t> all;
  for (size_t n = 0; n < locking::kPeriods.size(); ++n) all[locking::kPeriods[n].name] = n;
  return all;
}

// Options of other experiments.
void refuse_others(const ExperimentOptions& options) {
  const bool elliott = options.figure == kElliott, modes = !elliott && options.figure != kAccess;
  struct Given {
    const char* name;
    bool given, known;
  };
  for (const auto& [name, given, known] : {Given{"--analysis", options.form.has_value(), modes},
                                           {"--classes", options.classes, modes},
                                           {"--dependency", options.dependency.has_value(), modes},
                                           {"--utilisation", options.gpu_utilisation.has_value(), modes},
                                           {"--share", options.share.has_value(), modes},
                                           {"--split", options.split.has_value(), modes},
                                           {"--tardiness", options.bound.has_value(), elliott},
                                           {"--figure", options.elliott_figure.has_value(), elliott},
                                           {"--period", options.period.has_value(), elliott}})
    if (given && !known) refuse(std::string(name) + ": of another experiment, not of " + options.figure);
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<ExperimentOptions>();
  options->counting.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  CLI::App* experiment = parent.add_subcommand("experiment", "the papers' experiments again");
  experiment
      ->add_option("FIGURE", options->figure,
                   "fig7 or fig8 (GPU-SPARC), fig9, fig10 or fig11 (GPU-SAM), elliott (shared GPUs), access (ways to\n"
                   "share a GPU)")
      ->check(figure_or_not);
  experiment
      ->add_option("--sets", options->sets,
                   "task sets in all (100000 for fig7 and fig9, 10000 for each P_D of fig8 and fig10; the papers:\n"
                   "100000; 1000 for fig11 and at each point of access), or drawn of each scenario (20000; the\n"
                   "paper: 5000000)")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
  experiment->add_option("--seed", options->seed, "another seed, other sets (1)");
  experiment->add_option("--threads", options->counting.threads, "all processors by default")
      ->check(CLI::Range(1, 1024));
  experiment->add_option("--out", options->counting.out, "begin of the files' names; the figure's name by default");
  experiment->add_flag("--mpi", options->counting.mpi,
                       "count with all processes that mpirun started; --threads is for each of them");
  experiment->add_option("--analysis", options->form, "instead of the paper's own: gpu-sam, gpu-sparc or safe")
      ->transform(one_of(std::array{Form::gpu_sam, Form::gpu_sparc, Form::safe}));
  experiment->add_flag("--classes", options->classes, "GPU-SAM's GPU-, PCI- and CPU-bound tasks in fig7 and fig8 too");
  experiment->add_option("--dependency", options->dependency, "P_D where it does not vary (0)")
      ->check(CLI::Range(0.0, 1.0));
  experiment->add_option("--utilisation", options->gpu_utilisation, "U_G where it does not vary")
      ->check(CLI::Range(0.0, 8.0));
  experiment->add_option("--share", options->share, "of its period that a task executes at most (1)")
      ->check(CLI::Range(0.06, 1.0));
  experiment
      ->add_option("--split", options->split,
                   "how a task's time is distributed: in proportion to random numbers (default) or at random cuts")
      ->transform(one_of(std::map<std::string, Split>{{"numbers", Split::numbers}, {"cuts", Split::cuts}}));
  experiment
      ->add_option("--tardiness", options->bound,
                   "elliott: bound that the OMLP uses: least (default), devi-anderson, compliant-vector or\n"
                   "earlier-deadlines")
      ->transform(one_of(locking::kTardinessBounds));
  auto* figure = experiment->add_option("--figure", options->elliott_figure, "elliott: one of its figures, 6 to 13")
                     ->check(CLI::Range(locking::kFirstFigure, locking::kLastFigure));
  experiment->add_option("--inset", options->inset, "elliott: and one of its insets, a to i")
      ->check(CLI::IsMember(std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h", "i"}))
      ->needs(figure);
  experiment->add_option("--period", options->period, "elliott: one range of periods instead of all three")
      ->transform(one_of(periods()));
  std::vector<std::pair<CLI::App*, Run>> others;
  for (const auto add_other :
       {nunna_command::add, berezovskyi_command::add, gap_command::add, reductions_command::add}) {
    Run other = add_other(*experiment);
    others.emplace_back(experiment->get_subcommands({}).back(), std::move(other));
  }
  return [=]() -> int {
    for (const auto& [chosen, other] : others)
      if (*chosen) return other();
    if (options->figure.empty())
      refuse("experiment: which? expected a figure, elliott, access, gap, berezovskyi, reductions or nunna");
    refuse_others(*options);
    if (options->counting.out.empty()) options->counting.out = options->figure;
    if (options->figure == kElliott) return run_elliott(*options);
    if (options->figure == kAccess) return run_access(*options);
    return options->figure == kRunningTime ? run_running_time(*options) : run_figure(*options);
  };
}

}  // namespace samcl::analysis::cli::experiment_command
