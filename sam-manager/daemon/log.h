// What the daemon logs, written by a thread of its own: whoever reads it, or does not, no lease waits for it.
// What comes too fast or can't be written in time is left out and counted; control characters are made
// visible.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace samcl::daemon {

// Bytes that a terminal or a log would take for more than text, as \xNN.
std::string visible(std::string_view text);

// How many lines may pass. Pure logic.
class LineRate {
 public:
  // `burst`: at once; `per_second`: in the long run.
  LineRate(double burst, double per_second) : burst_(burst), per_second_(per_second), left_(burst) {}
  bool pass(double now_s);

 private:
  const double burst_, per_second_;
  double left_;
  double last_s_ = 0;
};

enum class LogTarget { terminal, journal, syslog };

// From construction to destruction spdlog's default logger writes through it.
class Log {
 public:
  Log(LogTarget target, const std::string& level);
  ~Log();  // waits a moment for what is left to be written
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

 private:
  struct Writer;
  std::shared_ptr<Writer> writer_;  // its thread's too: that may hang in a write for ever
};

}  // namespace samcl::daemon
