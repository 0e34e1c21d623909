#include "analysis/experiment/chart.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace samcl::analysis {

std::string format_charts(const std::vector<Chart>& charts, int columns, const Origin& origin) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Chart& chart : charts) {
    ordered_json curves = ordered_json::array();
    for (const Curve& curve : chart.curves) curves.push_back({{"name", curve.name}, {"points", curve.points}});
    list.push_back({{"title", chart.title},
                    {"axis", chart.axis},
                    {"ticks", chart.ticks},
                    {"measure", chart.measure},
                    {"bottom", chart.bottom},
                    {"top", chart.top},
                    {"logarithmic", chart.logarithmic},
                    {"curves", std::move(curves)}});
  }
  ordered_json all;
  if (!origin.what.empty()) all["origin"] = {{"version", origin.version}, {"what", origin.what}, {"hash", origin.hash}};
  all["columns"] = columns;
  all["charts"] = std::move(list);
  return json_text(all, 1) + "\n";
}

}  // namespace samcl::analysis
