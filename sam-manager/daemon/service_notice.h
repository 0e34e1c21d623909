// What a service tells the service manager that started it (systemd: Type=notify, WatchdogSec=). Nothing if
// none did.
#pragma once

#include <cstdint>
#include <string>

namespace samcl::daemon {

class ServiceNotice {
 public:
  ServiceNotice();  // from $NOTIFY_SOCKET and $WATCHDOG_USEC

  // "READY=1", "RELOADING=1", "STOPPING=1", "WATCHDOG=1", "STATUS=..."; lines. Never waits.
  void tell(const std::string& state) const;

  // How often it wants to hear that we are alive, ms; -1: never.
  int watchdog_ms() const { return watchdog_ms_; }

 private:
  std::string socket_;
  int watchdog_ms_ = -1;
};

}  // namespace samcl::daemon
