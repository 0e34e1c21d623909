// The analyses for Python. Task sets come and go as JSON text, as analysis/README.md describes it;
// src/samcl_analysis/__init__.py makes dictionaries of it. What an analysis refuses is a ValueError with its
// message.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>

#include "analysis/access/access_json.h"
#include "analysis/access/experiment/shares.h"
#include "analysis/access/partition.h"
#include "analysis/dag/chains.h"
#include "analysis/dag/dag_json.h"
#include "analysis/generator/paper_sets.h"
#include "analysis/json/bounds_json.h"
#include "analysis/json/locking_json.h"
#include "analysis/json/place.h"
#include "analysis/json/task_set_json.h"
#include "analysis/locking/pipeline.h"
#include "analysis/model/capacity.h"
#include "analysis/model/limits.h"
#include "analysis/model/number_text.h"
#include "analysis/modes/choice.h"
#include "analysis/rta/together.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw pybind11::value_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void in_range(const char* what, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw pybind11::value_error(std::string(what) + ": " + significant(value, 6) + ", expected " + significant(least, 6) +
                              " to " + significant(most, 6));
}

// The one of `all` with this name.
template <typename All>
auto named(const All& all, const std::string& wanted, const char* what) {
  std::string names;
  for (const auto one : all) {
    if (name(one) == wanted) return one;
    names += (names.empty() ? "" : ", ") + std::string(name(one));
  }
  throw pybind11::value_error(std::string(what) + ": '" + wanted + "', expected one of " + names);
}

Form form_of(const std::string& wanted) {
  return named(std::array{Form::safe, Form::gpu_sam, Form::gpu_sparc}, wanted, "form");
}

// Ready for an analysis of the form.
TaskSetDocument document_of(const std::string& text, const std::optional<Modes>& modes, Form form) {
  TaskSetDocument document = value_of(parse_task_set(text));
  if (modes) document.modes = *modes;
  value_of(check(document.set, document.modes));
  value_of(check(document.set, form));
  return document;
}

// "together": the safe form's bounds of all tasks together.
std::string rta(const std::string& text, const std::string& wanted, const std::optional<Modes>& modes) {
  const bool together = wanted == "together";
  const Form form = together ? Form::safe : form_of(wanted);
  const auto& [set, chosen] = document_of(text, modes, form);
  value_of(check_capacity(set, chosen));
  return format_bounds(set, chosen, form, together ? analyse_together(set, chosen) : analyse(set, chosen, form));
}

std::pair<Modes, bool> choose(const std::string& text, const std::string& policy, const std::string& wanted) {
  const Form form = form_of(wanted);
  const TaskSetDocument document = document_of(text, std::nullopt, form);
  const Choice choice = choose_modes(document.set, form, named(kPolicies, policy, "policy"));
  return {choice.modes, choice.schedulable};
}

std::string by_access(const std::string& text, const std::string& analysis, const access::Costs& costs) {
  const TaskSetDocument document = value_of(parse_task_set(text, Model::partitioned));
  const access::TaskSet set = value_of(access::tasks_of(document.set, document.modes));
  const access::Analysis wanted = named(access::kAnalyses, analysis, "analysis");
  value_of(check(set, wanted, costs));
  const access::Bounds bounds = analyse(set, wanted, costs);
  return json_text(access_json(set, document.modes, wanted, bounds, beyond_proof(set, bounds, wanted, costs)));
}

std::optional<Modes> parts(const std::string& text, const std::string& analysis) {
  const TaskSetDocument document = value_of(parse_task_set(text, Model::partitioned));
  return access::partition(document.set, named(access::kAnalyses, analysis, "analysis"));
}

std::map<std::string, bool> ways(const std::string& text) {
  const TaskSetDocument document = value_of(parse_task_set(text, Model::partitioned));
  const std::vector<std::string> names = access::way_names();
  const std::vector<bool> good = access::verdicts(document.set);
  std::map<std::string, bool> verdicts;
  for (size_t way = 0; way < names.size(); ++way) verdicts[names[way]] = good[way];
  return verdicts;
}

// What `parse` makes of the text; or `convert` of a task set with stages.
template <typename Parse, typename Convert>
auto either(const std::string& text, Parse parse, Convert convert) {
  if (!tasks_have(text, "stages")) return value_of(parse(text));
  const TaskSetDocument document = value_of(parse_task_set(text));
  return value_of(convert(document.set, document.modes));
}

std::string by_locking(const std::string& text, const std::vector<double>& speed_ups) {
  for (const double speed_up : speed_ups) in_range("speed_ups", speed_up, 1, 1e6);
  const locking::TaskSet set = either(text, parse_locking_set, locking::shared_gpus);
  return format_verdicts(set, analyse(set), speed_ups);
}

std::string of_graphs(const std::string& text) {
  const dag::TaskSet set = either(text, dag::parse_dags, dag::chains);
  return format_federation(set, federate(set));
}

std::string in_mode_1(const TaskSet& set) { return format_task_set({set, Modes(set.tasks.size(), 1)}); }

}  // namespace

PYBIND11_MODULE(_samcl_analysis, module) {
  using pybind11::arg;
  module.attr("version") = SAMCL_VERSION;
  module.def("rta", rta, arg("task_set"), arg("form") = "safe", arg("modes") = std::nullopt);
  module.def("choose_modes", choose, arg("task_set"), arg("policy") = name(kBestPolicy), arg("form") = "safe");
  module.def(
      "access",
      [](const std::string& text, const std::string& analysis, Time update, Time slice, Time switching,
         int server_cpu) {
        for (const auto& [what, time, least] :
             {std::tuple{"update", update, 0}, {"slice", slice, 1}, {"switching", switching, 0}})
          value_of(within(what, time, least, kLongest));
        return by_access(text, analysis, {update, slice, switching, server_cpu});
      },
      arg("task_set"), arg("analysis"), arg("update") = 0, arg("slice") = 1'000'000, arg("switching") = 0,
      arg("server_cpu") = 0);
  module.def("locking", by_locking, arg("task_set"), arg("speed_ups"));
  module.def("dag", of_graphs, arg("task_set"));
  module.def("partition", parts, arg("task_set"), arg("analysis") = "unified");
  module.def("ways", ways, arg("task_set"));
  module.def(
      "paper_set",
      [](double gpu_utilisation, uint64_t seed, bool classes, double dependency) {
        in_range("gpu_utilisation", gpu_utilisation, 0, 8);
        in_range("dependency", dependency, 0, 1);
        PaperSet wanted;
        wanted.gpu_utilisation = gpu_utilisation;
        wanted.classes = classes;
        wanted.dependency = dependency;
        return in_mode_1(paper_set(wanted, seed));
      },
      arg("gpu_utilisation"), arg("seed"), arg("classes") = true, arg("dependency") = 0.0);
  module.def(
      "access_set",
      [](double utilisation, uint64_t seed) {
        in_range("utilisation", utilisation, 0, 1);
        access::RandomSets wanted;
        wanted.utilisation = utilisation;
        return in_mode_1(access::draw_set(wanted, seed));
      },
      arg("utilisation"), arg("seed"));
}

}  // namespace samcl::analysis
