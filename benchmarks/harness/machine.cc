#include "benchmarks/harness/machine.h"

#include <CL/cl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "benchmarks/harness/commit.h"

extern char** environ;

namespace samcl::bench {
namespace {

template <typename Query, typename Object>
std::string text(Query query, Object object, cl_uint parameter) {
  size_t bytes = 0;
  if (query(object, parameter, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
  std::string value(bytes, '\0');
  if (query(object, parameter, bytes, value.data(), nullptr) != CL_SUCCESS) return "";
  value.resize(value.find('\0') == std::string::npos ? bytes : value.find('\0'));
  return value;
}

std::vector<DeviceFacts> devices() {
  std::vector<DeviceFacts> facts;
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(0, nullptr, &platform_count) != CL_SUCCESS) return facts;
  std::vector<cl_platform_id> platforms(platform_count);
  clGetPlatformIDs(platform_count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(count);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    for (cl_device_id id : ids) {
      cl_uint units = 0;
      cl_ulong memory = 0;
      clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
      clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr);
      facts.push_back({text(clGetDeviceInfo, id, CL_DEVICE_NAME),
                       text(clGetPlatformInfo, platform, CL_PLATFORM_NAME) + ", " +
                           text(clGetPlatformInfo, platform, CL_PLATFORM_VERSION),
                       text(clGetDeviceInfo, id, CL_DRIVER_VERSION), units, memory});
    }
  }
  return facts;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
  return text;
}

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> chosen;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    for (const char* prefix : {"SAMCL_", "POCL_", "CUDA_VISIBLE_DEVICES=", "OCL_ICD_VENDORS="}) {
      if (text.starts_with(prefix)) chosen[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    }
  }
  return chosen;
}

}  // namespace

Machine look_at_machine() {
  utsname name{};
  uname(&name);
  Machine machine;
  machine.date = now();
  machine.commit = kCommit;
  machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.processor = processor();
  machine.processors = static_cast<uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  machine.devices = devices();
  machine.environment = environment();
  return machine;
}

}  // namespace samcl::bench
