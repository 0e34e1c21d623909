// From the program's handles to the driver's: device 0's real object behind a virtual one. A handle that is
// not ours is returned unchanged; a virtual object that is dead, or has no real twin (queues, events), gives
// null, so that the driver answers with the standard's error.
#pragma once

#include <CL/cl.h>

#include "libsamcl/api/program_call.h"
#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/queue.h"
#include "libsamcl/program/kernel.h"
#include "libsamcl/program/program.h"

namespace samcl {

inline cl_device_id unwrap(cl_device_id handle) {
  if (!is_virtual(handle)) return handle;
  auto device = find<Device>(handle);
  return device ? device->real[0] : nullptr;
}
inline cl_context unwrap(cl_context handle) {
  if (!is_virtual(handle)) return handle;
  auto context = find<Context>(handle);
  return context ? context->devices[0]->context() : nullptr;
}
inline cl_command_queue unwrap(cl_command_queue handle) { return is_virtual(handle) ? nullptr : handle; }
inline cl_mem unwrap(cl_mem handle) {
  if (!is_virtual(handle)) return handle;
  auto buffer = find<Buffer>(handle);
  cl_int error;
  return buffer ? buffer->real(0, &error) : nullptr;
}
inline cl_program unwrap(cl_program handle) {
  if (!is_virtual(handle)) return handle;
  auto program = find<Program>(handle);
  return program ? program->original : nullptr;
}
inline cl_kernel unwrap(cl_kernel handle) {
  if (!is_virtual(handle)) return handle;
  auto kernel = find<Kernel>(handle);
  return kernel ? kernel->checked : nullptr;
}
inline cl_event unwrap(cl_event handle) { return is_virtual(handle) ? nullptr : handle; }

}  // namespace samcl
