#include "sam-manager/daemon/tracing.h"

#include <memory>
#include <string>
#include <vector>

namespace samcl::daemon {

using nlohmann::json;

namespace {

struct Traced {
  pid_t pid;
  std::string task;
  int priority;
  std::vector<uint8_t> devices;
  std::shared_ptr<const protocol::ClientPage> page;
};

}  // namespace

Document ask_for_traces(const Broker& broker, uint64_t until_ns) {
  std::vector<Traced> programs;
  for (const auto& [id, program] : broker.programs()) {
    program.page->trace_until_ns.store(until_ns);
    programs.push_back(
        {program.pid, program.assignment.task, program.assignment.priority, program.devices, program.page});
  }
  return [programs = std::move(programs), names = broker.devices().names()] {
    json list = json::array();
    for (const Traced& program : programs) {
      json devices = json::array();
      for (const uint8_t device : program.devices) devices.push_back(names[device]);
      list.push_back({{"pid", program.pid},
                      {"task", program.task},
                      {"priority", program.priority},
                      {"devices", devices},
                      {"descriptor", program.page->trace_descriptor.load()}});
    }
    return json{{"programs", list}};
  };
}

}  // namespace samcl::daemon
