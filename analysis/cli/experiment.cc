// sam-analyze experiment FIGURE: the papers' experiments again. Writes OUT.csv and OUT.svg; what is finished
// is kept in OUT.part until the end, so that an interrupted experiment goes on where it was.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "analysis/cli/experiment_journal.h"
#include "analysis/cli/subcommand.h"
#include "analysis/cli/table.h"
#include "analysis/generator/draw.h"

namespace samcl::analysis::cli {
namespace {

struct Options {
  std::string figure;
  Experiment experiment;
  std::string out;
  std::optional<Form> form;
  bool classes = false;
  std::optional<double> dependency, gpu_utilisation, share;
};

std::atomic<bool> interrupted = false;

// One bar that is drawn over itself on a terminal; elsewhere a line every tenth.
class Progress {
 public:
  Progress(std::string name, int64_t all) : name_(std::move(name)), all_(all) {}
  void show(int64_t done) {
    const int64_t percent = all_ == 0 ? 100 : done * 100 / all_;
    if (percent == shown_ || (!terminal_ && percent / 10 == shown_ / 10 && shown_ >= 0)) return;
    shown_ = percent;
    const auto filled = static_cast<size_t>(percent / 2);
    std::cerr << (terminal_ ? "\r" : "") << name_ << " [" << std::string(filled, '#')
              << std::string(50 - filled, ' ') << "] " << percent << "%" << (terminal_ ? "" : "\n")
              << std::flush;
  }
  ~Progress() {
    if (terminal_ && shown_ >= 0) std::cerr << "\n";
  }

