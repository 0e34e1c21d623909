// A small program, again and again, with malloc failing at the first, second, ... call that libsamcl.so makes in it.
// Each time it must end with the right bytes or with an OpenCL error, and work when it is run again in the same
// process. usage: out_of_memory EVERY, with failing_malloc.so and libsamcl.so preloaded; EVERY: 1 for all calls, 2 for
// each second one, ...
#include <CL/cl.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

namespace {

constexpr char kSource[] = "__kernel void k(__global int* x, int by) { x[get_global_id(0)] += by; }";
constexpr size_t kItems = 256;

struct Objects {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem buffer = nullptr;
  cl_event event = nullptr;
  ~Objects() {
    if (event) clReleaseEvent(event);
    if (buffer) clReleaseMemObject(buffer);
    if (kernel) clReleaseKernel(kernel);
    if (program) clReleaseProgram(program);
    if (queue) clReleaseCommandQueue(queue);
    if (context) clReleaseContext(context);
  }
};

// CL_SUCCESS if the bytes are right; 1 if they are not.
cl_int run() {
  std::vector<cl_int> values(kItems);
  std::iota(values.begin(), values.end(), 0);
  Objects o;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int error = clGetPlatformIDs(1, &platform, nullptr);
  if (error == CL_SUCCESS) error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  if (error == CL_SUCCESS) o.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  if (error == CL_SUCCESS) o.queue = clCreateCommandQueue(o.context, device, 0, &error);
  const char* source = kSource;
  if (error == CL_SUCCESS) o.program = clCreateProgramWithSource(o.context, 1, &source, nullptr, &error);
  if (error == CL_SUCCESS) error = clBuildProgram(o.program, 0, nullptr, "", nullptr, nullptr);
  if (error == CL_SUCCESS) o.kernel = clCreateKernel(o.program, "k", &error);
  const size_t bytes = kItems * sizeof(cl_int), local = 16;
  if (error == CL_SUCCESS) o.buffer = clCreateBuffer(o.context, CL_MEM_COPY_HOST_PTR, bytes, values.data(), &error);
  if (error == CL_SUCCESS) error = clSetKernelArg(o.kernel, 0, sizeof o.buffer, &o.buffer);
  const cl_int by = 1000;
  if (error == CL_SUCCESS) error = clSetKernelArg(o.kernel, 1, sizeof by, &by);
  for (int i = 0; i < 2 && error == CL_SUCCESS; ++i) {
    cl_event before = o.event;
    error = clEnqueueNDRangeKernel(o.queue, o.kernel, 1, nullptr, &kItems, &local, before ? 1 : 0,
                                   before ? &before : nullptr, &o.event);
    if (error != CL_SUCCESS) o.event = nullptr;
    if (before) clReleaseEvent(before);
  }
  if (error == CL_SUCCESS) error = clWaitForEvents(1, &o.event);
  void* mapped = nullptr;
  if (error == CL_SUCCESS)
    mapped = clEnqueueMapBuffer(o.queue, o.buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, nullptr, nullptr, &error);
  if (mapped) clEnqueueUnmapMemObject(o.queue, o.buffer, mapped, 0, nullptr, nullptr);
  if (error == CL_SUCCESS)
    error = clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr);
  if (o.queue) {
    const cl_int finished = clFinish(o.queue);
    if (error == CL_SUCCESS) error = finished;
  }
  for (size_t i = 0; i < kItems && error == CL_SUCCESS; ++i) {
    if (values[i] != static_cast<cl_int>(i) + 2000) return 1;
  }
  return error;
}

// In a process of its own: how it ended.
enum class End { right, refused, not_reached, wrong };

End end_of(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return End::wrong;
  return WEXITSTATUS(status) > static_cast<int>(End::wrong) ? End::wrong : static_cast<End>(WEXITSTATUS(status));
}

}  // namespace

int main(int argc, char** argv) {
  const auto fail = reinterpret_cast<long (*)(const void*, long)>(dlsym(RTLD_DEFAULT, "fail_malloc_of"));
  const void* inside = dlsym(RTLD_DEFAULT, "samcl_mark_job_begin");
  if (argc != 2 || !fail || !inside) return 2;
  const long every = std::atol(argv[1]);
  long times = 0, refused = 0, wrong = 0;
  if (end_of([] { return static_cast<int>(run() == CL_SUCCESS ? End::right : End::wrong); }) != End::right) return 4;
  for (long n = 1;; n += every) {
    const End end = end_of([&] {
      alarm(30);
      fail(inside, n);
      const cl_int result = run();
      const bool came = fail(nullptr, 0) <= 0;
      if (result > 0 || (result != CL_SUCCESS && !came)) return static_cast<int>(End::wrong);
      // What comes after works again.
      if (run() != CL_SUCCESS) return static_cast<int>(End::wrong);
      return static_cast<int>(!came ? End::not_reached : result == CL_SUCCESS ? End::right : End::refused);
    });
    if (end == End::not_reached) break;
    ++times;
    refused += end == End::refused;
    wrong += end == End::wrong;
    if (end == End::wrong) std::printf("wrong where call %ld fails\n", n);
    std::fflush(stdout);
  }
  std::printf("%ld times, %ld of them ended with an error, %ld wrongly\n", times, refused, wrong);
  return wrong || times < 100 / every;
}
