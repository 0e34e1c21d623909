// A broker without processes, for tests: priorities, clocks and CPUs of others are nobody's.
#pragma once

#include <poll.h>

#include "sam-manager/daemon/broker.h"

namespace samcl::daemon {

inline Processes fake_processes() {
  Processes fake;
  fake.attach_thread = [](pid_t, pid_t, int, bool) { return true; };
  fake.watch_cpu = [](pid_t, pid_t) {};
  fake.cpu_use = [](pid_t) { return std::nullopt; };
  fake.cpu_lag_ns = [] { return uint64_t{0}; };
  fake.lend = [](uint32_t, pid_t, std::optional<int>) {};
  fake.bind = [](uint32_t, pid_t, std::optional<uint8_t>) { return true; };
  fake.on_client_exit = [](uint32_t, pid_t) {};
  fake.is_stopped = [](pid_t) { return false; };
  fake.gives_priorities = [] { return false; };
  return fake;
}

// False: one is not decided within a minute.
inline bool complete_changes(Broker& broker) {
  while (broker.admission().is_deciding()) {
    pollfd ready{broker.decided(), POLLIN, 0};
    if (poll(&ready, 1, 60'000) != 1) return false;
    broker.complete_change();
  }
  return true;
}

}  // namespace samcl::daemon
