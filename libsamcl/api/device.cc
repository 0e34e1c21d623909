// Devices. A virtual device answers as its first real one would, except where the group is weaker or where
// samcl itself does the work.
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "entry_points.h"
#include "libsamcl/api/command_buffer.h"
#include "libsamcl/api/extensions.h"
#include "libsamcl/api/info.h"
#include "libsamcl/api/unwrap.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/parts.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/machine.h"
#include "libsamcl/settings/config.h"

namespace samcl::api {
namespace {

// The loader's default for a null platform: the first.
cl_platform_id or_first(cl_platform_id platform) {
  if (!platform) driver::real().clGetPlatformIDs(1, &platform, nullptr);
  return platform;
}

cl_int named_versions(cl_device_id real, cl_device_info name, std::vector<cl_name_version>& all) {
  size_t bytes = 0;
  const cl_int error = driver::real().clGetDeviceInfo(real, name, 0, nullptr, &bytes);
  if (error != CL_SUCCESS) return error;
  all.resize(bytes / sizeof(cl_name_version));
  return driver::real().clGetDeviceInfo(real, name, bytes, all.data(), nullptr);
}

// Named values of a real device for which keep(name) holds.
template <typename Keep>
cl_int named_versions(cl_device_id real, cl_device_info name, const Answer& answer, Keep keep) {
  std::vector<cl_name_version> all;
  if (const cl_int error = named_versions(real, name, all); error != CL_SUCCESS) return error;
  std::erase_if(all, [&](const cl_name_version& named) { return !keep(named.name); });
  return answer.array(all);
}

// What is alike for real and virtual devices: extensions that do not work through samcl are not shown.
cl_int real_info(cl_device_id real, cl_device_info name, const Answer& answer) {
  const auto is_shown = [real](std::string_view extension) {
    if (extension == CL_KHR_COMMAND_BUFFER_EXTENSION_NAME) return command_buffer_version(real).has_value();
    return is_visible_extension(extension);
  };
  switch (name) {
    case CL_DEVICE_EXTENSIONS: return answer.text(filter_extensions(driver::text(real, name), is_shown));
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: return named_versions(real, name, answer, is_shown);
    case CL_DEVICE_PARENT_DEVICE:
      if (const auto parent = driver::value<cl_device_id>(real, name))
        return answer.with<cl_device_id>(to_program(parent));
      return answer.with<cl_device_id>(nullptr);
    default: return driver::real().clGetDeviceInfo(real, name, answer.size, answer.value, answer.size_ret);
  }
}

template <typename T>
cl_int smallest(const Device& device, cl_device_info name, const Answer& answer) {
  T least = driver::value<T>(device.real[0], name);
  for (cl_device_id real : device.real) least = std::min(least, driver::value<T>(real, name));
  return answer.with<T>(least);
}

template <typename T>
cl_int largest(const Device& device, cl_device_info name, const Answer& answer) {
  T most = 0;
  for (cl_device_id real : device.real) most = std::max(most, driver::value<T>(real, name));
  return answer.with<T>(most);
}

template <typename T>
cl_int common_bits(const Device& device, cl_device_info name, const Answer& answer) {
  T common = ~T{0};
  for (cl_device_id real : device.real) common &= driver::value<T>(real, name);
  return answer.with<T>(common);
}

// Blank-separated names that all real devices have.
bool all_have(const Device& device, cl_device_info list, std::string_view name) {
  return std::all_of(device.real.begin(), device.real.end(), [&](cl_device_id real) {
    return (" " + driver::text(real, list) + " ").find(" " + std::string(name) + " ") != std::string::npos;
  });
}

// Of devices that are not alike.
bool is_offered_feature(std::string_view feature) {
  return feature != "__opencl_c_device_enqueue" && feature != "__opencl_c_pipes";
}

bool all_have_feature(const Device& device, std::string_view feature) {
  return std::all_of(device.real.begin(), device.real.end(), [&](cl_device_id real) {
    std::vector<cl_name_version> features;
    return named_versions(real, CL_DEVICE_OPENCL_C_FEATURES, features) == CL_SUCCESS &&
           std::any_of(features.begin(), features.end(),
                       [&](const cl_name_version& its) { return its.name == feature; });
  });
}

// "OpenCL 3.0 ...": "3.0".
std::string version_number(const std::string& text) {
  const size_t digit = text.find_first_of("0123456789");
  return digit == std::string::npos ? "" : text.substr(digit, text.find(' ', digit) - digit);
}

// Of devices that are not alike, what all can do; none where the first one's word is as good as any.
std::optional<cl_int> common_info(const Device& device, cl_device_info name, const Answer& answer) {
  const cl_device_id first = device.real[0];
  const auto is_common = [&](std::string_view extension) {
    return is_visible_extension(extension) &&
           (is_of_first_device(extension) || all_have(device, CL_DEVICE_EXTENSIONS, extension));
  };
  switch (name) {
    case CL_DEVICE_EXTENSIONS: return answer.text(filter_extensions(driver::text(first, name), is_common));
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: return named_versions(first, name, answer, is_common);
    case CL_DEVICE_OPENCL_C_FEATURES:
      return named_versions(first, name, answer, [&](std::string_view feature) {
        return is_offered_feature(feature) && all_have_feature(device, feature);
      });
    case CL_DEVICE_VERSION:
    case CL_DEVICE_OPENCL_C_VERSION: {
      std::string lowest = driver::text(first, name);
      for (cl_device_id real : device.real) {
        if (std::string text = driver::text(real, name); version_number(text) < version_number(lowest)) lowest = text;
      }
      return answer.text(lowest);
    }
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      auto sizes = driver::value<std::array<size_t, 3>>(first, name);
      for (cl_device_id real : device.real) {
        const auto its = driver::value<std::array<size_t, 3>>(real, name);
        for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::min(sizes[d], its[d]);
      }
      return answer.bytes(sizes.data(), sizeof sizes);
    }
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_SAMPLERS:
    case CL_DEVICE_MAX_CONSTANT_ARGS:
    case CL_DEVICE_MAX_NUM_SUB_GROUPS: return smallest<cl_uint>(device, name, answer);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
    case CL_DEVICE_PRINTF_BUFFER_SIZE: return smallest<size_t>(device, name, answer);
    case CL_DEVICE_SINGLE_FP_CONFIG:
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG:
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: return common_bits<cl_ulong>(device, name, answer);
    // A kernel that enqueues kernels, or hands on packets, runs on the first device; here it may not build on the
    // others.
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: return answer.with<cl_bitfield>(0);
    case CL_DEVICE_PIPE_SUPPORT:  // cl_bool: a cl_uint
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE: return answer.with<cl_uint>(0);
    default: return std::nullopt;
  }
}

// Whether what the host and the devices write to a buffer's host memory can be seen by all without maps. Programs that
// read it so (CL_DEVICE_HOST_UNIFIED_MEMORY) leave maps and transfers out, and other bytes are brought by these only.
// That CPUs of one kind share it is tried when a context is made (device/shared_memory.h).
bool shares_host_memory(const Device& device) {
  const Config::Transport transport = Config::get().transport;
  if (transport != Config::Transport::automatic && transport != Config::Transport::shared) return false;
  return !device.is_mixed() && std::all_of(device.real.begin(), device.real.end(), [](cl_device_id real) {
    return (driver::value<cl_device_type>(real, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) &&
           driver::value<cl_bool>(real, CL_DEVICE_HOST_UNIFIED_MEMORY) && !driver::is_remote(real);
  });
}

cl_int virtual_info(const Device& device, cl_device_info name, const Answer& answer) {
  if (name == CL_DEVICE_IMAGE_SUPPORT && driver::is_part_without_images(device.real[0]))
    return answer.with<cl_bool>(CL_FALSE);
  if (device.is_mixed()) {
    if (const auto common = common_info(device, name, answer)) return *common;
  }
  switch (name) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
    case CL_DEVICE_LOCAL_MEM_SIZE:
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return smallest<cl_ulong>(device, name, answer);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return smallest<size_t>(device, name, answer);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return largest<cl_uint>(device, name, answer);

    case CL_DEVICE_HOST_UNIFIED_MEMORY: return answer.with<cl_bool>(shares_host_memory(device));
    case CL_DEVICE_PARENT_DEVICE: return answer.with<cl_device_id>(nullptr);
    case CL_DEVICE_REFERENCE_COUNT: return answer.with<cl_uint>(1);
    case CL_DEVICE_PARTITION_TYPE:
      if (!driver::value<cl_device_id>(device.real[0], CL_DEVICE_PARENT_DEVICE))
        return real_info(device.real[0], name, answer);
      return answer.with<cl_device_partition_property>(
          0);  // a share of a device (SAMCL_SHARE) is shown as one of its own

    // Queues and their clock are ours.
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
      return answer.with<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE |
                                                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION: return answer.with<size_t>(1);
    default: return real_info(device.real[0], name, answer);
  }
}

}  // namespace

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                  cl_device_id* devices, cl_uint* num_devices) {
  platform = or_first(platform);
  cl_uint count = 0;
  const cl_int error = driver::real().clGetDeviceIDs(platform, type, 0, nullptr, &count);
  if (error != CL_SUCCESS) {
    if (num_devices) *num_devices = 0;
    return error;
  }
  if ((devices && num_entries == 0) || (!devices && !num_devices)) return CL_INVALID_VALUE;
  const std::vector<cl_device_id> shown = program_devices(platform, type);
  if (num_devices) *num_devices = static_cast<cl_uint>(shown.size());
  if (devices) std::copy_n(shown.begin(), std::min<size_t>(num_entries, shown.size()), devices);
  return shown.empty() ? CL_DEVICE_NOT_FOUND : CL_SUCCESS;
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void* value,
                                   size_t* size_ret) {
  if (!device) return CL_INVALID_DEVICE;
  const Answer answer{size, value, size_ret};
  if (!is_virtual(device)) return real_info(device, name, answer);
  const auto ours = find<Device>(device);
  return ours ? virtual_info(*ours, name, answer) : CL_INVALID_DEVICE;
}

