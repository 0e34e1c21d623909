#include "libsamcl/api/buffer_arguments.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {
namespace {

bool is_standard(cl_map_flags flags) {
  if (flags & ~cl_map_flags{CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION}) return false;
  return !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)));
}

// On a buffer of its own.
cl_int ask_driver(RealDevice& device, cl_map_flags flags) {
  constexpr size_t kBytes = 64;
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  const cl_mem buffer = cl.clCreateBuffer(device.context(), CL_MEM_READ_WRITE, kBytes, nullptr, &error);
  if (!buffer) return error;
  void* mapped = nullptr;
  error = device.run(engine::LaneKind::up, [&](cl_command_queue queue, cl_event* event) {
    cl_int result = CL_SUCCESS;
    mapped = cl.clEnqueueMapBuffer(queue, buffer, CL_FALSE, flags, 0, kBytes, 0, nullptr, event, &result);
    return result;
  });
  if (mapped) {
    device.run(engine::LaneKind::up, [&](cl_command_queue queue, cl_event* event) {
      return cl.clEnqueueUnmapMemObject(queue, buffer, mapped, 0, nullptr, event);
    });
  }
  cl.clReleaseMemObject(buffer);
  return error;
}

}  // namespace

cl_int check_map_flags(const Context& context, cl_map_flags& flags) {
  if (is_standard(flags)) return CL_SUCCESS;
  const cl_int error = ask_driver(*context.devices[0], flags);
  if (error == CL_SUCCESS && (flags & CL_MAP_WRITE_INVALIDATE_REGION)) {
    flags = (flags & ~cl_map_flags{CL_MAP_WRITE_INVALIDATE_REGION}) | CL_MAP_WRITE;
  }
  return error;
}

}  // namespace samcl::api
