#include "benchmarks/host/session.h"

#include <chrono>
#include <vector>

namespace bench {
namespace {

template <typename Object, typename Query>
std::string text(Query query, Object object, cl_uint parameter) {
  size_t bytes = 0;
  check(query(object, parameter, 0, nullptr, &bytes));
  std::string value(bytes, '\0');
  check(query(object, parameter, bytes, value.data(), nullptr));
  if (!value.empty()) value.pop_back();
  return value;
}

[[noreturn]] void no_such(const char* what, unsigned index, cl_uint count) {
  throw std::runtime_error("there is no " + std::string(what) + " " + std::to_string(index) + ": OpenCL lists " +
                           std::to_string(count));
}

}  // namespace

Session Session::open(unsigned platform_index, unsigned device_index) {
  cl_uint count = 0;
  check(clGetPlatformIDs(0, nullptr, &count));
  if (platform_index >= count) no_such("platform", platform_index, count);
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr));
  cl_platform_id platform = platforms[platform_index];

  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count));
  if (device_index >= count) no_such("device", device_index, count);
  std::vector<cl_device_id> devices(count);
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr));

  Session session;
  session.device = devices[device_index];
  session.device_name = text(clGetDeviceInfo, session.device, CL_DEVICE_NAME);
  session.platform_name = text(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  cl_int status = CL_SUCCESS;
  session.context = Context(clCreateContext(properties, 1, &session.device, nullptr, nullptr, &status));
  check(status);
  session.queue = session.make_queue();
  return session;
}

Queue Session::make_queue(cl_command_queue_properties more) const {
  cl_int status = CL_SUCCESS;
  Queue made(clCreateCommandQueue(context.get(), device, CL_QUEUE_PROFILING_ENABLE | more, &status));
  check(status);
  return made;
}

Buffer Session::make_buffer(cl_mem_flags flags, size_t bytes, void* host) const {
  cl_int status = CL_SUCCESS;
  Buffer made(clCreateBuffer(context.get(), flags, bytes, host, &status));
  check(status);
  return made;
}

Image Session::make_image(cl_mem_flags flags, size_t width, size_t height) const {
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape = {};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = width;
  shape.image_height = height;
  cl_int status = CL_SUCCESS;
  Image made(clCreateImage(context.get(), flags, &format, &shape, nullptr, &status));
  check(status);
  return made;
}

size_t Session::sub_buffer_alignment() const {
  cl_uint bits = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr));
  return bits / 8;
}

bool has_extension(cl_device_id device, const std::string& name) {
  size_t bytes = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &bytes));
  std::string all(bytes, '\0');
  check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, all.data(), nullptr));
  return (" " + std::string(all.c_str()) + " ").find(" " + name + " ") != std::string::npos;
}

Buffer make_sub_buffer(const Buffer& parent, cl_mem_flags flags, size_t offset, size_t bytes) {
  const cl_buffer_region region = {offset, bytes};
  cl_int status = CL_SUCCESS;
  Buffer made(clCreateSubBuffer(parent.get(), flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  check(status);
  return made;
}

Program Session::build(std::string_view source, const std::string& options) const {
  const char* start = source.data();
  const size_t length = source.size();
  cl_int status = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context.get(), 1, &start, &length, &status));
  check(status);
  const auto begin = std::chrono::steady_clock::now();
  status = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  build_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (status == CL_SUCCESS) return program;
  auto log_of = [&](cl_program built, cl_uint parameter, size_t size, void* value, size_t* size_out) {
    return clGetProgramBuildInfo(built, device, parameter, size, value, size_out);
  };
  throw std::runtime_error(status_name(status) + "\n" + text(log_of, program.get(), CL_PROGRAM_BUILD_LOG));
}

Kernel make_kernel(const Program& program, const char* name) {
  cl_int status = CL_SUCCESS;
  Kernel made(clCreateKernel(program.get(), name, &status));
  check(status);
  return made;
}

}  // namespace bench
