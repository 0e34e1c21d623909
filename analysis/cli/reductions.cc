// sam-analyze experiment reductions: what each proven reduction of the makespan's search is worth (analysis/makespan).
#include <algorithm>
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/experiment/cpu_time.h"
#include "analysis/makespan/worst_case.h"
#include "analysis/model/number_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::reductions_command {
namespace {

using makespan::Kernel;
using makespan::Reductions;
using makespan::UnitRate;

struct Options {
  int64_t effort = 4;
  int warps = 64;
  bool examples = false;
};

struct Column {
  const char* title;
  Reductions reductions;
};

constexpr Column kColumns[] = {{"ALL", {}},
                               {"NO QUEUES", {.queues = false}},
                               {"NO RUNS", {.runs = false}},
                               {"NO PAUSES", {.pauses = false}},
                               {"NO DOMINATION", {.domination = false}},
                               {"NONE", {.queues = false, .runs = false, .pauses = false, .domination = false}}};

struct Example {
  std::string string;
  std::vector<UnitRate> rates;
  int warps;
};

// Of the README and the paper.
std::vector<Example> examples() {
  const UnitRate two_loads = {.letter = 'L', .warps = 2}, two_computations = {.letter = 'C', .warps = 2};
  return {{"LLCLL", {}, 64},
          {"LLCLL", {}, 600},
          {"LLCLL", {two_loads, two_computations}, 600},
          {"LCLCL", {{.letter = 'L', .slots = 2}}, 420},
          {"LLCCLL", {}, 64},
          {"LLCCLL", {}, 65'000},
          {"(LLCC)20", {}, 64},
          {"LLCLL", {{.letter = 'L', .latency = 4}}, 64},
          {"LLTTCC", {}, 64}};
}

struct Family {
  std::string title, letters;
  size_t longest;
  std::string first;  // begins with it, if it is not empty
  std::vector<UnitRate> rates;
};

std::vector<Family> families() {
  const UnitRate two_loads = {.letter = 'L', .warps = 2};
  return {{"L, C, to 8, L first", "LC", 8, "L", {}},
          {"L, C, to 5, Lambda_L = 2", "LC", 5, "", {two_loads}},
          {"L, C, to 5, L first, both 2", "LC", 5, "L", {two_loads, {.letter = 'C', .warps = 2}}},
          {"L, T, C, to 5", "LTC", 5, "L", {}},
          {"L, C, to 5, latency 4 of L", "LC", 5, "", {{.letter = 'L', .latency = 4}}}};
}

// Those with an L.
std::vector<Kernel> kernels(const Family& family) {
  std::vector<std::string> strings = {family.first};
  std::vector<Kernel> all;
  for (size_t n = 0; n < strings.size(); ++n) {
    if (strings[n].find('L') != std::string::npos) {
      std::vector<UnitRate> rates;
      for (const UnitRate& rate : family.rates)
        if (strings[n].find(rate.letter) != std::string::npos) rates.push_back(rate);
      all.push_back(makespan::parse_kernel(strings[n], rates).value());
    }
    if (strings[n].size() < family.longest)
      for (const char letter : family.letters) strings.push_back(strings[n] + letter);
  }
  return all;
}

std::string seconds(double since) { return decimal(cpu_seconds() - since, 2) + " s"; }

std::vector<std::string> header(const char* first) {
  std::vector<std::string> titles = {first};
  for (const Column& column : kColumns) titles.emplace_back(column.title);
  return titles;
}

void print_examples() {
  std::vector<std::vector<std::string>> rows = {header("WARPS")};
  for (const auto& [string, rates, warps] : examples()) {
    rows.push_back({std::to_string(warps) + " " + string});
    for (const UnitRate& rate : rates)
      rows.back()[0] += std::string(" ") + rate.letter + "=" + std::to_string(rate.warps) + "/" +
                        std::to_string(rate.slots) + ":" + std::to_string(rate.latency);
    for (const Column& column : kColumns) {
      const double start = cpu_seconds();
      const auto found =
          worst_case(makespan::parse_kernel(string, rates).value(), warps, {.reductions = column.reductions});
      rows.back().push_back(std::to_string(found.attained) +
                            (found.exact() ? "" : " to " + std::to_string(found.bound)) + ", " + seconds(start));
    }
  }
  std::cout << "Worst cases, or the two bounds where the usual effort does not suffice, and CPU time\n\n"
            << table(rows);
}

void print_families(int64_t effort, int warps) {
  std::vector<std::vector<std::string>> rows = {header("STRINGS")};
  for (const Family& family : families()) {
    const std::vector<Kernel> all = kernels(family);
    rows.push_back({family.title + ": " + std::to_string(all.size())});
    for (const Column& column : kColumns) {
      const double start = cpu_seconds();
      int64_t exact = 0, left = 0;
      for (const Kernel& kernel : all) {
        const auto found = worst_case(kernel, warps, {.places = effort * 1'000'000, .reductions = column.reductions});
        exact += found.exact() ? 1 : 0;
        left += found.bound - found.attained;
      }
      rows.back().push_back(std::to_string(exact) + ", " + std::to_string(left) + ", " + seconds(start));
    }
  }
  std::cout << "Strings whose worst case for " << warps
            << " warps is exact, what is left between the others' bounds, and "
            << "CPU time\n\n"
            << table(rows);
}

int run(const Options& options) {
  if (options.examples)
    print_examples();
  else
    print_families(options.effort, options.warps);
  return kGood;
}

}  // namespace

Run add(CLI::App& experiment) {
  auto options = std::make_shared<Options>();
  CLI::App* reductions =
      experiment.add_subcommand("reductions", "what each reduction of the makespan's search is worth");
  reductions->add_flag("--examples", options->examples,
                       "of the README's strings one by one, instead of families of strings");
  reductions->add_option("--effort", options->effort, "millions of places of states that each search looks at (4)")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  reductions->add_option("--warps", options->warps, "of families of strings (64)")->check(CLI::Range(1, 600));
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::reductions_command
