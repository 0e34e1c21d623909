#include "analysis/exchange/mast.h"

#include <cctype>

namespace samcl::analysis {
namespace {

// An identifier: letters, digits and underscores, a letter first.
Result<std::string> identifier(const std::string& name) {
  bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0]));
  for (const char letter : name) good = good && (std::isalnum(static_cast<unsigned char>(letter)) || letter == '_');
  if (!good) return fail("task \"" + name + "\", name: expected letters, digits and _ for MAST, a letter first");
  return name;
}

std::string station_text(const Station& station, int priorities) {
  return "Processing_Resource (\n   Type => Regular_Processor,\n   Name => " + station.name +
         ");\nScheduler (\n   Type => Primary_Scheduler,\n   Name => " + station.name + "_scheduler,\n   Host => " +
         station.name + ",\n   Policy => (Type => Fixed_Priority, Max_Priority => " + std::to_string(priorities) +
         ", Min_Priority => 1));\n\n";
}

std::string stage_text(const StationStage& stage, const Station& station, const std::string& name, int priority) {
  return "Scheduling_Server (\n   Type => Regular,\n   Name => " + name +
         "_server,\n   Server_Sched_Parameters => (Type => " +
         (station.preemptive ? "Fixed_Priority_Policy" : "Non_Preemptible_FP_Policy") + ", The_Priority => " +
         std::to_string(priority) + ", Preassigned => Yes),\n   Scheduler => " + station.name +
         "_scheduler);\nOperation (\n   Type => Simple,\n   Name => " + name +
         "_operation,\n   Worst_Case_Execution_Time => " + std::to_string(stage.worst) +
         ",\n   Best_Case_Execution_Time => " + std::to_string(stage.best) + ");\n";
}

std::string transaction_text(const StationTask& task) {
  std::string text = "Transaction (\n   Type => Regular,\n   Name => " + task.name +
                     "_transaction,\n   External_Events => (\n      (Type => Periodic, Name => " + task.name +
                     "_arrival, Period => " + std::to_string(task.period) + ", Max_Jitter => " +
                     std::to_string(task.jitter) + ", Phase => " + std::to_string(task.offset.value_or(0)) +
                     ")),\n   Internal_Events => (\n";
  const size_t stages = task.stages.size();
  for (size_t n = 1; n <= stages; ++n) {
    text += "      (Type => Regular, Name => " + task.name + "_" + std::to_string(n) + "_end";
    if (n == stages)
      text += ",\n       Timing_Requirements => (Type => Hard_Global_Deadline, Deadline => " +
              std::to_string(task.deadline) + ", Referenced_Event => " + task.name + "_arrival)";
    text += n == stages ? ")),\n   Event_Handlers => (\n" : "),\n";
  }
  for (size_t n = 1; n <= stages; ++n) {
    const std::string name = task.name + "_" + std::to_string(n);
    text += "      (Type => Activity, Input_Event => " +
            (n == 1 ? task.name + "_arrival" : task.name + "_" + std::to_string(n - 1) + "_end") +
            ", Output_Event => " + name + "_end,\n       Activity_Operation => " + name +
            "_operation, Activity_Server => " + name + "_server)" + (n == stages ? "));\n\n" : ",\n");
  }
  return text;
}

}  // namespace

Result<std::string> format_mast(const TaskSet& set, std::span<const int> modes) {
  const auto stations = stations_of(set, modes, "MAST");
  if (!stations) return tl::unexpected(stations.error());
  const int priorities = static_cast<int>(stations->tasks.size());
  std::string text = kMastNanoseconds;
  for (const Station& station : stations->stations) text += station_text(station, priorities);
  for (const StationTask& task : stations->tasks) {
    if (const auto good = identifier(task.name); !good) return tl::unexpected(good.error());
    for (size_t n = 0; n < task.stages.size(); ++n)
      text += stage_text(task.stages[n], stations->stations[task.stages[n].station],
                         task.name + "_" + std::to_string(n + 1), priorities + 1 - task.rank);
    text += "\n" + transaction_text(task);
  }
  return text;
}

}  // namespace samcl::analysis
