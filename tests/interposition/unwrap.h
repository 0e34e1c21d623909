// The marking runtime has no virtual objects: every handle is the driver's.
#pragma once

#include <CL/cl.h>

namespace samcl {

template <typename Handle>
Handle unwrap(Handle handle) {
  return handle;
}

// It looks into none.
inline bool is_object(const void*) { return true; }

// Nothing is left to do between its calls.
struct ProgramCall {
  ProgramCall(const char*, bool) {}
};

}  // namespace samcl
