// What the daemon logs, written by a thread of its own: whoever reads it, or does not, no lease waits for it.
// What comes too fast or can't be written in time is left out and counted; control characters are made
// visible. In the journal each line has fields beside its text: SAMCL_INSTANCE, and where it is about a program
// SAMCL_PID and SAMCL_TASK (`journalctl SAMCL_TASK=camera`).
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace samcl::daemon {

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
  // `journal`: the journal's socket. Lines go to stderr, with their priority, where it takes none.
  Log(LogTarget target, const std::string& level, const std::string& instance,
      const std::string& journal = "/run/systemd/journal/socket");
  ~Log();  // waits a moment for what is left to be written
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

 private:
  struct Writer;
  std::shared_ptr<Writer> writer_;  // its thread's too: that may hang in a write for ever
};

// What this thread logs while it lives is about that program.
class LogSubject {
 public:
  LogSubject(pid_t pid, std::string_view task);  // which must outlive it; "": of no task
  ~LogSubject();
  LogSubject(const LogSubject&) = delete;
  LogSubject& operator=(const LogSubject&) = delete;
};

}  // namespace samcl::daemon
