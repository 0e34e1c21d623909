#include "libsamcl/api/extensions.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "entry_points.h"
#include "libsamcl/api/command_buffer.h"
#include "libsamcl/api/content_size.h"
#include "libsamcl/api/external_memory.h"
#include "libsamcl/api/semaphore.h"
#include "libsamcl/api/suggested_local_size.h"
#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

// Shown: they change the kernel language, the set of valid queries or flags, or are served by the functions
// below. In the order of the alphabet.
constexpr std::string_view kVisible[] = {
    "cl_amd_device_attribute_query",
    "cl_amd_fp64",
    "cl_amd_media_ops",
    "cl_amd_media_ops2",
    "cl_amd_printf",
    "cl_amd_vec3",
    "cl_arm_core_id",
    "cl_arm_integer_dot_product_accumulate_int8",
    "cl_arm_integer_dot_product_int8",
    "cl_arm_printf",
    "cl_ext_cxx_for_opencl",
    "cl_ext_float_atomics",
    "cl_intel_bfloat16_conversions",
    "cl_intel_device_attribute_query",
    "cl_intel_required_subgroup_size",
    "cl_intel_split_work_group_barrier",
    "cl_intel_subgroup_local_block_io",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_khr_3d_image_writes",
    "cl_khr_async_work_group_copy_fence",
    "cl_khr_byte_addressable_store",
    "cl_khr_create_command_queue",
    "cl_khr_depth_images",
    "cl_khr_device_uuid",
    "cl_khr_expect_assume",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_extended_versioning",
    "cl_khr_external_memory",
    "cl_khr_external_memory_dma_buf",
    "cl_khr_external_memory_opaque_fd",
    "cl_khr_external_semaphore",
    "cl_khr_external_semaphore_opaque_fd",
    "cl_khr_external_semaphore_sync_fd",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_icd",
    "cl_khr_il_program",
    "cl_khr_image2d_from_buffer",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_pci_bus_info",
    "cl_khr_priority_hints",
    "cl_khr_select_fprounding_mode",
    "cl_khr_semaphore",
    "cl_khr_spir",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
    "cl_khr_suggested_local_work_size",
    "cl_khr_throttle_hints",
    "cl_khr_work_group_uniform_arithmetic",
    "cl_loader_info",
    "cl_loader_layers",
    "cl_nv_compiler_options",
    "cl_nv_copy_opts",
    "cl_nv_device_attribute_query",
    "cl_nv_pragma_unroll",
    "cl_pocl_content_size",
};
static_assert(std::is_sorted(std::begin(kVisible), std::end(kVisible)));

// Names that extensions gave to functions which the core took over with the same signature.
struct Twin {
  std::string_view name, core;
};
constexpr Twin kTwins[] = {
    {"clCreateCommandQueueWithPropertiesKHR", "clCreateCommandQueueWithProperties"},
    {"clCreateBufferWithPropertiesINTEL", "clCreateBufferWithProperties"},
    {"clCreateProgramWithILKHR", "clCreateProgramWithIL"},
};

// Entries of the table that we cannot serve: objects of other APIs belong to one device.
constexpr std::string_view kHiddenEntries[] = {
    "clCreateEventFromEGLSyncKHR",
    "clCreateEventFromGLsyncKHR",
    "clCreateFromEGLImageKHR",
    "clCreateFromGLBuffer",
    "clCreateFromGLRenderbuffer",
    "clCreateFromGLTexture",
    "clCreateFromGLTexture2D",
    "clCreateFromGLTexture3D",
    "clEnqueueAcquireEGLObjectsKHR",
    "clEnqueueAcquireGLObjects",
    "clEnqueueReleaseEGLObjectsKHR",
    "clEnqueueReleaseGLObjects",
    "clGetGLContextInfoKHR",
    "clGetGLObjectInfo",
    "clGetGLTextureInfo",
    "clCreateSubDevicesEXT",
};

// Extension functions that take no handle but platforms, which are the driver's: the platform's own are handed out.
constexpr std::string_view kPassedThrough[] = {
    "clIcdGetPlatformIDsKHR",     "clGetICDLoaderInfoOCLICD",      "clLogMessagesToStderrAPPLE",
    "clLogMessagesToStdoutAPPLE", "clLogMessagesToSystemLogAPPLE",
};

