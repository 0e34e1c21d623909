#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/cli/nunna_times.h"
#include "analysis/dbf/fronts.h"
#include "analysis/dbf/intervals.h"

namespace samcl::analysis::cli {
namespace {

using nlohmann::json;

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

// In quotes for the shell.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Cuts it off; line ends alone are no lines.
std::string take_last_line(std::string& text) {
  while (text.ends_with('\n')) text.pop_back();
  const size_t end = text.rfind('\n');
  std::string line = text.substr(end + 1);
  text.resize(end == std::string::npos ? 0 : end);
  return line;
}

// The last line of what the benchmark program prints: its results as JSON.
Result<json> run_program(const NunnaOptions& options, size_t vertices, bool local) {
  std::string command = quoted(options.program);
  for (const auto& [option, value] : {std::pair{"--vertices", static_cast<uint64_t>(vertices)},
                                      {"--execution", static_cast<uint64_t>(options.graph.most_execution)},
                                      {"--density", static_cast<uint64_t>(options.percent)},
                                      {"--seed", options.seed},
                                      {"--local-memory", local ? 1U : 0U},
                                      {"--warmup", 1U},
                                      {"--iterations", static_cast<uint64_t>(options.repeats)}})
    command += std::string(" ") + option + " " + std::to_string(value);
  for (const std::string& word : options.program_options) command += " " + quoted(word);
  FILE* pipe = popen((command + " --json 2>&1").c_str(), "r");
  if (!pipe) return fail(options.program + ": cannot be started");
  std::string output;
  std::array<char, 4096> part{};
  for (size_t count = 0; (count = fread(part.data(), 1, part.size(), pipe)) > 0;)
    output.append(part.data(), count);
  pclose(pipe);
  std::string last = take_last_line(output);
  const json found = json::parse(last, nullptr, false);
  if (found.is_object() && found.contains("passed")) return found;
  if (last == "FAIL") last = take_last_line(output);  // behind what it says of the cause
  return fail(options.program + ": " + (last.empty() ? "no output" : last));
}

void measure_opencl(const NunnaOptions& options, NunnaTimes& times, NunnaDevice& device) {
  for (const Way way : {kLocal, kGlobal}) {
    if (options.program.empty() || !device.error.empty()) return;
    const auto found = run_program(options, times.vertices, way == kLocal);
    if (!found) {
      device.error = found.error().message;
      return;
    }
    device.name = found->at("device").get<std::string>();
    times.ms[way] = found->at("median").at("total").at("host_ms").get<double>();
    times.agree = times.agree && found->at("passed").get<bool>();
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
