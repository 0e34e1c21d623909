#include "tools/sam-profile/show.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/duration.h"
#include "base/json_text.h"
#include "base/text_table.h"
#include "tools/sam-profile/advice.h"

namespace samcl::profile {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

// More would hide the rest; the JSON has them all.
constexpr size_t kMostStages = 40;

std::string us(Time time) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(time) * 1e-3);
  return text;
}

std::string modes_table(const Profile& profile) {
  Rows rows = {{"GPUS", "JOBS BY", "JOBS", "LONGEST", "MEAN", "SHORTEST", "HOST", "TRANSFERS", "KERNELS"}};
  for (const ModeProfile& mode : profile.modes)
    rows.push_back({std::to_string(mode.gpus), name(mode.boundaries), std::to_string(mode.jobs), us(mode.length.worst),
                    us(mode.length.mean), us(mode.length.best), us(mode.host), us(mode.transfers), us(mode.kernels)});
  return table(rows, 2);
}

std::string stages_table(const Profile& profile, const analysis::Task& task) {
  Rows rows = {{"STAGE", "ON", "WHAT"}};
  for (const ModeProfile& mode : profile.modes) {
    const std::string k = "(" + std::to_string(mode.gpus) + ")";
    for (const char* column : {"C", "LONGEST", "MEAN", "SHORTEST"}) rows[0].push_back(column + k);
  }
  rows[0].insert(rows[0].end(), {"SECTION", "REQUESTS", "BETWEEN", "CPU"});
  for (size_t i = 0; i < std::min(kMostStages, profile.stages.size()); ++i) {
    const StageProfile& stage = profile.stages[i];
    const int threads = task.stages[i].most_threads();
    std::vector<std::string> row = {std::to_string(i + 1), analysis::name(stage.resource),
                                    stage.what +
                                        (stage.transfers > 1 ? " (" + std::to_string(stage.transfers) + ")" : "") +
                                        (threads > 1 ? ", " + std::to_string(threads) + " threads" : "")};
    for (const auto& [gpus, samples] : stage.by_mode)
      row.insert(row.end(), {us(task.stages[i].worst_in(static_cast<int>(gpus))), us(samples.worst), us(samples.mean),
                             us(samples.best)});
    const bool on_cpu = stage.resource == analysis::Resource::cpu;
    const auto& [section, between, host] =
        std::tie(task.stages[i].section, task.stages[i].between, task.stages[i].host);
    row.push_back(on_cpu ? "" : section.empty() ? "whole" : us(std::ranges::max(section)));
    row.push_back(on_cpu ? "" : std::to_string(stage.requests));
    row.push_back(between.empty() ? "" : us(std::ranges::max(between)));
    row.push_back(on_cpu ? "" : host.empty() ? "?" : us(std::ranges::max(host)));
    rows.push_back(std::move(row));
  }
  const size_t more = profile.stages.size() - rows.size() + 1;
  return table(rows, 3) + (more > 0 ? "and " + std::to_string(more) + " stages more\n" : "");
}

ordered_json to_json(const Samples& samples) {
  return {{"samples", samples.count},
          {"longest", samples.worst},
          {"mean", samples.mean},
          {"median", samples.median},
          {"shortest", samples.best}};
}

ordered_json to_json(const ModeProfile& mode, const ModeProfile& first) {
  return {{"gpus", mode.gpus},
          {"jobs", mode.jobs},
          {"boundaries", name(mode.boundaries)},
          {"boundaries_in_words", mode.boundary_words},
          {"length", to_json(mode.length)},
          {"mean_host", mode.host},
          {"mean_transfers", mode.transfers},
          {"mean_kernels", mode.kernels},
          {"mean_overlap", mode.overlap},
          {"longest_work", mode.work},
          {"gpus_used", mode.gpus_used},
          {"why_not_more", mode.why_not_more},
          {"same_launches", mode.same_launches},
          {"managed", mode.managed},
          {"dropped", mode.dropped},
          {"beside", mode.beside},
          {"realtime", mode.realtime},
          {"verdict", verdict(mode, first)}};
}

ordered_json told(Time time) { return time == kNotTold ? ordered_json() : ordered_json(time); }

ordered_json to_json(const StageProfile& stage) {
  ordered_json entry{{"resource", analysis::name(stage.resource)},
                     {"what", stage.what},
                     {"transfers", stage.transfers},
                     {"requests", stage.requests},
                     {"modes", ordered_json::array()}};
  for (const auto& [gpus, samples] : stage.by_mode) {
    ordered_json measured{{"gpus", gpus}};
    measured.update(to_json(samples));
    measured["longest_between"] = stage.between.at(gpus);
    measured["threads"] = stage.threads.at(gpus);
    measured["longest_host"] = told(stage.host.at(gpus));
    measured["longest_section"] = stage.section.at(gpus);
    measured["longest_host_section"] = told(stage.host_section.at(gpus));
    entry["modes"].push_back(std::move(measured));
  }
  return entry;
}

}  // namespace

std::string profile_text(const Profile& profile, const analysis::TaskSetDocument& document, unsigned margin_percent) {
  const analysis::Task& task = document.set.tasks.front();
  std::string text = task.name + ": times in us; C is the longest seen and " + std::to_string(margin_percent) +
                     "%\n\n" + modes_table(profile) + "\n" + stages_table(profile, task) + "\n";
  for (const ModeProfile& mode : profile.modes) text += verdict(mode, profile.modes.front()) + "\n";
  text += "\nJobs were told apart thus: " + profile.modes.front().boundary_words + ".\n";
  for (const std::string& warning : warnings(profile, margin_percent)) text += "- " + warning + "\n";
  return text;
}

std::string profile_json(const Profile& profile, const analysis::TaskSetDocument& document, unsigned margin_percent) {
  ordered_json json{{"format", "sam-profile 1"},        {"name", document.set.tasks.front().name},
                    {"margin_percent", margin_percent}, {"modes", ordered_json::array()},
                    {"stages", ordered_json::array()},  {"warnings", warnings(profile, margin_percent)}};
  for (const ModeProfile& mode : profile.modes) json["modes"].push_back(to_json(mode, profile.modes.front()));
  for (const StageProfile& stage : profile.stages) json["stages"].push_back(to_json(stage));
  return json_text(json, 1) + "\n";
}

}  // namespace samcl::profile
