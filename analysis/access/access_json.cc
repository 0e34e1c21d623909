#include "analysis/access/access_json.h"

#include <nlohmann/json.hpp>

#include "analysis/json/bounds_json.h"

namespace samcl::analysis {

nlohmann::ordered_json access_json(const access::TaskSet& set, const Modes& modes, access::Analysis analysis,
                                   const access::Bounds& bounds, const std::vector<Time>& beyond_proof) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (size_t i = 0; i < set.tasks.size(); ++i)
    tasks.push_back({{"name", set.tasks[i].name},
                     {"mode", modes[set.tasks[i].index]},
                     {"response", number_or_null(bounds.response[i])},
                     {"beyond_proof", number_or_null(beyond_proof[i])},
                     {"deadline", set.tasks[i].deadline}});
  return {{"analysis", name(analysis)},
          {"schedulable", bounds.schedulable},
          {"proven", !is_published(analysis) && bounds.schedulable},
          {"tasks", std::move(tasks)}};
}

}  // namespace samcl::analysis
