#include "benchmarks/harness/urgent.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text_table.h"
#include "benchmarks/harness/comparison.h"
#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/session_json.h"

namespace samcl::bench {

using nlohmann::ordered_json;

namespace {

double p99(const UrgentRow& row) { return percentile(row.responses_ms, 0.99); }

}  // namespace

const UrgentRow* UrgentSession::alone(const UrgentRow& row) const {
  const auto found = std::ranges::find_if(rows, [&](const UrgentRow& each) {
    return each.managed == row.managed && each.beside == 0 && !each.responses_ms.empty();
  });
  return found == rows.end() ? nullptr : &*found;
}

bool UrgentSession::is_within_target(const UrgentRow& row) const {
  const UrgentRow* const without = alone(row);
  return without && !row.responses_ms.empty() &&
         p99(row) <= 1.05 * p99(*without) + static_cast<double>(settings.slice_us) * 1e-3;
}

std::string urgent_text(const UrgentSession& session) {
  std::vector<std::vector<std::string>> table = {
      {"MANAGER", "BESIDE", "JOBS", "P50", "P99", "LONGEST", "P50/ALONE", "P99/ALONE", "P99 WITHIN TARGET"}};
  const auto time = [](double ms) { return short_number(ms) + " ms"; };
  for (const UrgentRow& row : session.rows) {
    std::vector<std::string> line = {row.managed ? "samcl" : "none", std::to_string(row.beside)};
    if (row.responses_ms.empty()) {
      line.insert(line.end(), {"failed: " + row.failure});
      table.push_back(line);
      continue;
    }
    const double p50 = percentile(row.responses_ms, 0.5), longest = percentile(row.responses_ms, 1);
    line.insert(line.end(), {std::to_string(row.responses_ms.size()), time(p50), time(p99(row)), time(longest)});
    if (const UrgentRow* const alone = session.alone(row); alone && row.beside > 0) {
      line.insert(line.end(),
                  {short_number(p50 / percentile(alone->responses_ms, 0.5)), short_number(p99(row) / p99(*alone)),
                   !row.managed                    ? "-"
                   : session.is_within_target(row) ? "yes"
                                                   : "no"});
    }
    table.push_back(line);
  }
  return session.program + ", a job of " + std::to_string(session.settings.elements) + " elements every " +
         time(session.period_ms) + "; beside it programs that never rest, with jobs of " +
         std::to_string(session.settings.elements_beside) + "\n" + samcl::table(table, 2) +
         "target: 1.05 times what it takes alone, and a slice of " + std::to_string(session.settings.slice_us) +
         " us\n";
}

std::string urgent_json(const UrgentSession& session) {
  ordered_json rows = ordered_json::array();
  for (const UrgentRow& row : session.rows) {
    ordered_json entry = {{"managed", row.managed}, {"beside", row.beside}, {"jobs", row.responses_ms.size()}};
    if (!row.responses_ms.empty()) {
      entry["p50_ms"] = percentile(row.responses_ms, 0.5);
      entry["p99_ms"] = p99(row);
      entry["longest_ms"] = percentile(row.responses_ms, 1);
      entry["within_target"] = session.is_within_target(row);
    }
    entry["responses_ms"] = row.responses_ms;
    entry["failure"] = row.failure;
    rows.push_back(std::move(entry));
  }
  const ordered_json all = {{"experiment", "urgent"},
                            {"program", session.program},
                            {"elements", session.settings.elements},
                            {"elements_beside", session.settings.elements_beside},
                            {"period_ms", session.period_ms},
                            {"slice_us", session.settings.slice_us},
                            {"machine", to_json(session.machine)},
                            {"rows", rows}};
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::bench