// A root device's reference count never changes.
cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  if (is_virtual(device)) return find<Device>(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
  return device ? driver::real().clRetainDevice(device) : CL_INVALID_DEVICE;
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
  if (is_virtual(device)) return find<Device>(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
  return device ? driver::release_device(device) : CL_INVALID_DEVICE;
}

// The parts of a device are the driver's own: those of the first real one, used as they are.
cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property* properties,
                                      cl_uint num_devices, cl_device_id* devices, cl_uint* num_devices_ret) {
  if (!unwrap(device)) return CL_INVALID_DEVICE;
  return driver::create_parts(unwrap(device), properties, num_devices, devices, num_devices_ret);
}

// The clock of a virtual device is the one its events are timed by: the host's. A driver without clocks that can be
// read says so.
cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_timestamp, cl_ulong* host_timestamp) {
  if (!device) return CL_INVALID_DEVICE;
  if (!is_virtual(device)) return driver::real().clGetDeviceAndHostTimer(device, device_timestamp, host_timestamp);
  const auto ours = find<Device>(device);
  if (!ours) return CL_INVALID_DEVICE;
  const cl_int error = driver::real().clGetDeviceAndHostTimer(ours->real[0], device_timestamp, host_timestamp);
  if (error == CL_SUCCESS) *device_timestamp = *host_timestamp = now_ns();
  return error;
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host_timestamp) {
  if (!device) return CL_INVALID_DEVICE;
  if (!is_virtual(device)) return driver::real().clGetHostTimer(device, host_timestamp);
  const auto ours = find<Device>(device);
  if (!ours) return CL_INVALID_DEVICE;
  const cl_int error = driver::real().clGetHostTimer(ours->real[0], host_timestamp);
  if (error == CL_SUCCESS) *host_timestamp = now_ns();
  return error;
}

}  // namespace samcl::api
