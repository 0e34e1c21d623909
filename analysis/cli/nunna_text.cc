#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/cli/nunna_times.h"
#include "analysis/model/number_text.h"
#include "base/json_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli {
namespace {

using nlohmann::ordered_json;

std::string number(const std::optional<double>& ms) {
  if (!ms) return "-";
  return decimal(*ms, *ms < 10 ? 2 : 0);
}

std::string times_table(const NunnaOptions& options, const std::vector<NunnaTimes>& all) {
  std::vector<std::vector<std::string>> rows = {{"VERTICES", "DEMANDS", "EDGES", "paper CPU", "GPU", "GPU-SM", "plain",
                                                 "fast", std::to_string(options.threads) + " threads", "fronts",
                                                 "OpenCL local", "OpenCL global", "AGREE"}};
  for (const NunnaTimes& times : all) {
    rows.push_back({std::to_string(times.vertices), std::to_string(times.demands), std::to_string(times.edges)});
    for (const auto& ms : times.ms) rows.back().push_back(number(ms));
    rows.back().emplace_back(times.agree ? "yes" : "NO");
  }
  return table(rows, 0);
}

std::string ratio(double slow, const std::optional<double>& fast) {
  if (!fast) return "not measured";
  return decimal(slow / *fast, 1) + " times as fast";
}

// Where the time of the OpenCL program goes.
std::string opencl_table(const std::vector<NunnaTimes>& all) {
  std::vector<std::vector<std::string>> rows = {
      {"OpenCL", "VERTICES", "job", "its kernels", "its transfers", "once: build", "else"}};
  for (const NunnaTimes& times : all)
    for (const auto& [name, found] : {std::pair{"local memory", times.local}, {"without", times.global}})
      if (found)
        rows.push_back({name, std::to_string(times.vertices), number(found->job), number(found->kernels),
                        number(found->transfers), number(found->build), number(found->set_up)});
  return rows.size() > 1 ? table(rows, 1) + "\n" : "";
}

// At the largest size, and where one core is the least ahead of the paper's GPU.
std::string comparison_text(const std::vector<NunnaTimes>& all) {
  const NunnaTimes& last = all.back();
  const double plain = *last.ms[kPlain];
  const std::string size = " at " + std::to_string(last.vertices) + " vertices";
  std::vector<std::vector<std::string>> rows = {
      {"COMPARED", "FOUND"},
      {"fast on one core with plain" + size, ratio(plain, last.ms[kFast])},
      {"OpenCL, local memory, with plain" + size, ratio(plain, last.ms[kLocal])},
      {"OpenCL, without it, with plain" + size, ratio(plain, last.ms[kGlobal])}};
  if (last.local) {
    rows.push_back({"local memory, kernels alone, with plain" + size, ratio(plain, last.local->kernels)});
    rows.push_back({"local memory, with all that is done once, with plain" + size,
                    ratio(plain, last.local->job + last.local->build + last.local->set_up)});
  }
  const NunnaTimes* closest = nullptr;
  const auto ahead = [](const NunnaTimes& times) { return *times.ms[kPaperGpuSm] / *times.ms[kFast]; };
  for (const NunnaTimes& times : all)
    if (times.ms[kPaperGpuSm] && (!closest || ahead(times) < ahead(*closest))) closest = &times;
  if (closest)
    rows.push_back({"fast on one core with the paper's GPU, at every size",
                    ratio(*closest->ms[kPaperGpuSm], closest->ms[kFast]) + " or more"});
  return table(rows, 2);
}

ordered_json optional(const std::optional<double>& ms) { return ms ? ordered_json(*ms) : ordered_json(); }

ordered_json opencl_json(const std::optional<OpenClTimes>& times, double plain) {
  if (!times) return {};
  const auto with = [&](double ms) {
    return ordered_json{{"ms", ms}, {"plain_is_slower_by", ms > 0 ? plain / ms : 0}};
  };
  return {{"job", with(times->job)},
          {"kernels", with(times->kernels)},
          {"job_build_and_set_up", with(times->job + times->build + times->set_up)},
          {"transfers_ms", times->transfers},
          {"build_ms", times->build},
          {"set_up_ms", times->set_up}};
}

}  // namespace

std::string nunna_text(const NunnaOptions& options, const std::vector<NunnaTimes>& all, const NunnaDevice& device) {
  return "Times in ms" + (device.name.empty() ? "" : "; OpenCL on " + device.name) + "\n" + times_table(options, all) +
         "\n" + opencl_table(all) + comparison_text(all) +
         (device.error.empty() ? "" : "No OpenCL times: " + device.error + "\n");
}

std::string nunna_json(const NunnaOptions& options, const std::vector<NunnaTimes>& all, const NunnaDevice& device) {
  ordered_json list = ordered_json::array();
  for (const NunnaTimes& times : all) {
    ordered_json ms;
    for (size_t way = 0; way < kWays; ++way) ms[kWayNames[way].field] = optional(times.ms[way]);
    list.push_back({{"vertices", times.vertices},
                    {"demands", times.demands},
                    {"edges", times.edges},
                    {"ms", std::move(ms)},
                    {"opencl",
                     {{"local", opencl_json(times.local, *times.ms[kPlain])},
                      {"global", opencl_json(times.global, *times.ms[kPlain])}}},
                    {"agree", times.agree}});
  }
  const ordered_json result = {{"experiment", "nunna"},
                               {"seed", options.seed},
                               {"longest_execution", options.graph.most_execution},
                               {"density_percent", options.percent},
                               {"threads", options.threads},
                               {"repeats", options.repeats},
                               {"opencl_device", device.name},
                               {"opencl_error", device.error},
                               {"graphs", std::move(list)}};
  return json_text(result, 2) + "\n";
}

std::string nunna_csv(const std::vector<NunnaTimes>& all) {
  std::string csv = "vertices,demands,edges";
  for (const WayName& name : kWayNames) csv += std::string(",") + name.field;
  csv += "\n";
  const auto cell = [](const std::optional<double>& ms) { return ms ? std::to_string(*ms) : std::string(); };
  for (const NunnaTimes& times : all) {
    csv += std::to_string(times.vertices) + "," + std::to_string(times.demands) + "," + std::to_string(times.edges);
    for (const auto& ms : times.ms) csv += "," + cell(ms);
    csv += "\n";
  }
  return csv;
}

Chart nunna_chart(const std::vector<NunnaTimes>& all) {
  Chart chart{"Algorithm 1: time over the number of vertices", "vertices", {}, {}};
  chart.measure = "ms";
  chart.logarithmic = true;
  chart.bottom = 1e-2;
  chart.top = 1e4;
  for (const NunnaTimes& times : all) chart.ticks.push_back(static_cast<double>(times.vertices));
  for (size_t way = 0; way < kWays; ++way) {
    Curve curve{kWayNames[way].label, {}};
    for (const NunnaTimes& times : all)
      if (times.ms[way]) curve.points.emplace_back(static_cast<double>(times.vertices), *times.ms[way]);
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
  }
  return chart;
}

}  // namespace samcl::analysis::cli
