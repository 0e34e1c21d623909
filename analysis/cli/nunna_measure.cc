#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

#include "analysis/cli/nunna_times.h"
#include "analysis/dbf/fronts.h"
#include "analysis/dbf/intervals.h"

namespace samcl::analysis::cli {
namespace {

// The paper's times on its GPU with shared memory, ms.
const std::map<size_t, double> kPaper = {{10, 28}, {20, 147}, {30, 537}, {40, 988}, {50, 1497}};

// Median of the times of so many calls, ms.
double median_ms(int repeats, const std::function<void()>& work) {
  std::vector<double> times;
  for (int n = 0; n < repeats; ++n) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<size_t>(repeats / 2)];
}

std::vector<std::string> program_command(const NunnaOptions& options, size_t vertices, bool local) {
  std::vector<std::string> command = {options.program};
  for (const auto& [option, value] : {std::pair{"--vertices", static_cast<uint64_t>(vertices)},
                                      {"--execution", static_cast<uint64_t>(options.graph.most_execution)},
                                      {"--density", static_cast<uint64_t>(options.percent)},
                                      {"--seed", options.seed},
                                      {"--local-memory", local ? 1U : 0U},
                                      {"--warmup", 1U},
                                      {"--iterations", static_cast<uint64_t>(options.repeats)}})
    command.insert(command.end(), {option, std::to_string(value)});
  command.insert(command.end(), options.program_options.begin(), options.program_options.end());
  command.emplace_back("--json");
  return command;
}

void measure_opencl(const NunnaOptions& options, NunnaTimes& times, NunnaDevice& device) {
  for (const Way way : {kLocal, kGlobal}) {
    if (options.program.empty() || !device.error.empty()) return;
    const auto answer = run_opencl(program_command(options, times.vertices, way == kLocal), options.limit_s);
    if (!answer) {
      device.error = answer.error().message;
      return;
    }
    device.name = answer->device;
    times.ms[way] = answer->times.job;
    (way == kLocal ? times.local : times.global) = answer->times;
    times.agree = times.agree && answer->passed;
  }
}

}  // namespace

Result<NunnaTimes> measure_nunna(const NunnaOptions& options, size_t vertices, NunnaDevice& device) {
  dbf::RandomGraph wanted = options.graph;
  wanted.vertices = vertices;
  const dbf::DoubledGraph graph = double_graph(random_graph(wanted, options.seed));
  const auto columns = table_columns(graph);
  if (!columns) return tl::unexpected(columns.error());
  NunnaTimes times;
  times.vertices = vertices;
  if (const auto known = kPaper.find(vertices); known != kPaper.end()) times.paper_ms = known->second;
  times.demands = *columns;
  for (const dbf::Row& row : graph.rows) times.edges += row.predecessors.size();
  dbf::ShortestIntervals plain, fast, threads;
  dbf::Staircase fronts;
  times.ms[kPlain] = median_ms(std::min(options.repeats, 3), [&] { plain = plain_intervals(graph); });
  times.ms[kFast] = median_ms(options.repeats, [&] { fast = fast_intervals(graph, 1); });
  times.ms[kThreads] = median_ms(options.repeats, [&] { threads = fast_intervals(graph, options.threads); });
  times.ms[kFronts] = median_ms(options.repeats, [&] { fronts = dbf::Fronts(graph).with_source(); });
  times.agree =
      fast == plain && threads == plain && fronts == dbf::staircase_of(plain.with_source, plain.unit);
  measure_opencl(options, times, device);
  return times;
}

}  // namespace samcl::analysis::cli
