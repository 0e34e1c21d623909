// How long sam-translate takes as a process of its own, on one core: user and system time; the counter is the
// time on the clock, which other programs lengthen. Nothing is cached but files by the kernel.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>

#include "kernel-translator/client/run_translator.h"

namespace samcl {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> all_of(const std::string& source, const std::string& expression) {
  const std::regex wanted(expression);
  std::set<std::string> found;
  for (std::sregex_iterator at(source.begin(), source.end(), wanted), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

// The benchmarks' sources one after the other, as long as no name occurs twice, until there are that many
// lines.
std::string source_of_lines(long lines) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(BENCHMARK_SOURCES))
    if (file.path().extension() == ".cl") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::string source;
  std::set<std::string> names;
  for (const auto& file : files) {
    const std::string more = contents(file);
    std::set<std::string> own = all_of(more, "(?:^|\n)[ a-z0-9_(),]*\\b\\w+\\s+(\\w+)\\([^;]*\\{");
    own.merge(all_of(more, "#define\\s+(\\w+)"));
    own.merge(all_of(more, "\\}\\s*(\\w+);"));
    if (std::any_of(own.begin(), own.end(), [&](const std::string& name) { return names.count(name) > 0; })) continue;
    names.merge(own);
    source += more;
    if (std::count(source.begin(), source.end(), '\n') >= lines) break;
  }
  return source;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Of all children that have ended.
double processor_time() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void translate(benchmark::State& state, const std::string& source, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{SAM_TRANSLATE};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::chrono::duration<double, std::milli> on_the_clock{};
  for (auto _ : state) {
    const double before = processor_time();
    const auto start = std::chrono::steady_clock::now();
    const auto answer = run_translator(command, source, 60'000);
    on_the_clock += std::chrono::steady_clock::now() - start;
    state.SetIterationTime(processor_time() - before);
    if (!answer) return state.SkipWithError(answer.error().message.c_str());
  }
  state.counters["ms_on_the_clock"] = on_the_clock.count() / static_cast<double>(state.iterations());
  state.counters["lines"] = static_cast<double>(std::count(source.begin(), source.end(), '\n'));
}

void the_start_alone(benchmark::State& state) { translate(state, "", {"--version"}); }
void one_kernel(benchmark::State& state) {
  translate(state, contents(std::filesystem::path(BENCHMARK_SOURCES) / "VectorAdd.cl"), {"-", "--json"});
}
void five_hundred_lines(benchmark::State& state) {
  translate(
      state, source_of_lines(500),
      {"-", "--json", "--images", "--", "-DTILE=8", "-DK=8", "-DRADIUS=2", "-DWIDTH=8", "-DHEIGHT=8", "-DITEMS=4"});
}

BENCHMARK(the_start_alone)->UseManualTime()->Iterations(50)->Unit(benchmark::kMillisecond);
BENCHMARK(one_kernel)->UseManualTime()->Iterations(50)->Unit(benchmark::kMillisecond);
BENCHMARK(five_hundred_lines)->UseManualTime()->Iterations(50)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace samcl

BENCHMARK_MAIN();
