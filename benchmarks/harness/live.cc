#include "benchmarks/harness/live.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

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

double LiveRow::percentile_ms(double share) const { return percentile(responses_ms, share); }

std::string LiveRow::verdict() const {
  if (guaranteed) return "guaranteed";
  if (!bound_ms) return "no bound";
  return *bound_ms > period_ms ? "late" : "estimated";
}

namespace {

// Of all tasks that have a bound, whatever the verdict.
std::string sum_text(const LiveSession& session) {
  size_t jobs = 0, beyond = 0, guaranteed = 0, guaranteed_beyond = 0;
  for (const LiveRow& row : session.rows) {
    if (!row.bound_ms || !row.failure.empty()) continue;
    jobs += row.responses_ms.size();
    beyond += row.beyond_bound();
    if (!row.guaranteed) continue;
    guaranteed += row.responses_ms.size();
    guaranteed_beyond += row.beyond_bound();
  }
  return "jobs under a bound: " + std::to_string(jobs) + ", beyond it: " + std::to_string(beyond) +
         "; of guaranteed tasks: " + std::to_string(guaranteed) + ", beyond it: " + std::to_string(guaranteed_beyond) +
         "\n";
}

}  // namespace

std::string live_text(const LiveSession& session) {
  std::vector<std::vector<std::string>> table = {{"POLICY", "BESIDE", "TASK", "GPUS", "PERIOD", "BOUND", "VERDICT",
                                                  "JOBS", "P50", "P99", "LONGEST", "BOUND/LONGEST", "MISSES",
                                                  "BEYOND BOUND"}};
  std::set<std::string> reasons;
  const auto time = [](double ms) { return short_number(ms) + " ms"; };
  for (const LiveRow& row : session.rows) {
    const std::string beside = std::to_string(row.beside);
    if (!row.failure.empty()) {
      table.push_back({row.policy, beside, row.task, "-", "-", "-", "failed: " + row.failure});
      continue;
    }
    table.push_back({row.policy, beside, row.task, std::to_string(row.gpus), time(row.period_ms),
                     row.bound_ms ? time(*row.bound_ms) : "-", row.verdict(), std::to_string(row.responses_ms.size()),
                     time(row.percentile_ms(0.5)), time(row.percentile_ms(0.99)), time(row.longest_ms()),
                     row.bound_ms && row.longest_ms() > 0 ? short_number(*row.bound_ms / row.longest_ms()) : "-",
                     std::to_string(row.misses()), row.bound_ms ? std::to_string(row.beyond_bound()) : "-"});
    if (!row.why_not.empty()) reasons.insert(row.task + " is " + row.verdict() + ": " + row.why_not + "\n");
  }
  std::string text = samcl::table(table, 3) + sum_text(session);
  for (const std::string& reason : reasons) text += reason;
  return text;
}

std::string live_json(const LiveSession& session) {
  ordered_json rows = ordered_json::array();
  for (const LiveRow& row : session.rows)
    rows.push_back({{"policy", row.policy},
                    {"beside", row.beside},
                    {"task", row.task},
                    {"gpus", row.gpus},
                    {"period_ms", row.period_ms},
                    {"bound_ms", row.bound_ms ? ordered_json(*row.bound_ms) : ordered_json()},
                    {"guaranteed", row.guaranteed},
                    {"verdict", row.verdict()},
                    {"why_not", row.why_not},
                    {"jobs", row.responses_ms.size()},
                    {"median_ms", row.median_ms()},
                    {"p50_ms", row.percentile_ms(0.5)},
                    {"p99_ms", row.percentile_ms(0.99)},
                    {"longest_ms", row.longest_ms()},
                    {"misses", row.misses()},
                    {"beyond_bound", row.beyond_bound()},
                    {"responses_ms", row.responses_ms},
                    {"failure", row.failure}});
  const ordered_json all = {{"experiment", session.experiment},
                            {"scale", session.scale},
                            {"load", session.load},
                            {"machine", to_json(session.machine)},
                            {"rows", rows}};
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::bench
