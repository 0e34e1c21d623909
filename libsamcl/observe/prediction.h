// What a program would have taken on machines that are imagined (sam-run --what-if), summed up while it runs and
// written at its end.
//
// A program's time is what its kernels compute, what moves, and all else: the host's own work. On an imagined machine
// the last stays as it was measured, and launches run one after the other, as the planner would cut them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace samcl::prediction {

// A program on one imagined machine; all times ns.
struct OnMachine {
  unsigned devices = 1;
  uint64_t split_launches = 0;
  uint64_t computing_ns = 0;  // the parts that take longest of each launch, one launch after the other
  uint64_t moving_ns = 0;     // until parts have their bytes and are started, and the host has what it reads
  // What may be split but ran whole, since the programs of its parts were not built: to build them for many devices has
  // to be worth it first.
  uint64_t unbuilt_launches = 0;
  // Of what was split: what it computed on one device, and what it computes and moves here.
  uint64_t split_alone_ns = 0, split_ns = 0;
  unsigned most_parts = 1;  // of one launch: devices beyond that do nothing

  // How many times as fast as on one device; nullopt: nothing was split.
  std::optional<double> split_speed_up() const;
};

struct Totals {
  std::string machines;  // as they were named
  uint64_t launches = 0;
  uint64_t wall_ns = 0;                     // of the program, as it ran on one device
  uint64_t kernel_ns = 0, transfer_ns = 0;  // of that
  uint64_t predicting_ns = 0;               // of that, which no other run takes
  std::vector<OnMachine> on;                // the first has one device

  // What is neither kernels nor transfers nor predicting.
  uint64_t other_ns() const;
  uint64_t total_ns(const OnMachine& machine) const;
};

std::string table(const Totals& totals);
std::string json(const Totals& totals);

// ---- Of this process; any thread ----

// Machines of so many devices each, in their order.
void begin(const std::string& machines, const std::vector<unsigned>& devices);
// One launch took that long on one device.
void launched(uint64_t kernel_ns);
// So long was predicted.
void predicted(uint64_t ns);
// What was found out of the machine of that index.
void add(size_t machine, const OnMachine& more);
// Writes it to where SAMCL_WHAT_IF_TO says: a file for JSON; empty: a table on stderr. Nothing was begun: does nothing.
void write();

}  // namespace samcl::prediction
