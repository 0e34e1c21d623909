// Writes what the daemon shows on a thread of ordinary priority, one report after another. All who ask for the same one
// before it is begun get the same text, so that however many ask there is never more to do than the kinds of reports.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sam-manager/daemon/background.h"
#include "sam-manager/protocol/socket.h"

namespace samcl::daemon {

class ReportWriter {
 public:
  // Called by the thread that asked, when it is the report's turn: copies what is needed. What it returns is called by
  // the writing thread.
  using Begin = std::function<std::function<protocol::Packet()>()>;

  struct Written {
    std::vector<uint64_t> askers;
    protocol::Packet packet;  // without bytes: it could not be written
  };

  // `name`: the same for reports that read the same.
  void ask(uint64_t asker, const std::string& name, Begin begin);

  // Readable when finish() has something to do.
  int ready() const { return background_.done(); }
  // The report that is written, and begins with the next one; none: it is not done yet.
  std::optional<Written> finish();

 private:
  struct Report {
    std::string name;
    Begin begin;
    Written written;
  };

  void begin_next();

  std::deque<Report> waiting_;
  std::unique_ptr<Report> under_way_;  // its packet is the writing thread's
  Background background_;
};

}  // namespace samcl::daemon
