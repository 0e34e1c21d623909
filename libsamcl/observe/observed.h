// What is told of commands and operations to those who want to see them: in a trace, and in pictures of plans.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/places.h"
#include "base/range.h"
#include "libsamcl/engine/operation.h"

namespace samcl::observe {

// "write buffer" and the like; "command" if nobody knows it.
const char* name_of(cl_command_type type);

struct Command {
  uint32_t number = 0;
  cl_command_type type = 0;
  std::string kernel;               // empty: it launches none
  std::string why_not_more;         // why it ran on no more devices
  cl_int status = CL_COMPLETE + 1;  // as long as it has not ended

  std::string name() const { return kernel.empty() ? name_of(type) : kernel; }
};

// A memory object's bytes that an operation reads or writes. memory: its number; 0: the program's own memory.
struct Use {
  uint64_t memory = 0;
  Place place = kHost;
  Range range;
  bool write = false;
};

struct Operation {
  uint64_t number = 0;
  uint32_t command = 0;
  uint64_t group = 0;  // of those that were entered together, and do not wait for each other
  engine::Lane lane;
  std::string what;  // "upload", a kernel's name
  uint64_t bytes = 0;
  std::vector<Use> uses;
  std::vector<uint64_t> after;  // operations that it had to wait for, by number: those that had not ended when it came

  // When it ran, on the host's clock; 0: not yet. Guarded by the trace's lock.
  uint64_t began = 0, ended = 0;
  uint64_t row = 0;  // of the trace
  cl_int status = CL_SUCCESS;
  // Those of `after`, until it has run, and those that come after it and ran before it was known when this one did.
  std::vector<std::shared_ptr<Operation>> before, behind;
};

// What is said of an operation, without kernel: "upload", "copy".
const char* name_of(const engine::Operation& operation);

}  // namespace samcl::observe
