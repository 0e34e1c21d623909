// What OpenCL does not say of kernels' arguments, found out by trying it on the driver.
#pragma once

#include <CL/cl.h>

#include <optional>

namespace samcl::driver {

// Whether an argument of eight bytes is a pointer to memory, else it is a value: drivers take no value (a null
// pointer) for a pointer alone. For kernels that neither say so themselves (clGetKernelArgInfo) nor come from a source
// that was read. nullopt: this driver's answers do not tell, seen on a kernel of our own. Sets the argument.
std::optional<bool> takes_pointer(cl_device_id device, cl_kernel kernel, cl_uint index);

// Whether a buffer lives on while it is a kernel's argument, though the program has released it. Tried once, on an
// argument that takes a buffer, in its context; sets it.
bool keeps_arguments(cl_context context, cl_kernel kernel, cl_uint index);

}  // namespace samcl::driver