template <size_t N>
bool contains(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

void* real_extension_function(cl_platform_id platform, const char* name) {
  return driver::real().clGetExtensionFunctionAddressForPlatform(platform, name);
}

// Our own function of that name, or nullptr.
void* our_function(std::string_view name) {
  for (const Twin& twin : kTwins)
    if (twin.name == name) name = twin.core;
  if (contains(kHiddenEntries, name)) return nullptr;
  const auto names = driver::entry_names();
  const auto slots = driver::slots_of(samcl_dispatch);
  for (size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return slots[i];
  return nullptr;
}

// Of all platforms, for the query that names none: the first that knows the function.
void* any_platforms_function(const char* name) {
  cl_platform_id platforms[64];
  cl_uint count = 0;
  if (driver::real().clGetPlatformIDs(64, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint p = 0; p < std::min<cl_uint>(count, 64); ++p)
    if (void* function = real_extension_function(platforms[p], name)) return function;
  return nullptr;
}

// Of the platform (nullptr: of all) by the first device that has it.
std::optional<cl_version> command_buffer_version(cl_platform_id platform) {
  cl_platform_id platforms[64] = {platform};
  cl_uint count = 1;
  if (!platform && driver::real().clGetPlatformIDs(64, platforms, &count) != CL_SUCCESS) return {};
  for (cl_uint p = 0; p < std::min<cl_uint>(count, 64); ++p) {
    cl_device_id device = nullptr;
    if (driver::real().clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) continue;
    if (const auto version = api::command_buffer_version(device)) return version;
  }
  return {};
}

// `platform` may be null for "any".
void* extension_function(cl_platform_id platform, const char* name) {
  if (!name) return nullptr;
  const auto real_function = [&] {
    return platform ? real_extension_function(platform, name) : any_platforms_function(name);
  };
  if (contains(kPassedThrough, name)) {
    void* const function = platform ? real_function() : nullptr;
    return function ? function : driver::real().clGetExtensionFunctionAddress(name);
  }
  if (void* const function = api::suggested_local_size_function(name)) return real_function() ? function : nullptr;
  if (void* const function = api::content_size_function(name)) return real_function() ? function : nullptr;
  if (api::command_buffer_function(name, 0)) {
    const auto version = command_buffer_version(platform);
    return version && real_function() ? api::command_buffer_function(name, *version) : nullptr;
  }
  if (void* const function = api::external_memory_function(name)) return real_function() ? function : nullptr;
  if (void* const function = api::semaphore_function(name)) return real_function() ? function : nullptr;
  void* ours = our_function(name);
  // A twin exists where the driver has the extension; core functions exist always.
  const bool is_core = contains(kHiddenEntries, name) || std::none_of(std::begin(kTwins), std::end(kTwins),
                                                                      [&](const Twin& t) { return t.name == name; });
  return ours && (is_core || real_function()) ? ours : nullptr;
}

}  // namespace

bool is_visible_extension(std::string_view extension) {
  return std::binary_search(std::begin(kVisible), std::end(kVisible), extension);
}

bool is_of_first_device(std::string_view extension) {
  return extension == "cl_khr_semaphore" || extension.starts_with("cl_khr_external_");
}

std::string filter_extensions(std::string_view extensions, const std::function<bool(std::string_view)>& keep) {
  extensions = extensions.substr(0, extensions.find('\0'));
  std::string visible;
  bool begins_hidden = false;
  while (true) {
    const size_t begin = extensions.find_first_not_of(' ');
    if (begin == extensions.npos) return visible.append(extensions);
    const size_t end = std::min(extensions.find(' ', begin), extensions.size());
    const std::string_view blanks = extensions.substr(0, begin), extension = extensions.substr(begin, end - begin);
    if (!keep(extension)) {
      begins_hidden |= visible.empty();
    } else {
      if (!visible.empty() || !begins_hidden) visible += blanks;
      visible += extension;
    }
    extensions.remove_prefix(end);
  }
}

namespace api {

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  // The loader being opened by us passes on the call that made it initialise itself.
  if (driver::opening_on_this_thread()) return nullptr;
  return extension_function(nullptr, name);
}

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  if (platform) return extension_function(platform, name);
  // Loaders may take one of their platforms then.
  void* const real = name ? real_extension_function(nullptr, name) : nullptr;
  return real && !contains(kPassedThrough, name) ? extension_function(nullptr, name) : real;
}

}  // namespace api
}  // namespace samcl
