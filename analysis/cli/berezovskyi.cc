// sam-analyze experiment berezovskyi: Figures 5 to 7 of the paper on makespans (analysis/makespan), with CPU
// times.
#include <iostream>
#include <memory>

#include "analysis/cli/makespan_text.h"
#include "analysis/cli/subcommand.h"
#include "analysis/experiment/cpu_time.h"
#include "analysis/makespan/drawing.h"
#include "analysis/model/number_text.h"
#include "base/text_table.h"
#ifdef SAMCL_HAVE_CBC
#include "analysis/makespan/solve.h"
#endif

namespace samcl::analysis::cli::berezovskyi_command {
namespace {

using makespan::Conserving;

struct Options {
  int warps = 4;
  double seconds = 20;
  int converge = 40;
  std::string out = "berezovskyi";
};

makespan::Kernel kernel_of(const std::string& text, const std::vector<makespan::UnitRate>& rates = {}) {
  return makespan::parse_kernel(text, rates).value();
}

#ifdef SAMCL_HAVE_CBC
// Fig. 5: CPU time of CBC for LLCLL over the number of warps, both forms of the work-conserving constraints.
Chart solving_times(const Options& options, std::string& text, std::string& csv) {
  Chart chart{"Fig. 5: solving time of LLCLL", "warps W", {}, {{"short constraints", {}}, {"long constraints", {}}}};
  chart.measure = "seconds of CPU time";
  chart.top = 0;
  csv = "warps,makespan,short_s,long_s\n";
  std::vector<std::vector<std::string>> rows = {{"W", "T(W)", "SHORT FORM", "LONG FORM"}};
  const makespan::Kernel kernel = kernel_of("LLCLL");
  bool open[] = {true, true};
  for (int warps = 1; warps <= options.warps; ++warps) {
    chart.ticks.push_back(warps);
    rows.push_back({std::to_string(warps), std::to_string(worst_case(kernel, warps).attained)});
    csv += rows.back()[0] + "," + rows.back()[1];
    for (size_t form = 0; form < 2; ++form) {
      const double start = cpu_seconds();
      std::optional<makespan::Solved> solved;
      if (open[form]) {
        auto found = need(solve_with_cbc(kernel, warps, static_cast<Conserving>(form), options.seconds));
        solved = std::move(found);
      }
      const double time = cpu_seconds() - start;
      open[form] = solved.has_value();
      rows.back().push_back(solved ? decimal(time, 3) + " s" : "above " + decimal(options.seconds, 3) + " s");
      csv += solved ? "," + decimal(time, 3) : ",";
      if (!solved) continue;
      if (std::to_string(solved->makespan) != rows.back()[1])
        refuse("CBC has " + std::to_string(solved->makespan) + " slots for " + rows.back()[0] + " warps, the search " +
               rows.back()[1]);
      chart.curves[form].points.emplace_back(warps, time);
      chart.top = std::max(chart.top, time);
    }
    csv += "\n";
  }
  text = table(rows);
  return chart;
}
#endif

int run(const Options& options) {
  std::vector<Chart> charts;
  std::string text, csv;
#ifdef SAMCL_HAVE_CBC
  auto times = solving_times(options, text, csv);
  charts.push_back(std::move(times));
  std::cout << "Fig. 5: CPU time of COIN-OR CBC for LLCLL, Lambda = 1\n\n" << text << "\n";
#else
  std::cout << "Fig. 5 needs COIN-OR CBC, without which this sam-analyze was built.\n\n";
#endif
  for (const auto& [figure, string, rates, warps] :
       {std::tuple{6, "LLCLL", std::vector<makespan::UnitRate>{}, 600},
        {7, "LCLCL", {{.letter = 'L', .warps = 1, .slots = 2, .latency = 1}}, 420}}) {
    const makespan::Kernel kernel = kernel_of(string, rates);
    const auto found = convergence(kernel, warps, options.converge, {}, cpu_seconds);
    const std::string title =
        "Fig. " + std::to_string(figure) + ": " + string + ", " + std::to_string(warps) + " warps";
    for (Chart& chart : convergence_charts(found, title)) charts.push_back(std::move(chart));
    std::cout << title << "\n\n" << convergence_text(found) << "\n";
  }
  const auto written = write_results(options.out, "sam-analyze berezovskyi, CPU times", csv, charts, 2);
  std::cout << written;
  return kGood;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* figures = parent.add_subcommand("berezovskyi", "Figures 5 to 7 on makespans of warps, with CPU times");
  figures->add_option("--warps", options->warps, "Fig. 5 up to so many (4)")->check(CLI::Range(1, 12));
  figures->add_option("--seconds", options->seconds, "CPU time after which a program is not solved (20)")
      ->check(CLI::Range(0.1, 1e6));
  figures->add_option("--converge", options->converge, "Figures 6 and 7 up to so many warps (40)")
      ->check(CLI::Range(1, 600));
  figures->add_option("--out", options->out, "begin of the files' names (berezovskyi)");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::berezovskyi_command
