// Launching kernels: everything that is wrong with a launch is said at once; then it takes its place in the
// queue.
#include <algorithm>
#include <limits>

#include "entry_points.h"
#include "libsamcl/api/enqueue.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/runtime/launch.h"
#include "libsamcl/runtime/unwrap.h"

namespace samcl::api {
namespace {

// Whether the device takes local sizes that do not divide the global size.
bool allows_partial_groups(cl_device_id device) {
  return driver::value<cl_bool>(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE);
}

cl_int check_local_size(const Kernel& kernel, const Ndrange& ndrange, bool has_local) {
  const auto& cl = driver::real();
  const cl_device_id device = kernel.program->context->devices[0]->id;
  size_t required[3] = {};
  cl.clGetKernelWorkGroupInfo(kernel.checked, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, nullptr);
  if (!has_local) return CL_SUCCESS;
  if (required[0] != 0) {
    for (unsigned d = 0; d < ndrange.dimensions; ++d) {
      if (ndrange.local[d] != required[d]) return CL_INVALID_WORK_GROUP_SIZE;
    }
  }
  size_t most = std::numeric_limits<size_t>::max();
  cl.clGetKernelWorkGroupInfo(kernel.checked, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr);
  std::array<size_t, 16> item_sizes;
  item_sizes.fill(std::numeric_limits<size_t>::max());
  cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof item_sizes, item_sizes.data(), nullptr);
  uint64_t items = 1;
  bool divides = true;
  for (unsigned d = 0; d < ndrange.dimensions; ++d) {
    if (ndrange.local[d] == 0) return CL_INVALID_WORK_GROUP_SIZE;
    if (ndrange.local[d] > item_sizes[d]) return CL_INVALID_WORK_ITEM_SIZE;
    items *= ndrange.local[d];
    divides &= ndrange.global[d] % ndrange.local[d] == 0;
  }
  if (items > most) return CL_INVALID_WORK_GROUP_SIZE;
  if (!divides && (required[0] != 0 || !allows_partial_groups(device))) return CL_INVALID_WORK_GROUP_SIZE;
  return CL_SUCCESS;
}

cl_int read_ndrange(cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local, Ndrange& out) {
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  if (!global) return CL_INVALID_GLOBAL_WORK_SIZE;
  out.dimensions = dimensions;
  for (unsigned d = 0; d < dimensions; ++d) {
    out.global[d] = global[d];
    out.offset[d] = offset ? offset[d] : 0;
    out.local[d] = local ? local[d] : 1;
    if (out.offset[d] + out.global[d] < out.offset[d]) return CL_INVALID_GLOBAL_OFFSET;
  }
  return CL_SUCCESS;
}

// Launches with real handles (one device, no manager) are only counted, and only if somebody will read it.
void count_direct(cl_kernel kernel) {
  if (!report::wanted()) return;
  char name[256] = "";
  driver::real().clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  KernelRecord& record = report::kernel(name);
  if (record.launches++ == 0) record.set_reason("there is one device");
  record.devices = 1;
}

}  // namespace

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue_handle, cl_kernel kernel_handle, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!is_virtual(queue_handle)) {
    if (queue_handle && kernel_handle) count_direct(kernel_handle);
    return driver::real().clEnqueueNDRangeKernel(queue_handle, unwrap(kernel_handle), dimensions, offset, global, local,
                                                 wait_count, waits, event);
  }
  auto queue = find<Queue>(queue_handle);
  if (!queue) return CL_INVALID_COMMAND_QUEUE;
  auto kernel = find<Kernel>(kernel_handle);
  if (!kernel) return CL_INVALID_KERNEL;
  if (kernel->program->context != queue->context) return CL_INVALID_CONTEXT;
  LaunchRequest request{kernel, kernel->arguments(), {}, local != nullptr};
  for (const Argument& argument : *request.arguments) {
    if (!argument.set) return CL_INVALID_KERNEL_ARGS;
  }
  cl_int error = read_ndrange(dimensions, offset, global, local, request.ndrange);
  if (error == CL_SUCCESS) error = check_local_size(*kernel, request.ndrange, request.has_local);
  if (error != CL_SUCCESS) return error;
  Waits before = wait_list(*queue->context, wait_count, waits);
  if (before.error != CL_SUCCESS) return before.error;
  CommandPtr command;
  if (request.ndrange.global[0] * request.ndrange.global[1] * request.ndrange.global[2] == 0) {
    if (driver::text(queue->context->devices[0]->id, CL_DEVICE_VERSION) < "OpenCL 2.1") return CL_INVALID_GLOBAL_WORK_SIZE;
    command = std::make_unique<EmptyCommand>();
  } else {
    command = std::make_unique<KernelLaunch>(std::move(request), *queue->context);
  }
  return enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, std::move(command), before.events, event, false);
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count, const cl_event* waits,
                                 cl_event* event) {
  if (!is_virtual(queue)) return driver::real().clEnqueueTask(queue, unwrap(kernel), wait_count, waits, event);
  const size_t one = 1;
  return samcl::api::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, wait_count, waits, event);
}

}  // namespace samcl::api
