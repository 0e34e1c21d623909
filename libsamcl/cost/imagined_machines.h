// Machines that a program is predicted on before anybody has them: as `sam-run --what-if` and SAMCL_WHAT_IF name them.
//
//   devices=2,4,64,link=12GB/s,latency=60us
//
// A machine for each number of devices; what is not given is as it was measured, or is assumed, for the machine at
// hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "libsamcl/cost/ways.h"

namespace samcl {

struct ImaginedMachines {
  std::vector<unsigned> devices;       // of each machine, at least 1
  std::optional<double> link;          // bytes/ns from device to device, and to the host where that is not given
  std::optional<double> host;          // bytes/ns between the host and each device
  std::optional<double> uplink;        // bytes/ns between the host and all devices together
  std::optional<uint64_t> latency_ns;  // of one exchange, and of starting parts if that is more than is assumed
  std::optional<uint64_t> start_ns;    // for the host to start one part more

  // Of a machine of that many devices. measured: of the machine at hand.
  TransferRates rates(unsigned count, TransferRates measured) const;
};

// What starting one part more takes the host where it is not given: an H200's pipelined launch.
constexpr uint64_t kStartNs = 5'000;

// Errors name the word and what was expected.
Result<ImaginedMachines> parse_imagined_machines(const std::string& text);

}  // namespace samcl
