// sam-analyze makespan: how long identical warps can take on a multiprocessor.
#include <iostream>
#include <memory>

#include "analysis/cli/makespan_input.h"
#include "analysis/cli/makespan_text.h"
#include "analysis/cli/subcommand.h"
#include "analysis/experiment/cpu_time.h"
#include "analysis/makespan/binary_program.h"
#include "analysis/makespan/drawing.h"
#include "analysis/makespan/makespan_json.h"
#include "base/files.h"
#ifdef SAMCL_HAVE_CBC
#include "analysis/makespan/solve.h"
#endif

namespace samcl::analysis::cli::makespan_command {
namespace {

using makespan::Conserving;

struct Options {
  std::string string;
  KernelSource source;  // instead
  std::string config;   // or this, with the number of warps
  std::vector<std::string> remarks;
  std::vector<std::string> units;
  int64_t warps = -1;  // not given
  makespan::Effort effort;
  makespan::Multiprocessors multiprocessors;
  bool rounds = false;
  int converge = 0;
  int simulate = 0;
  std::string lp;
  std::optional<double> solve;
  Conserving form = Conserving::short_form;
  bool schedule = false;
  std::string svg;
  std::string chart;
  bool as_json = false;
};

makespan::Kernel read_config(Options& options) {
  const auto config = need(parse_makespan_config(read_text(options.config)), options.config + ": ");
  options.warps = config.warps;
  return need(makespan::parse_kernel(config.instructions, config.rates), options.config + ": instructions: ");
}

makespan::Kernel read_kernel(Options& options) {
  if (!options.config.empty()) return read_config(options);
  if (options.warps < 0) refuse("--warps: how many? expected a number, or --config");
  if (options.string.empty() == options.source.file.empty())
    refuse(options.string.empty() ? "expected a kernel string, or --kernel with --name"
                                  : "expected a kernel string or --kernel, not both");
  if (!options.source.file.empty()) {
    if (options.source.name.empty()) refuse("--kernel: expected --name as well, which of its kernels");
    auto found = need(string_of(options.source));
    options.string = std::move(found.string);
    options.remarks = std::move(found.remarks);
  }
  std::vector<makespan::UnitRate> rates;
  for (const std::string& unit : options.units) {
    const auto rate = need(makespan::parse_rate(unit), "--unit: ");
    if (options.source.file.empty() && options.string.find(rate.letter) == std::string::npos)
      refuse("--unit " + unit + ": there is no " + rate.letter + " in " + options.string);
    rates.push_back(rate);
  }
  return need(makespan::parse_kernel(options.string, rates));
}

std::string title(const makespan::Kernel& kernel, int64_t warps) {
  return std::to_string(warps) + (warps == 1 ? " warp of " : " warps of ") + kernel_line(kernel);
}

int run_rounds(const Options& options, const makespan::Kernel& kernel) {
  const auto found = need(worst_case_of_rounds(kernel, options.warps, options.multiprocessors, options.effort));
  std::cout << (options.as_json ? format_rounds(kernel, options.warps, found, options.remarks)
                                : title(kernel, options.warps) + "\n\n" + rounds_text(found, options.multiprocessors));
  return kGood;
}

int run_convergence(const Options& options, const makespan::Kernel& kernel, int warps) {
  const makespan::Convergence found =
      makespan::convergence(kernel, warps, options.converge, options.effort, cpu_seconds);
  if (!options.chart.empty()) {
    const auto charts = convergence_charts(found, "Estimates of T(W), W = " + title(kernel, warps));
    need(write_file(options.chart, format_charts(charts)));
  }
  std::cout << (options.as_json ? format_convergence(kernel, found, options.remarks)
                                : title(kernel, warps) + "\n\n" + convergence_text(found));
  if (!options.chart.empty() && !options.as_json) std::cout << "\nWritten: " << options.chart << "\n";
  return kGood;
}

void export_lp(const Options& options, const makespan::Kernel& kernel, int warps) {
  const auto program = need(binary_program(kernel, warps, options.form), "--lp: ");
  need(write_file(options.lp, format_lp(program, title(kernel, warps))));
}

std::string solve([[maybe_unused]] const Options& options, [[maybe_unused]] const makespan::Kernel& kernel,
                  [[maybe_unused]] int warps) {
#ifdef SAMCL_HAVE_CBC
  const auto solved = need(solve_with_cbc(kernel, warps, options.form, *options.solve), "--solve: ");
  return solved ? "The binary program's optimum, by CBC: " + std::to_string(solved->makespan) + " slots.\n"
                : std::string("The binary program was not solved in time.\n");
#else
  refuse("--solve: this sam-analyze was built without COIN-OR CBC; --lp exports the program");
#endif
}

int run_worst_case(const Options& options, const makespan::Kernel& kernel, int warps) {
  if (!options.lp.empty()) export_lp(options, kernel, warps);
  const makespan::WorstCase worst = worst_case(kernel, warps, options.effort);
  if (worst.schedule.empty() && (options.schedule || options.simulate > 0 || !options.svg.empty()))
    refuse(
        "the kernel string is too long to schedule that many warps: without --schedule, --simulate and --svg "
        "there are bounds");
  std::string text = options.as_json ? format_worst_case(kernel, warps, worst, options.schedule, options.remarks)
                                     : title(kernel, warps) + "\n\n" + worst_case_text(kernel, warps, worst);
  if (options.solve) text += "\n" + solve(options, kernel, warps);
  if (options.simulate > 0) text += "\n" + schedulers_text(kernel, warps, worst, options.simulate);
  if (options.schedule && !options.as_json) text += "\n" + schedule_text(kernel, warps, worst.schedule);
  if (!options.svg.empty()) {
    const auto svg = need(schedule_svg(kernel, warps, worst.schedule,
                                       title(kernel, warps) + ": " + std::to_string(worst.attained) + " slots"),
                          "--svg: ");
    need(write_file(options.svg, svg));
  }
  std::cout << text;
  return kGood;
}

int run(Options& options) {
  const auto kernel = read_kernel(options);
  if (!options.remarks.empty() && !options.as_json) {
    std::cout << options.source.name << " is " << options.string << "\n";
    for (const std::string& remark : options.remarks) std::cout << "  " << remark << "\n";
    std::cout << "\n";
  }
  if (options.rounds) return run_rounds(options, kernel);
  if (options.warps < 1 || options.warps > makespan::kMostWarps)
    refuse("--warps is " + std::to_string(options.warps) + ", expected 1 to " + std::to_string(makespan::kMostWarps) +
           " (more with --multiprocessors or --resident)");
  const auto warps = static_cast<int>(options.warps);
  return options.converge > 0 ? run_convergence(options, kernel, warps) : run_worst_case(options, kernel, warps);
}

void add_options(CLI::App& makespan, Options& options) {
  makespan.add_option("STRING", options.string,
                      "kernel string: a letter per instruction, naming its unit; counts repeat letters or groups: "
                      "LLCLL, L2CL2, L(LC)16");
  auto* kernel =
      makespan.add_option("--kernel", options.source.file, "instead: the string of a kernel in this file of OpenCL C");
  makespan.add_option("--name", options.source.name, "which kernel")->needs(kernel);
  makespan.add_option("--loop-bounds", options.source.loop_bounds, "rounds of its loops, by line: 12=64,20=8")
      ->needs(kernel);
  makespan.add_option("--build-option", options.source.build_options, "as for clBuildProgram: -DN=16; may be repeated")
      ->needs(kernel)
      ->allow_extra_args(false);
  auto* warps = makespan.add_option("--warps", options.warps, "W: warps that run it");
  makespan
      .add_option("--config", options.config,
                  "string, warps and units from this file instead (analysis/cli/makespan_input.h)")
      ->excludes(warps)
      ->excludes(kernel);
  makespan.add_option("--unit", options.units,
                      "a unit's rate Lambda in warps per slot, and its latency in slots: L=2, L=1/2, L=1/2:20; "
                      "1 and 1 if not given; may be repeated");
  makespan.add_flag("--schedule", options.schedule, "print the schedule that attains the worst case");
  auto* svg = makespan.add_option("--svg", options.svg, "draw it into this file");
  auto* json = makespan.add_flag("--json", options.as_json, "print JSON");
  auto* simulate =
      makespan.add_option("--simulate", options.simulate, "compare with usual schedulers, and this many random ones")
          ->check(CLI::Range(1, 100'000))
          ->excludes(json);
  auto* converge =
      makespan.add_option("--converge", options.converge, "the published estimate of T(W) from T(y), y up to this")
          ->check(CLI::Range(1, makespan::kMostWarps))
          ->excludes(simulate)
          ->excludes(svg);
  makespan.add_option("--chart", options.chart, "write the estimates' curves, which sam-plot draws")
      ->option_text("FILE")
      ->needs(converge);
  auto* lp = makespan.add_option("--lp", options.lp, "write the binary program to this file, in LP format")
                 ->excludes(converge);
  auto* solve =
      makespan.add_option("--solve", options.solve, "solve the binary program with CBC, for this many seconds")
          ->check(CLI::Range(0.1, 1e6))
          ->excludes(converge)
          ->excludes(json);
  makespan.add_option("--form", options.form, "of its work-conserving constraints: short or long")
      ->transform(one_of(
          std::map<std::string, Conserving>{{"short", Conserving::short_form}, {"long", Conserving::long_form}}));
  makespan
      .add_option_function<int64_t>(
          "--effort", [&options](int64_t millions) { options.effort.places = millions * 1'000'000; },
          "millions of places of states that a search looks at, at most (100: some ten seconds)")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  for (auto* option : {makespan.add_option("--multiprocessors", options.multiprocessors.count,
                                           "deal the warps out to this many, in rounds"),
                       makespan.add_option("--resident", options.multiprocessors.resident,
                                           "warps that a multiprocessor holds at once (64)"),
                       makespan.add_option("--block", options.multiprocessors.block, "warps that stay together (1)")})
    option->excludes(svg)->excludes(simulate)->excludes(converge)->excludes(lp)->excludes(solve)->each(
        [&options](const std::string&) { options.rounds = true; });
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* makespan = parent.add_subcommand(
      "makespan", "how long identical warps can take on a multiprocessor with a work-conserving scheduler");
  makespan->footer(
      "sam-analyze makespan LLCLL --warps 64 --schedule\n"
      "sam-analyze makespan LCLCL --unit L=1/2 --warps 420 --converge 40 --chart convergence.json\n"
      "sam-analyze makespan LCL --warps 4 --solve 60 --lp program.lp\n"
      "sam-analyze makespan --kernel k.cl --name scale --loop-bounds 7=16 --warps 8");
  add_options(*makespan, *options);
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::makespan_command
