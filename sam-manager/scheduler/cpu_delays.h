// What others compute while a holder is waited for whose section needs CPUs: it runs at the priority that it is lent,
// and whoever is at least as urgent may keep it from a CPU. That time is no overrun of the holder's, and the waiting
// client's bound counts it among what is computed (analysis/rta/PROOF.md, "Sections that need CPUs, and the ceiling").
// Pure logic: the clocks are passed in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sam-manager/scheduler/cpu_budgets.h"

namespace samcl::scheduler {

class CpuDelays {
 public:
  explicit CpuDelays(CpuBudgets::Read read) : read_(std::move(read)) {}

  // The client's threads run at that priority from now on, its own or one that they are lent.
  void set_priority(ClientId client, int priority);
  void remove(ClientId client);

  // The holder is waited for at that priority from now on; again: at another one, in the same section.
  void begin(ResourceId resource, ClientId holder, int priority);
  void end(ResourceId resource) { sections_.erase(resource); }
  // What all clients but the holder have computed since, on all CPUs together, while they were at least as urgent.
  uint64_t computed_ns(ResourceId resource) const;

 private:
  struct Section {
    ClientId holder = 0;
    int priority = 0;
    uint64_t computed_ns = 0;             // by those who are less urgent now
    std::map<ClientId, uint64_t> begins;  // of the others: their clocks when they began to count
  };

  void count(Section& section, ClientId client, std::optional<int> priority) const;
  uint64_t clock(ClientId client) const;

  const CpuBudgets::Read read_;
  std::map<ClientId, int> priorities_;
  std::map<ResourceId, Section> sections_;
};

}  // namespace samcl::scheduler
