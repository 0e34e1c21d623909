#include "analysis/makespan/makespan_json.h"

#include <nlohmann/json.hpp>

#include "analysis/makespan/bounds.h"
#include "base/json_text.h"

namespace samcl::analysis::makespan {
namespace {

using Json = nlohmann::ordered_json;

Json of_kernel(const Kernel& kernel, int64_t warps, const Remarks& remarks) {
  Json json = {{"kernel", letters(kernel)}, {"remarks", remarks}, {"units", Json::array()}, {"warps", warps}};
  for (const Unit& unit : kernel.units)
    json["units"].push_back({{"unit", std::string(1, unit.letter)}, {"capacity", unit.capacity}});
  return json;
}

void add_worst_case(Json& json, const WorstCase& worst) {
  json["attained"] = worst.attained;
  json["bound"] = worst.bound;
  json["exact"] = worst.exact();
}

}  // namespace

std::string format_worst_case(const Kernel& kernel, int warps, const WorstCase& worst, bool with_schedule,
                              const Remarks& remarks) {
  Json json = of_kernel(kernel, warps, remarks);
  json["pessimistic"] = published_bound(kernel, warps);
  json["pessimistic_is_safe"] = published_bound_is_safe(kernel);
  json["safe"] = safe_bound(kernel, warps);
  add_worst_case(json, worst);
  json["states"] = worst.states;
  if (with_schedule) {
    json["schedule"] = Json::array();
    for (const Issue& issue : worst.schedule) json["schedule"].push_back({issue.slot, issue.warp, issue.instruction});
  }
  return json_text(json) + "\n";
}

std::string format_rounds(const Kernel& kernel, int64_t warps, const RoundsMakespan& makespan, const Remarks& remarks) {
  Json json = of_kernel(kernel, warps, remarks);
  json["full_rounds"] = makespan.rounds.full;
  json["warps_of_full"] = makespan.rounds.warps_of_full;
  json["warps_of_last"] = makespan.rounds.warps_of_last;
  json["attained"] = makespan.attained;
  json["bound"] = makespan.bound;
  json["exact"] = makespan.attained == makespan.bound;
  return json_text(json) + "\n";
}

std::string format_convergence(const Kernel& kernel, const Convergence& convergence, const Remarks& remarks) {
  Json json = of_kernel(kernel, convergence.warps, remarks);
  json["pessimistic"] = convergence.published;
  json["safe"] = convergence.safe;
  add_worst_case(json, convergence.worst);
  json["estimate_exceeded"] = convergence.estimate_exceeded();
  json["points"] = Json::array();
  for (const ConvergencePoint& point : convergence.points)
    json["points"].push_back({{"warps", point.warps},
                              {"makespan", point.makespan},
                              {"estimate", point.estimate},
                              {"least", point.least},
                              {"cpu_seconds", point.seconds}});
  return json_text(json) + "\n";
}

}  // namespace samcl::analysis::makespan
