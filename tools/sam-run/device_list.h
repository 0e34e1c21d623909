// What devices there are, asked in a child process: OpenCL drivers start threads and take memory, and the
// process that becomes the program must be as clean as one that sam-run never touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "libsamcl/driver/link_times.h"
#include "libsamcl/driver/share.h"

namespace samcl::run {

// How many real devices `selection` names (SAMCL_DEVICES' syntax, empty: all). Errors: an unknown device,
// with a list of those that exist; no device at all; OpenCL crashed. Waits for as long as the program would.
Result<unsigned> count_devices(const std::string& selection);

// A device of which a program is given a share, and how.
struct SharedDevice {
  std::string name;
  driver::ShareWay way = driver::ShareWay::slices;
  unsigned units = 0, all_units = 0;  // compute units of its part, where there is one, and of the device

  std::string text() const;  // for a person
};

// Those of `selection`; errors as above.
Result<std::vector<SharedDevice>> shared_devices(const std::string& selection, double share);

// A device as it is reached from here.
struct ReachedDevice {
  std::string machine;  // ADDRESS:PORT of its server; empty: this machine
  std::string name;
  unsigned index = 0;  // as --devices counts
  unsigned units = 0;
  uint64_t memory = 0;                    // bytes
  std::optional<driver::LinkTimes> link;  // nothing: the driver refused to try it
  // Of bytes from the device of that index, the first one of its server or, of that itself, of all servers; nothing: it
  // is the first of all, or of this machine, or they cannot be moved.
  unsigned source = 0;
  std::optional<driver::ExchangeTimes> exchange;
};

// Those of `selection`, with their links as measured now; errors as above.
Result<std::vector<ReachedDevice>> reached_devices(const std::string& selection);

// A tree for people: each machine, its devices, and how long bytes take there.
std::string machine_text(const std::vector<ReachedDevice>& devices);

}  // namespace samcl::run
