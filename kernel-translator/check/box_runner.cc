#include "kernel-translator/check/box_runner.h"

#include <algorithm>
#include <utility>

#include "kernel-translator/check/recorder.h"

namespace samcl::check {
namespace {

std::string fact(cl_device_id device, cl_device_info what) {
  size_t size = 0;
  clGetDeviceInfo(device, what, 0, nullptr, &size);
  std::string text(size, '\0');
  clGetDeviceInfo(device, what, size, text.data(), nullptr);
  return text.substr(0, text.find('\0'));
}

std::string name_of(cl_platform_id platform) {
  char name[128] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
  return name;
}

std::string code(const char* call, cl_int error) { return std::string(call) + " gave " + std::to_string(error); }

// A launch's real objects, released with it.
struct Objects {
  cl_kernel kernel = nullptr;
  std::vector<cl_mem> memory;  // by argument; null: it has none
  std::vector<cl_sampler> samplers;
  ~Objects() {
    for (cl_mem each : memory)
      if (each) clReleaseMemObject(each);
    for (cl_sampler sampler : samplers) clReleaseSampler(sampler);
    if (kernel) clReleaseKernel(kernel);
  }
};

cl_mem image_of(cl_context context, const CaseArgument& argument, std::vector<std::byte>& contents, cl_int& error) {
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = argument.width;
  shape.image_height = argument.height;
  return clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &shape, contents.data(), &error);
}

Result<cl_program> build(const TestDevice& device, const std::string& source, const std::string& options) {
  const char* text = source.c_str();
  const cl_device_id id = device.id();
  cl_int error = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(device.context(), 1, &text, nullptr, &error);
  if (error != CL_SUCCESS) return fail(code("clCreateProgramWithSource", error));
  error = clBuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return program;
  clReleaseProgram(program);
  return fail(code("clBuildProgram", error));
}

NdrangeArgument place_of(const Ndrange& ndrange, const GroupBox& box) {
  NdrangeArgument place{};
  for (unsigned d = 0; d < 3; ++d) {
    place.group_offset[d] = box.first[d];
    place.num_groups[d] = ndrange.groups(d);
    place.global_size[d] = ndrange.global[d];
    place.global_offset[d] = ndrange.offset[d];
  }
  return place;
}

}  // namespace

