#include "benchmarks/harness/live.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text_table.h"
#include "benchmarks/harness/comparison.h"
#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/session_json.h"

namespace samcl::bench {
namespace {

using analysis::ModePolicy;
using nlohmann::ordered_json;

const std::vector<std::string> kMatrix = {"--rows", "--columns", "--inner"};
const std::vector<std::string> kPicture = {"--width", "--height"};

}  // namespace

std::optional<LiveExperiment> find_live(const std::string& name) {
  if (name == "gpu-sam")
    return LiveExperiment{name,
                          {{"MatrixMultiplication", 30, 400, 340, kMatrix, 512, 3, 16384},
                           {"Filter", 20, 80, 50, kPicture, 1024, 2, 16384},
                           {"KNearest", 10, 500, 80, {"--queries"}, 4096, 1, 1 << 20}},
                          {ModePolicy::single, ModePolicy::local, ModePolicy::gpa, ModePolicy::search}};
  if (name == "gpu-sparc")
    return LiveExperiment{name,
                          {{"KNearest", 30, 200, 115, {"--queries"}, 4096, 1, 1 << 20},
                           {"MatrixMultiplication", 20, 500, 265, kMatrix, 512, 3, 16384},
                           {"Pagerank", 10, 900, 610, {"--nodes"}, 100'000, 1, 1 << 24}},
                          {ModePolicy::single, ModePolicy::local, ModePolicy::gema, ModePolicy::search}};
  return std::nullopt;
}

double better_size(const LiveTask& task, double size, double took_ms, double wanted_ms) {
  const double better = std::round(size * std::pow(wanted_ms / std::max(took_ms, 1e-3), 1 / task.growth));
  return std::clamp(better, 2.0, task.largest);
}

size_t LiveRow::misses() const {
  return static_cast<size_t>(std::count_if(responses_ms.begin(), responses_ms.end(),
                                           [this](double response) { return response > period_ms; }));
}

size_t LiveRow::beyond_bound() const {
  if (!bound_ms) return 0;
  return static_cast<size_t>(std::count_if(responses_ms.begin(), responses_ms.end(),
                                           [this](double response) { return response > *bound_ms; }));
}

double LiveRow::longest_ms() const {
  return responses_ms.empty() ? 0 : *std::max_element(responses_ms.begin(), responses_ms.end());
}

double LiveRow::median_ms() const { return responses_ms.empty() ? 0 : spread_of(responses_ms).median; }

std::string live_text(const LiveSession& session) {
  std::vector<std::vector<std::string>> table = {
      {"POLICY", "TASK", "GPUS", "PERIOD", "BOUND", "VERDICT", "JOBS", "MEDIAN", "LONGEST", "MISSES", "BEYOND BOUND"}};
  for (const LiveRow& row : session.rows) {
    if (!row.failure.empty()) {
      table.push_back({row.policy, row.task, "-", "-", "-", "failed: " + row.failure});
      continue;
    }
    table.push_back({row.policy, row.task, std::to_string(row.gpus), short_number(row.period_ms) + " ms",
                     row.bound_ms ? short_number(*row.bound_ms) + " ms" : "-",
                     row.guaranteed ? "guaranteed"
                     : row.bound_ms ? "late"
                                    : "no bound",
                     std::to_string(row.responses_ms.size()), short_number(row.median_ms()) + " ms",
                     short_number(row.longest_ms()) + " ms", std::to_string(row.misses()),
                     row.bound_ms ? std::to_string(row.beyond_bound()) : "-"});
  }
  return samcl::table(table, 2);
}

std::string live_json(const LiveSession& session) {
  ordered_json rows = ordered_json::array();
  for (const LiveRow& row : session.rows)
    rows.push_back({{"policy", row.policy},
                    {"task", row.task},
                    {"gpus", row.gpus},
                    {"period_ms", row.period_ms},
                    {"bound_ms", row.bound_ms ? ordered_json(*row.bound_ms) : ordered_json()},
                    {"guaranteed", row.guaranteed},
                    {"jobs", row.responses_ms.size()},
                    {"median_ms", row.median_ms()},
                    {"longest_ms", row.longest_ms()},
                    {"misses", row.misses()},
                    {"beyond_bound", row.beyond_bound()},
                    {"responses_ms", row.responses_ms},
                    {"failure", row.failure}});
  const ordered_json all = {{"experiment", session.experiment},
                            {"scale", session.scale},
                            {"machine", to_json(session.machine)},
                            {"rows", rows}};
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::bench
