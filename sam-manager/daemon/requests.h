// What may be asked of the daemon, and by whom: from a document to a call of the broker, and back.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sam-manager/daemon/report.h"
#include "sam-manager/protocol/socket.h"

namespace samcl::daemon {

// One who asks.
struct Caller {
  uint64_t id = 0;  // of the connection, never 0
  const protocol::Peer& peer;
  Rights rights;
  uint32_t program = 0;  // that connected with it; 0: none
};

// What is written by another thread (report.h).
struct Report {
  std::string name;  // two of one name read the same
  std::function<Document()> begin;
};

struct Outcome {
  std::optional<nlohmann::json> answer;  // none: it comes later, with the decision, or is the report
  std::optional<Report> report;
  std::vector<int> attached;  // the broker's
  uint32_t program = 0;       // that connected
  bool watches = false;       // wants to hear of every missed deadline from now on
};

// Errors: the reason for a refusal. Throws what std::bad_alloc and the like throw.
Result<Outcome> handle(Broker& broker, const Board& board, const std::string& instance, const Caller& caller,
                       const nlohmann::json& request);

// What the one who asked for a change of the tasks is told.
nlohmann::json answer_to(const Broker& broker, const Admission::Decision& decision);

}  // namespace samcl::daemon