Result<std::unique_ptr<TestDevice>> TestDevice::open(const std::string& name) {
  std::unique_ptr<TestDevice> device(new TestDevice);
  cl_uint count = 0;
  cl_int error = clGetPlatformIDs(0, nullptr, &count);
  if (error != CL_SUCCESS) return fail(code("clGetPlatformIDs", error));
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  const auto found = std::find_if(platforms.begin(), platforms.end(), [&](cl_platform_id platform) {
    const std::string its = name_of(platform);
    return name.empty() ? its != Recorder::kPlatform : its == name;
  });
  if (found == platforms.end()) return fail("there is no OpenCL platform" + (name.empty() ? "" : " " + name));
  error = clGetDeviceIDs(*found, CL_DEVICE_TYPE_ALL, 1, &device->id_, nullptr);
  if (error != CL_SUCCESS) return fail(code("clGetDeviceIDs", error));
  device->context_ = clCreateContext(nullptr, 1, &device->id_, nullptr, nullptr, &error);
  if (error != CL_SUCCESS) return fail(code("clCreateContext", error));
  device->queue_ = clCreateCommandQueue(device->context_, device->id_, 0, &error);
  if (error != CL_SUCCESS) return fail(code("clCreateCommandQueue", error));
  device->facts_.device_version = fact(device->id_, CL_DEVICE_VERSION);
  device->facts_.opencl_c_version = fact(device->id_, CL_DEVICE_OPENCL_C_VERSION);
  device->facts_.extensions = fact(device->id_, CL_DEVICE_EXTENSIONS);
  cl_bool images = CL_FALSE;
  clGetDeviceInfo(device->id_, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
  device->facts_.image_support = images != CL_FALSE;
  return device;
}

TestDevice::~TestDevice() {
  if (queue_) clReleaseCommandQueue(queue_);
  if (context_) clReleaseContext(context_);
}

Result<BoxRunner> BoxRunner::make(const TestDevice& device, const std::string& source, const std::string& options,
                                  const std::string& translator) {
  auto translation = translate(source, options, device.facts(), {.program = translator, .cache_directory = ""});
  if (!translation) return tl::unexpected(translation.error());
  const auto& used = translation->sources[0];
  const auto program = build(device, used.source.value_or(source), used.options);
  if (!program) return tl::unexpected(program.error());
  return BoxRunner(device, std::move(*translation), *program);
}

Result<BoxRunner> BoxRunner::make_untranslated(const TestDevice& device, const std::string& source,
                                               const std::string& options) {
  const auto program = build(device, source, options);
  if (!program) return tl::unexpected(program.error());
  return BoxRunner(device, {}, *program);
}

BoxRunner::BoxRunner(BoxRunner&& other) noexcept
    : device_(other.device_),
      translation_(std::move(other.translation_)),
      program_(std::exchange(other.program_, nullptr)) {}

BoxRunner::~BoxRunner() {
  if (program_) clReleaseProgram(program_);
}

Result<Contents> BoxRunner::run(const LaunchCase& launch, const GroupBox& box, const Contents& before) const {
  Objects objects;
  cl_int error = CL_SUCCESS;
  objects.kernel = clCreateKernel(program_, launch.kernel.c_str(), &error);
  if (error != CL_SUCCESS) return fail(code("clCreateKernel", error));
  for (cl_uint i = 0; i < launch.arguments.size(); ++i) {
    const CaseArgument& argument = launch.arguments[i];
    objects.memory.push_back(nullptr);
    if (argument.has_contents()) {
      std::vector<std::byte> copy = before[i];
      cl_mem& memory = objects.memory.back();
      memory = argument.kind == CaseArgument::Kind::image
                   ? image_of(device_->context(), argument, copy, error)
                   : clCreateBuffer(device_->context(), CL_MEM_COPY_HOST_PTR, copy.size(), copy.data(), &error);
      if (error != CL_SUCCESS) return fail(code("clCreateBuffer or clCreateImage", error));
      error = clSetKernelArg(objects.kernel, i, sizeof memory, &memory);
    } else if (argument.kind == CaseArgument::Kind::local) {
      error = clSetKernelArg(objects.kernel, i, argument.local_bytes, nullptr);
    } else if (argument.kind == CaseArgument::Kind::sampler) {
      cl_sampler sampler =
          clCreateSampler(device_->context(), CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
      if (error != CL_SUCCESS) return fail(code("clCreateSampler", error));
      objects.samplers.push_back(sampler);
      error = clSetKernelArg(objects.kernel, i, sizeof sampler, &sampler);
    } else {
      error = clSetKernelArg(objects.kernel, i, argument.bytes.size(), argument.bytes.data());
    }
    if (error != CL_SUCCESS) return fail(code("clSetKernelArg", error) + " for argument " + std::to_string(i));
  }
  const KernelTranslation* translation = find(launch.kernel);
  if (translation && translation->needs_ndrange_argument) {
    const NdrangeArgument place = place_of(launch.ndrange, box);
    const cl_uint last = static_cast<cl_uint>(launch.arguments.size());
    error = clSetKernelArg(objects.kernel, last, sizeof place, &place);
    if (error != CL_SUCCESS) return fail(code("clSetKernelArg", error));
  }
  const BoxLaunch work = launch_of(launch.ndrange, box);
  const size_t offset[] = {work.offset[0], work.offset[1], work.offset[2]};
  const size_t size[] = {work.size[0], work.size[1], work.size[2]};
  const size_t local[] = {launch.ndrange.local[0], launch.ndrange.local[1], launch.ndrange.local[2]};
  error = clEnqueueNDRangeKernel(device_->queue(), objects.kernel, launch.ndrange.dimensions, offset, size, local, 0,
                                 nullptr, nullptr);
  if (error != CL_SUCCESS) return fail(code("clEnqueueNDRangeKernel", error));
  Contents after = before;
  for (size_t i = 0; i < after.size(); ++i) {
    if (!objects.memory[i]) continue;
    const CaseArgument& argument = launch.arguments[i];
    const size_t origin[3] = {}, all[] = {argument.width, argument.height, 1};
    if (argument.kind == CaseArgument::Kind::image)
      error = clEnqueueReadImage(device_->queue(), objects.memory[i], CL_TRUE, origin, all, 0, 0, after[i].data(), 0,
                                 nullptr, nullptr);
    else
      error = clEnqueueReadBuffer(device_->queue(), objects.memory[i], CL_TRUE, 0, after[i].size(), after[i].data(), 0,
                                  nullptr, nullptr);
    if (error != CL_SUCCESS) return fail(code("clEnqueueReadBuffer or clEnqueueReadImage", error));
  }
  return after;
}

}  // namespace samcl::check
