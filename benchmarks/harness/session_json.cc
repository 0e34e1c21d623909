#include "benchmarks/harness/session_json.h"

#include <algorithm>
#include <stdexcept>

#include "base/json_text.h"

namespace samcl::bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "sam-bench 1";

ordered_json to_json(const Execution& run) {
  ordered_json phases;
  for (size_t p = 0; p < kPhases; ++p) phases[kPhaseNames[p]] = run.phases_ms[p];
  ordered_json entry{{"program", run.program},
                     {"size", run.size},
                     {"parameter", run.parameter},
                     {"devices", run.devices},
                     {"round", run.round},
                     {"outcome", kOutcomeNames[static_cast<size_t>(run.outcome)]},
                     {"checksum", run.checksum},
                     {"total_ms", run.total_ms},
                     {"phases_ms", phases},
                     {"uploaded_bytes", run.uploaded_bytes},
                     {"downloaded_bytes", run.downloaded_bytes},
                     {"devices_used", run.devices_used}};
  if (!run.detail.empty()) entry["detail"] = run.detail;
  if (!run.why_not_more.empty()) entry["why_not_more"] = run.why_not_more;
  return entry;
}

Outcome outcome_from(const std::string& name) {
  const auto found = std::find(kOutcomeNames.begin(), kOutcomeNames.end(), name);
  if (found == kOutcomeNames.end()) throw std::runtime_error("\"" + name + "\" is no outcome");
  return static_cast<Outcome>(found - kOutcomeNames.begin());
}

Execution run_from(const json& entry) {
  Execution run;
  entry.at("program").get_to(run.program);
  entry.at("size").get_to(run.size);
  entry.at("parameter").get_to(run.parameter);
  entry.at("devices").get_to(run.devices);
  entry.at("round").get_to(run.round);
  run.outcome = outcome_from(entry.at("outcome"));
  entry.at("checksum").get_to(run.checksum);
  entry.at("total_ms").get_to(run.total_ms);
  for (size_t p = 0; p < kPhases; ++p) entry.at("phases_ms").at(kPhaseNames[p]).get_to(run.phases_ms[p]);
  entry.at("uploaded_bytes").get_to(run.uploaded_bytes);
  entry.at("downloaded_bytes").get_to(run.downloaded_bytes);
  entry.at("devices_used").get_to(run.devices_used);
  run.detail = entry.value("detail", "");
  run.why_not_more = entry.value("why_not_more", "");
  return run;
}

Machine machine_of(const json& entry) {
  Machine machine;
  entry.at("date").get_to(machine.date);
  entry.at("commit").get_to(machine.commit);
  entry.at("kernel").get_to(machine.kernel);
  entry.at("processor").get_to(machine.processor);
  entry.at("processors").get_to(machine.processors);
  for (const json& device : entry.at("devices"))
    machine.devices.push_back(
        {device.at("name"), device.at("platform"), device.at("driver"), device.at("units"), device.at("memory_bytes")});
  entry.at("environment").get_to(machine.environment);
  return machine;
}

// What `read` makes of the text; every way it may fail is an Error.
template <typename T>
Result<T> parsed(const std::string& text, T (*read)(const json&)) {
  try {
    return read(read_json(text));
  } catch (const std::exception& error) {
    const std::string what = error.what();
    const size_t begin = what.find("] ");
    return fail(begin == std::string::npos ? what : what.substr(begin + 2));
  }
}

Session session_of(const json& document) {
  if (!document.is_object() || document.value("format", "") != kFormat)
    throw std::runtime_error("no results of sam-bench: expected \"format\": \"" + std::string(kFormat) + "\"");
  Session session;
  document.at("command").get_to(session.command);
  document.at("options").get_to(session.options);
  session.machine = machine_of(document.at("machine"));
  for (const json& entry : document.at("runs")) session.runs.push_back(run_from(entry));
  return session;
}

}  // namespace

ordered_json to_json(const Machine& machine) {
  ordered_json devices = ordered_json::array();
  for (const DeviceFacts& device : machine.devices)
    devices.push_back({{"name", device.name},
                       {"platform", device.platform},
                       {"driver", device.driver},
                       {"units", device.units},
                       {"memory_bytes", device.memory_bytes}});
  return {{"date", machine.date},
          {"commit", machine.commit},
          {"kernel", machine.kernel},
          {"processor", machine.processor},
          {"processors", machine.processors},
          {"devices", devices},
          {"environment", machine.environment}};
}

Result<Machine> machine_from(const std::string& text) { return parsed(text, machine_of); }

std::string format_session(const Session& session) {
  ordered_json document{{"format", kFormat},
                        {"command", session.command},
                        {"options", session.options},
                        {"machine", to_json(session.machine)},
                        {"runs", ordered_json::array()}};
  for (const Execution& run : session.runs) document["runs"].push_back(to_json(run));
  return json_text(document, 1) + "\n";
}

Result<Session> parse_session(const std::string& text) { return parsed(text, session_of); }

}  // namespace samcl::bench
