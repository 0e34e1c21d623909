// What the program moved by its own commands (reads, writes, copies, maps), as opposed to its kernels' needs.
#pragma once

#include "libsamcl/device/traffic.h"

namespace samcl {

// Counted over the whole process, never destroyed. Any thread.
inline Traffic& program_traffic() {
  static Traffic* const traffic = new Traffic;
  return *traffic;
}

}  // namespace samcl
