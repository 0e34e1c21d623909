#include "sam-manager/daemon/tracing.h"

namespace samcl::daemon {

using nlohmann::json;

json ask_for_traces(const Broker& broker, uint64_t until_ns) {
  json programs = json::array();
  for (const auto& [id, program] : broker.programs()) {
    protocol::ClientPage& page = *program.page;
    page.trace_until_ns.store(until_ns);
    json devices = json::array();
    for (const uint8_t device : program.devices) devices.push_back(broker.devices().names()[device]);
    programs.push_back({{"pid", program.pid},
                        {"task", program.assignment.task},
                        {"priority", program.assignment.priority},
                        {"devices", devices},
                        {"descriptor", page.trace_descriptor.load()}});
  }
  return {{"programs", programs}};
}

}  // namespace samcl::daemon