 private:
  std::string name_;
  int64_t all_;
  int64_t shown_ = -1;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
};

std::string decimal(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string shares_text(const Figure& figure, const Tallies& tallies) {
  std::vector<std::vector<std::string>> rows = {{name(figure.axis), "SETS", "TASKS"}};
  for (const Policy policy : figure.policies) rows[0].emplace_back(name(policy));
  for (size_t n = 0; n < tallies.size(); ++n) {
    const Tally& tally = tallies[n];
    const auto sets = static_cast<double>(tally.sets);
    rows.push_back({decimal(figure.points[n], 2), std::to_string(tally.sets),
                    decimal(static_cast<double>(tally.tasks) / sets, 1)});
    for (const int64_t count : tally.schedulable)
      rows.back().push_back(decimal(100 * static_cast<double>(count) / sets, 2) + "%");
  }
  rows.push_back({"mean time", "", ""});
  Tally all(figure.policies.size());
  for (const Tally& tally : tallies) all.add(tally);
  for (const int64_t time : all.nanoseconds)
    rows.back().push_back(decimal(static_cast<double>(time) / static_cast<double>(all.sets) / 1e6, 3) +
                          " ms");
  return table(rows);
}

// Mean time of GPA for 30 tasks of the figure's generator.
std::string thirty_tasks(const Figure& figure, uint64_t seed) {
  constexpr uint64_t kSets = 200;
  PaperSet wanted = figure.sets;
  wanted.least_tasks = wanted.most_tasks = 30;
  double time = 0;
  for (uint64_t n = 0; n < kSets; ++n) {
    const TaskSet set = paper_set(wanted, seed_of(seed, n));
    const auto start = std::chrono::steady_clock::now();
    choose_modes(set, figure.form, Policy::gpa);
    time += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  return decimal(time / kSets, 3) + " ms on average";
}

std::string statements_text(const Experiment& experiment, const Tallies& tallies) {
  std::vector<std::vector<std::string>> rows = {{"THE PAPER STATES", "FOUND"}};
  for (const Statement& statement : statements(experiment.figure, tallies))
    rows.push_back({statement.paper, statement.found});
  if (experiment.figure.form != Form::gpu_sparc)
    rows.push_back(
        {"GPA takes less than 100 ms for 30 tasks", thirty_tasks(experiment.figure, experiment.seed)});
  return table(rows, 2);
}

Result<void> prepare(Options& options) {
  const auto figure = find_figure(options.figure);
  if (!figure) return fail("experiment: which? expected a figure or nunna");
  Experiment& experiment = options.experiment;
  experiment.figure = *figure;
  if (options.form) experiment.figure.form = *options.form;
  PaperSet& sets = experiment.figure.sets;
  sets.classes = sets.classes || options.classes;
  if (options.dependency) sets.dependency = *options.dependency;
  if (options.gpu_utilisation) sets.gpu_utilisation = *options.gpu_utilisation;
  if (options.share) sets.most_share = *options.share;
  if (options.dependency && experiment.figure.axis == Axis::dependency)
    return fail("--dependency: " + options.figure + " varies it");
  if (options.gpu_utilisation && experiment.figure.axis == Axis::gpu_utilisation)
    return fail("--utilisation: " + options.figure + " varies it");
  if (options.out.empty()) options.out = options.figure;
  return {};
}

Result<int> run(Options& options) {
  if (auto good = prepare(options); !good) return tl::unexpected(good.error());
  const Experiment& experiment = options.experiment;
  auto journal = ExperimentJournal::open(options.out + ".part", experiment);
  if (!journal) return tl::unexpected(journal.error());
  Tallies tallies = journal->tallies();
  int64_t finished = std::count(journal->known().begin(), journal->known().end(), true);
  std::signal(SIGINT, [](int) { interrupted = true; });
  {
    Progress progress(options.figure, experiment.blocks());
    progress.show(finished);
    tally_blocks(
        experiment, journal->known(),
        [&](int64_t block, const Tally& tally) {
          journal->append(block, tally);
          tallies[experiment.point_of(block)].add(tally);
          progress.show(++finished);
        },
        interrupted);
  }
  std::signal(SIGINT, SIG_DFL);
  if (finished < experiment.blocks())
    return fail("interrupted; the same command goes on from " + options.out + ".part");
  if (auto good = write_text(options.out + ".csv", format_csv(experiment.figure, tallies)); !good)
    return tl::unexpected(good.error());
  if (auto good = write_text(options.out + ".svg", curves_svg(experiment.figure, tallies)); !good)
    return tl::unexpected(good.error());
  std::filesystem::remove(options.out + ".part");
  std::cout << experiment.figure.title << "\n\n"
            << shares_text(experiment.figure, tallies) << "\n"
            << statements_text(experiment, tallies) << "\nWritten: " << options.out << ".csv, " << options.out
            << ".svg\n";
  return kGood;
}

}  // namespace

Run add_experiment(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  options->experiment.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  CLI::App* experiment = parent.add_subcommand("experiment", "the papers' experiments: policies compared");
  experiment
      ->add_option("FIGURE", options->figure, "fig7 or fig8 (GPU-SPARC), fig9, fig10 or fig11 (GPU-SAM)")
      ->check(CLI::IsMember(std::vector<std::string>(kFigures.begin(), kFigures.end())));
  experiment->add_option("--sets", options->experiment.sets, "task sets at each point (1000)")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
  experiment->add_option("--seed", options->experiment.seed, "another seed, other sets (1)");
  experiment->add_option("--threads", options->experiment.threads, "all processors by default")
      ->check(CLI::Range(1, 1024));
  experiment->add_option("--out", options->out, "begin of the files' names; the figure's name by default");
  experiment
      ->add_option("--analysis", options->form, "instead of the paper's own: gpu-sam, gpu-sparc or safe")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Form>{
          {"gpu-sam", Form::gpu_sam}, {"gpu-sparc", Form::gpu_sparc}, {"safe", Form::safe}}));
  experiment->add_flag("--classes", options->classes,
                       "GPU-SAM's GPU-, PCI- and CPU-bound tasks in fig7 and fig8 too");
  experiment->add_option("--dependency", options->dependency, "P_D where it does not vary (0)")
      ->check(CLI::Range(0.0, 1.0));
  experiment->add_option("--utilisation", options->gpu_utilisation, "U_G where it does not vary")
      ->check(CLI::Range(0.0, 8.0));
  experiment->add_option("--share", options->share, "of its period that a task executes at most (1)")
      ->check(CLI::Range(0.06, 1.0));
  const Run nunna = add_nunna(*experiment);
  const CLI::App* chosen = experiment->get_subcommand("nunna");
  return [options, nunna, chosen] { return *chosen ? nunna() : run(*options); };
}

}  // namespace samcl::analysis::cli
