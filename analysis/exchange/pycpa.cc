#include "analysis/exchange/pycpa.h"

namespace samcl::analysis {
namespace {

// As a Python string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

}  // namespace

Result<std::string> format_pycpa(const TaskSet& set, std::span<const int> modes) {
  const auto stations = stations_of(set, modes, "pyCPA");
  if (!stations) return tl::unexpected(stations.error());
  std::string text =
      "from pycpa import analysis, model, path_analysis, schedulers\n\nsystem = model.System()\nstation = "
      "{\n";
  for (const Station& station : stations->stations)
    text += "    " + quoted(station.name) + ": system.bind_resource(model.Resource(" + quoted(station.name) +
            ", schedulers." + (station.preemptive ? "SPPScheduler" : "SPNPScheduler") + "())),\n";
  text +=
      "}\n# name, period, jitter, deadline, priority (1 is the most urgent), stages: station, best, worst; "
      "in ns\ntasks = [\n";
  for (const StationTask& task : stations->tasks) {
    if (task.offset) return fail("task \"" + task.name + "\", offset: expected none for pyCPA");
    text += "    (" + quoted(task.name);
    for (const Time value : {task.period, task.jitter, task.deadline, static_cast<Time>(task.rank)})
      text += ", " + std::to_string(value);
    text += ", [";
    for (const StationStage& stage : task.stages)
      text += (&stage == &task.stages.front() ? "(" : ", (") + quoted(stations->stations[stage.station].name) + ", " +
              std::to_string(stage.best) + ", " + std::to_string(stage.worst) + ")";
    text += "]),\n";
  }
  return text + R"(]
paths = []
for name, period, jitter, deadline, priority, stages in tasks:
    chain = [
        station[where].bind_task(
            model.Task(f"{name}.{n}", bcet=best, wcet=worst, scheduling_parameter=priority))
        for n, (where, best, worst) in enumerate(stages, 1)
    ]
    chain[0].in_event_model = model.PJdEventModel(P=period, J=jitter)
    paths.append((name, jitter, deadline, system.bind_path(model.Path(name, chain))))

results = analysis.analyze_system(system)
for name, jitter, deadline, path in paths:
    latency = path_analysis.end_to_end_latency(path, results, 1)[1] + jitter
    print(f"{name}: {latency} ns, deadline {deadline} ns{'' if latency <= deadline else ', may be late'}")
)";
}

}  // namespace samcl::analysis
