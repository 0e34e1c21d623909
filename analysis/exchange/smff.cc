#include "analysis/exchange/smff.h"

#include "base/xml_text.h"

namespace samcl::analysis {
namespace {

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + xml_escaped(value) + "\"";
}

std::string attribute(const std::string& name, Time value) { return attribute(name, std::to_string(value)); }

constexpr const char* kKinds =
    "<ResourceType name=\"GenericResourceType\"/><ResourceGroup name=\"GenericResourceGroup\"/>";

// The classes that SMFF gives the names below.
constexpr const char* kConfiguration =
    "<Configuration>\n"
    "<ResourceType><GenericResourceType classname=\"org.tubs.epoc.SMFF.ModelElements.Platform.GenericResourceType\"/>"
    "</ResourceType>\n"
    "<ResourceGroup><GenericResourceGroup "
    "classname=\"org.tubs.epoc.SMFF.ModelElements.Platform.GenericResourceGroup\"/>"
    "</ResourceGroup>\n"
    "<Scheduler><SPPScheduler classname=\"org.tubs.epoc.SMFF.ModelElements.Scheduling.SPPScheduler\"/>"
    "<SPNPScheduler classname=\"org.tubs.epoc.SMFF.ModelElements.Scheduling.SPNPScheduler\"/></Scheduler>\n"
    "<SchedulingParameter><SchedulingPriority "
    "classname=\"org.tubs.epoc.SMFF.ModelElements.Scheduling.SchedulingPriority\"/></SchedulingParameter>\n"
    "<ActivationPattern><EventActivation classname=\"org.tubs.epoc.SMFF.ModelElements.Timing.EventActivation\"/>"
    "<PJActivation classname=\"org.tubs.epoc.SMFF.ModelElements.Timing.PJActivation\"/></ActivationPattern>\n"
    "</Configuration>\n";

std::string resource_text(const Station& station, size_t n) {
  return "<Resource" + attribute("resID", static_cast<Time>(n)) + attribute("shortName", station.name) + ">" + kKinds +
         "<Scheduler" + attribute("name", station.preemptive ? "SPPScheduler" : "SPNPScheduler") + "/></Resource>\n";
}

// The n-th of the application.
std::string stage_text(const StationTask& task, size_t n) {
  const std::string activation = n > 0
                                     ? attribute("name", "EventActivation")
                                     : attribute("name", "PJActivation") + attribute("activationPeriod", task.period) +
                                           attribute("activationJitter", task.jitter);
  return "<Task" + attribute("ID", static_cast<Time>(n)) +
         attribute("shortName", task.name + "." + std::to_string(n + 1)) + "><SchedulingParameter" +
         attribute("name", "SchedulingPriority") + attribute("priority", task.rank) + "/><Profile" +
         attribute("bcet", task.stages[n].best) + attribute("wcet", task.stages[n].worst) +
         attribute("active", "true") + "><ActivationPattern" + activation + "/>" + kKinds + "</Profile></Task>\n";
}

std::string application_text(const StationTask& task, size_t id) {
  std::string tasks, links, mapping;
  for (size_t n = 0; n < task.stages.size(); ++n) {
    const auto number = static_cast<Time>(n), station = static_cast<Time>(task.stages[n].station);
    tasks += stage_text(task, n);
    mapping += "<mapTask" + attribute("tid", number) + attribute("rid", station) + "/>";
    if (n + 1 == task.stages.size()) continue;
    links += "<TaskLink" + attribute("ID", number) + attribute("src", number) + attribute("trgt", number + 1) +
             attribute("shortName", task.name + "." + std::to_string(n + 1) + "-" + std::to_string(n + 2)) + "/>\n";
    mapping += "<mapLink" + attribute("lid", number) + attribute("rid", station) + "/>";
  }
  return "<Application" + attribute("appID", static_cast<Time>(id)) + attribute("appV", 0) + ">\n" + tasks + links +
         "<Mapping>" + mapping + "</Mapping>\n<Constraints><Constraint" + attribute("StartTaskId", 0) +
         attribute("EndTaskId", static_cast<Time>(task.stages.size()) - 1) + attribute("Constraint", task.deadline) +
         "/></Constraints>\n</Application>\n";
}

}  // namespace

Result<std::string> format_smff(const TaskSet& set, std::span<const int> modes) {
  const auto stations = stations_of(set, modes, "SMFF");
  if (!stations) return tl::unexpected(stations.error());
  std::string resources, applications;
  for (size_t n = 0; n < stations->stations.size(); ++n) resources += resource_text(stations->stations[n], n);
  for (size_t n = 0; n < stations->tasks.size(); ++n) {
    const StationTask& task = stations->tasks[n];
    if (task.offset) return fail("task \"" + task.name + "\", offset: expected none for SMFF");
    applications += application_text(task, n);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SystemModel>" + std::string(kSmffNanoseconds) + kConfiguration +
         "<Platform>\n" + resources + "</Platform>\n<Applications>\n" + applications +
         "</Applications>\n</SystemModel>\n";
}

}  // namespace samcl::analysis
