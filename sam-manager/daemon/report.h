// What the daemon shows of itself, as the documents that sam-ctl prints. tools/sam-ctl/JSON.md describes
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sam-manager/daemon/broker.h"

namespace samcl::daemon {

nlohmann::json list_tasks(const Broker& broker);
nlohmann::json show_status(const Broker& broker);
// Errors: there is no such task, registered or remembered.
Result<nlohmann::json> show_history(const Broker& broker, const std::string& task);
// In the text format of Prometheus.
std::string show_metrics(const Broker& broker);

}  // namespace samcl::daemon
