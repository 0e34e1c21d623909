// sam-analyze experiment nunna: how long the implementations of Algorithm 1 take for graphs of growing size.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "analysis/cli/nunna_times.h"
#include "analysis/cli/subcommand.h"

namespace samcl::analysis::cli::nunna_command {
namespace {

struct Options : NunnaOptions {
  bool as_json = false;
  std::string out = "nunna";
};

int run(Options& options) {
  options.graph.density = options.percent / 100.0;
  if (options.program == "none") options.program.clear();
  NunnaDevice device;
  std::vector<NunnaTimes> all;
  for (const size_t vertices : options.vertices) {
    std::cerr << "nunna: " << vertices << " vertices\n";
    const auto times = need(measure_nunna(options, vertices, device));
    all.push_back(times);
  }
  const bool agree = std::all_of(all.begin(), all.end(), [](const NunnaTimes& times) { return times.agree; });
  if (options.as_json) {
    std::cout << nunna_json(options, all, device);
    return agree ? kGood : kNotSchedulable;
  }
  const std::string what = "sam-analyze nunna seed " + std::to_string(options.seed) + " density " +
                           std::to_string(options.percent) + " execution " +
                           std::to_string(options.graph.most_execution) + ", times";
  const auto written = write_results(options.out, what, nunna_csv(all), {nunna_chart(all)});
  std::cout << nunna_text(options, all, device) << written;
  return agree ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  options->threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::error_code none;
  options->program =
      (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "programs" / "DemandBound").string();
  CLI::App* nunna = parent.add_subcommand("nunna", "how long demand bounds of recurring tasks take, on CPU and GPU");
  nunna->footer(
      "The OpenCL program checks its result against the plain implementation. Exit code: 0 all agree, 1 "
      "not.");
  nunna->add_option("--vertices", options->vertices, "sizes of the graphs (10,20,30,40,50)")
      ->delimiter(',')
      ->check(CLI::Range(size_t{1}, size_t{200}));
  nunna->add_option("--execution", options->graph.most_execution, "longest execution of a vertex (10000)")
      ->check(CLI::Range(Time{1}, Time{1'000'000}));
  nunna->add_option("--density", options->percent, "percent of the edges that there can be (100)")
      ->check(CLI::Range(0, 100));
  nunna->add_option("--seed", options->seed, "another seed, other graphs (1)");
  nunna->add_option("--threads", options->threads, "all processors by default")->check(CLI::Range(1, 1024));
  nunna->add_option("--repeats", options->repeats, "medians of so many runs (5)")->check(CLI::Range(1, 1000));
  nunna->add_option("--opencl", options->program, "the OpenCL program (programs/DemandBound), or none");
  nunna->add_option("--opencl-options", options->program_options, "more of its options, as \"--platform 1\"")
      ->delimiter(' ');
  nunna
      ->add_option("--opencl-limit", options->limit_s,
                   "seconds after which a run of it is killed (600); there are two per size")
      ->check(CLI::Range(0.1, 1e6));
  nunna->add_option("--out", options->out, "begin of the files' names (nunna)");
  nunna->add_flag("--json", options->as_json, "print JSON instead, and write no files");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::nunna_command
