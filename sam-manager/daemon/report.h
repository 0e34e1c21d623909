// What the daemon shows of itself, in two steps, so that no lease waits for a long answer: what is needed is copied by
// the daemon's own thread, and the text is written from that by another one. The documents are those that sam-ctl
// prints; tools/sam-ctl/JSON.md describes them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "sam-manager/daemon/broker.h"

namespace samcl::daemon {

// The second step: any thread, once, also when the broker has changed or ended.
using Document = std::function<nlohmann::json()>;

// Why nothing is promised yet of a task that is guaranteed by the plan: a program of it builds; "": none does.
std::string why_building(const Broker& broker, const std::string& task);

Document list_tasks(const Broker& broker);
Document show_status(const Broker& broker);
Document show_analysis(const Broker& broker);
// Errors: there is no such task, registered or remembered.
Result<Document> show_history(const Broker& broker, const std::string& task);

// In the text format of Prometheus.
std::function<std::string()> show_metrics(const Broker& broker);

}  // namespace samcl::daemon
