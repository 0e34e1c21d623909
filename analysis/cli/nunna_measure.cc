#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

#include "analysis/cli/nunna_times.h"
#include "analysis/dbf/fronts.h"
#include "analysis/dbf/intervals.h"
#include "analysis/experiment/cpu_time.h"

namespace samcl::analysis::cli {
namespace {

// The paper's Table I, ms.
const std::map<size_t, std::array<double, kPlain>> kPaper = {{10, {147.683716, 34.910538, 28.038548}},
                                                             {20, {955.779358, 192.749374, 146.997284}},
                                                             {30, {4346.823242, 720.375671, 537.149719}},
                                                             {40, {7945.673828, 1344.817139, 987.577637}},
                                                             {50, {13490.95606, 2783.330078, 1496.557251}}};

double elapsed_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Median of the times of so many calls, ms.
double median_ms(int repeats, double (*clock)(), const std::function<void()>& work) {
  std::vector<double> times;
  for (int n = 0; n < repeats; ++n) {
    const double start = clock();
    work();
    times.push_back((clock() - start) * 1000);
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
  if (const auto known = kPaper.find(vertices); known != kPaper.end())
    std::copy(known->second.begin(), known->second.end(), times.ms.begin());
  times.demands = *columns;
  for (const dbf::Row& row : graph.rows) times.edges += row.predecessors.size();
  dbf::ShortestIntervals plain, fast, threads;
  dbf::Staircase fronts;
  times.ms[kPlain] = median_ms(std::min(options.repeats, 3), cpu_seconds, [&] { plain = plain_intervals(graph); });
  times.ms[kFast] = median_ms(options.repeats, cpu_seconds, [&] { fast = fast_intervals(graph, 1); });
  times.ms[kThreads] =
      median_ms(options.repeats, elapsed_seconds, [&] { threads = fast_intervals(graph, options.threads); });
  times.ms[kFronts] = median_ms(options.repeats, cpu_seconds, [&] { fronts = dbf::Fronts(graph).with_source(); });
  times.agree = fast == plain && threads == plain && fronts == dbf::staircase_of(plain.with_source, plain.unit);
  measure_opencl(options, times, device);
  return times;
}

}  // namespace samcl::analysis::cli
