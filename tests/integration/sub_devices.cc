// Prints what the first device says of its parts: all that can be asked of clCreateSubDevices, and of what is made with
// them.
#include <CL/cl.h>

#include <cstdio>
#include <vector>

#include "benchmarks/host/handle.h"

namespace {

using Properties = std::vector<cl_device_partition_property>;

void print(const char* what, cl_int status) { std::printf("%s: %s\n", what, bench::status_name(status).c_str()); }

void print_list(cl_device_id device, cl_device_info name, const char* what) {
  cl_device_partition_property values[16];
  size_t bytes = 0;
  const cl_int status = clGetDeviceInfo(device, name, sizeof values, values, &bytes);
  std::printf("  %s %s:", what, bench::status_name(status).c_str());
  for (size_t i = 0; i < bytes / sizeof values[0]; ++i) std::printf(" %ld", static_cast<long>(values[i]));
  std::printf("\n");
}

template <typename T>
long number(cl_device_id device, cl_device_info name) {
  T value{};
  const cl_int status = clGetDeviceInfo(device, name, sizeof value, &value, nullptr);
  return status == CL_SUCCESS ? static_cast<long>(value) : status;
}

void describe(cl_device_id device, cl_device_id root) {
  cl_device_id parent = nullptr;
  clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr);
  std::printf("  units %ld, at most %ld parts, %ld references, parent is %s\n",
              number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS),
              number<cl_uint>(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES),
              number<cl_uint>(device, CL_DEVICE_REFERENCE_COUNT),
              !parent          ? "none"
              : parent == root ? "the root"
                               : "another");
  print_list(device, CL_DEVICE_PARTITION_PROPERTIES, "can be divided");
  print_list(device, CL_DEVICE_PARTITION_TYPE, "was divided");
  std::printf("  affinity domains %ld\n",
              number<cl_device_affinity_domain>(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN));
}

cl_context context_of(std::vector<cl_device_id> devices) {
  cl_int status = CL_SUCCESS;
  const cl_context made =
      clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &status);
  print("  a context", status);
  return made;
}

void queue_on(cl_context context, cl_device_id device, const char* what) {
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  print(what, status);
  if (!queue) return;
  cl_device_id told = nullptr;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof told, &told, nullptr);
  std::printf("    its device is %s\n", told == device ? "the same" : "another");
  clReleaseCommandQueue(queue);
}

void divide(cl_device_id device, const char* how, const Properties& properties) {
  cl_device_id parts[16];
  cl_uint count = 77;
  print(how, clCreateSubDevices(device, properties.empty() ? nullptr : properties.data(), 0, nullptr, &count));
  std::printf(" %u parts\n", count);
  if (clCreateSubDevices(device, properties.empty() ? nullptr : properties.data(), 16, parts, &count) != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < count; ++i) {
    describe(parts[i], device);
    const cl_context alone = context_of({parts[i]}), whole = context_of({device}),
                     both = context_of({device, parts[i]});
    queue_on(alone, parts[i], "  a queue on the part in its context");
    queue_on(alone, device, "  a queue on the whole in the part's context");
    queue_on(whole, parts[i], "  a queue on the part in the whole's context");
    queue_on(both, parts[i], "  a queue on the part in both's context");
    for (cl_context context : {alone, whole, both}) clReleaseContext(context);
    print("  retained", clRetainDevice(parts[i]));
    std::printf("  %ld references\n", number<cl_uint>(parts[i], CL_DEVICE_REFERENCE_COUNT));
    print("  released", clReleaseDevice(parts[i]));
    print("  released", clReleaseDevice(parts[i]));
  }
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  clGetPlatformIDs(1, &platform, nullptr);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) return 1;
  describe(device, device);
  const cl_device_partition_property equally = CL_DEVICE_PARTITION_EQUALLY, counts = CL_DEVICE_PARTITION_BY_COUNTS;
  for (cl_device_partition_property units : {0, 1, 2, 1000}) divide(device, "equally", {equally, units, 0});
  divide(device, "by counts 1", {counts, 1, 0, 0});
  divide(device, "by counts 1, 1", {counts, 1, 1, 0, 0});
  divide(device, "by counts 1000", {counts, 1000, 0, 0});
  divide(device, "by NUMA", {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0});
  divide(device, "in an unknown way", {0x1234, 0});
  divide(device, "without properties", {});
  divide(nullptr, "of no device", {equally, 1, 0});
}
