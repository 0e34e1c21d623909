// sam-survey-kernels: what sam-translate makes of many sources, as a table.
#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/executable.h"
#include "base/json_text.h"
#include "kernel-translator/survey/survey.h"

namespace samcl::survey {
namespace {

constexpr char kUsage[] =
    "usage: sam-survey-kernels [--json] [--guess] [--kernels] FILE.cl|FOLDER... [-- BUILD OPTIONS...]\n";

constexpr char kHelp[] =
    R"(What sam-translate makes of OpenCL C sources: which are parsed, which kernels may run in parts, of which all
writes are known. A footprint is judged with a launch that is made up: 4096 work-items in a row, a square or a
cube, and integers as large as its side. Each source has a process of its own, and 5 s.

  --guess     names that a source lacks, because its host program would define them, become macros
  --kernels   a line for each kernel
  --json      all of it as JSON
  -- OPTIONS  build options for all sources; those of one source are read from FILE.cl.options

Exit status: 0 every source was looked at, whatever was found; 1 the translator crashed or took too long; 2 wrong
usage or nothing to look at.
)";

struct Counts {
  size_t sources = 0, parsed = 0, guessed = 0, kernels = 0, split = 0, known = 0, disjoint = 0, gather = 0, quick = 0;
  double slowest_ms = 0, slowest_us = 0;
};

const char* name_of(Extent extent) {
  return extent == Extent::none ? "-" : extent == Extent::known ? "known" : "whole";
}

bool broke_down(const SourceVerdict& verdict) {
  return verdict.error.find("crashed") != std::string::npos || verdict.error.find("took longer") != std::string::npos;
}

Counts count(const std::vector<SourceVerdict>& verdicts) {
  Counts counts;
  for (const SourceVerdict& verdict : verdicts) {
    ++counts.sources;
    counts.slowest_ms = std::max(counts.slowest_ms, verdict.milliseconds);
    if (!verdict.error.empty()) continue;
    ++counts.parsed;
    counts.guessed += !verdict.guessed.empty();
    for (const KernelVerdict& kernel : verdict.kernels) {
      ++counts.kernels;
      counts.split += kernel.may_split;
      counts.known += kernel.may_split && kernel.writes_known;
      counts.disjoint += kernel.may_split && kernel.writes_disjoint;
      counts.gather += kernel.gathers;
      counts.quick += kernel.microseconds < 20;
      counts.slowest_us = std::max(counts.slowest_us, kernel.microseconds);
    }
  }
  return counts;
}

// Reasons that differ in names alone count as one.
std::string without_names(const std::string& reason) {
  static const std::regex kNames("'[^']*'|argument \\w+|variable \\w+|calls \\w+|[^ ]*:\\d+:\\d+: ");
  return std::regex_replace(reason, kNames, "");
}

void print_ranking(const char* title, const std::map<std::string, size_t>& reasons) {
  if (reasons.empty()) return;
  std::vector<std::pair<size_t, std::string>> ranking;
  for (const auto& [reason, times] : reasons) ranking.emplace_back(times, reason);
  std::sort(ranking.rbegin(), ranking.rend());
  std::cout << "\n" << title << "\n";
  for (const auto& [times, reason] : ranking) std::cout << std::setw(6) << times << "  " << reason << "\n";
}

void print_kernel(const KernelVerdict& kernel) {
  std::cout << "    " << kernel.name << ": "
            << (!kernel.may_split         ? "one device, " + kernel.why_not_split
                : !kernel.writes_known    ? "split, writes unknown"
                : !kernel.writes_disjoint ? "split, writes known"
                                          : "split, writes known and apart")
            << "\n";
  for (const ArgumentVerdict& buffer : kernel.buffers)
    std::cout << "        " << buffer.name << ": reads " << name_of(buffer.reads) << ", writes "
              << name_of(buffer.writes) << "\n";
}

void print_table(const std::vector<SourceVerdict>& verdicts, bool each_kernel) {
  std::map<std::string, size_t> errors, reasons;
  for (const SourceVerdict& verdict : verdicts) {
    if (!verdict.error.empty()) {
      std::cout << verdict.file << ": " << verdict.error << "\n";
      ++errors[without_names(verdict.error)];
    } else if (each_kernel) {
      std::cout << verdict.file << "\n";
    }
    for (const KernelVerdict& kernel : verdict.kernels) {
      if (each_kernel) print_kernel(kernel);
      if (!kernel.may_split)
        ++reasons[without_names(kernel.why_not_split)];
      else if (!kernel.writes_known)
        ++reasons["(split; writes unknown)"];
      else if (!kernel.writes_disjoint)
        ++reasons["(split; writes known, not apart)"];
    }
  }
  const Counts counts = count(verdicts);
  const auto line = [](const char* what, size_t part, size_t all) {
    std::cout << std::left << std::setw(40) << what << std::right << std::setw(8) << part;
    if (all > 0)
      std::cout << std::setw(8) << std::fixed << std::setprecision(1)
                << 100.0 * static_cast<double>(part) / static_cast<double>(all) << " %";
    std::cout << "\n";
  };
  print_ranking("errors", errors);
  print_ranking("kernels that are not split with writes known and apart", reasons);
  std::cout << "\n";
  line("sources", counts.sources, 0);
  line("  parsed", counts.parsed, counts.sources);
  line("    with macros guessed", counts.guessed, counts.sources);
  line("kernels of parsed sources", counts.kernels, 0);
  line("  split", counts.split, counts.kernels);
  line("    all writes known", counts.known, counts.kernels);
  line("      and apart between two halves", counts.disjoint, counts.kernels);
  line("  launches may be gathered", counts.gather, counts.kernels);
  line("  footprint evaluated in less than 20 us", counts.quick, counts.kernels);
  const auto slowest = [](const char* what, double time, const char* unit) {
    std::cout << std::left << std::setw(40) << what << std::right << std::setw(8) << static_cast<long>(time) << unit;
  };
  slowest("slowest evaluation", counts.slowest_us, " us\n");
  slowest("slowest source", counts.slowest_ms, " ms\n");
}

nlohmann::json to_json(const std::vector<SourceVerdict>& verdicts) {
  nlohmann::json sources = nlohmann::json::array();
  for (const SourceVerdict& verdict : verdicts) {
    nlohmann::json source = {{"file", verdict.file},
                             {"error", verdict.error},
                             {"guessed", verdict.guessed},
                             {"milliseconds", verdict.milliseconds},
                             {"kernels", nlohmann::json::array()}};
    for (const KernelVerdict& kernel : verdict.kernels) {
      nlohmann::json buffers = nlohmann::json::array();
      for (const ArgumentVerdict& buffer : kernel.buffers)
        buffers.push_back(
            {{"name", buffer.name}, {"reads", name_of(buffer.reads)}, {"writes", name_of(buffer.writes)}});
      source["kernels"].push_back({{"name", kernel.name},
                                   {"may_split", kernel.may_split},
                                   {"why_not_split", kernel.why_not_split},
                                   {"gathers", kernel.gathers},
                                   {"writes_known", kernel.writes_known},
                                   {"writes_disjoint", kernel.writes_disjoint},
                                   {"microseconds", kernel.microseconds},
                                   {"buffers", buffers}});
    }
    sources.push_back(source);
  }
  const Counts counts = count(verdicts);
  return {{"sources", sources},
          {"counts",
           {{"sources", counts.sources},
            {"parsed", counts.parsed},
            {"kernels", counts.kernels},
            {"split", counts.split},
            {"gather", counts.gather},
            {"writes_known", counts.known},
            {"writes_disjoint", counts.disjoint}}}};
}

int wrong_usage(const std::string& message) {
  std::cerr << "sam-survey-kernels: " << message << "\n" << kUsage;
  return 2;
}

int run(const std::vector<std::string>& words) {
  Question question;
  question.translator = own_folder() / "sam-translate";
  bool json = false, each_kernel = false;
  std::vector<std::string> files;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help") {
      std::cout << kUsage << kHelp;
      return 0;
    }
    if (words[i] == "--json") {
      json = true;
    } else if (words[i] == "--guess") {
      question.guess_macros = true;
    } else if (words[i] == "--kernels") {
      each_kernel = true;
    } else if (words[i] == "--") {
      question.options.assign(words.begin() + static_cast<long>(i) + 1, words.end());
      break;
    } else if (words[i].starts_with("-")) {
      return wrong_usage("unknown option " + words[i]);
    } else if (std::error_code error; !std::filesystem::exists(words[i], error)) {
      return wrong_usage("there is no " + words[i]);
    } else {
      const auto below = sources_below(words[i]);
      files.insert(files.end(), below.begin(), below.end());
    }
  }
  if (files.empty()) return wrong_usage("no sources (files that end in .cl)");
  std::vector<SourceVerdict> verdicts;
  for (const std::string& file : files) verdicts.push_back(survey_source(file, question));
  if (json)
    std::cout << json_text(to_json(verdicts), 2) << "\n";
  else
    print_table(verdicts, each_kernel);
  return std::any_of(verdicts.begin(), verdicts.end(), broke_down) ? 1 : 0;
}

}  // namespace
}  // namespace samcl::survey

int main(int argc, char** argv) { return samcl::survey::run({argv + 1, argv + argc}); }
