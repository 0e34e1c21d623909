// A program that opens OpenCL by name, works with it, closes it and goes on: what is left in the process must
// not be missed by anybody. usage: library_closed [again]: opens it a second time and works again.
#include <CL/cl.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace {

template <typename Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// Fills a buffer and reads it back; false if anything fails.
bool work(void* library) {
  const auto platforms = symbol<decltype(clGetPlatformIDs)>(library, "clGetPlatformIDs");
  const auto devices = symbol<decltype(clGetDeviceIDs)>(library, "clGetDeviceIDs");
  const auto create_context = symbol<decltype(clCreateContext)>(library, "clCreateContext");
  const auto create_queue = symbol<decltype(clCreateCommandQueue)>(library, "clCreateCommandQueue");
  const auto create_buffer = symbol<decltype(clCreateBuffer)>(library, "clCreateBuffer");
  const auto fill = symbol<decltype(clEnqueueFillBuffer)>(library, "clEnqueueFillBuffer");
  const auto read = symbol<decltype(clEnqueueReadBuffer)>(library, "clEnqueueReadBuffer");
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (platforms(1, &platform, nullptr) || devices(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr)) return false;
  cl_int error = CL_SUCCESS;
  cl_context context = create_context(nullptr, 1, &device, nullptr, nullptr, &error);
  if (error) return false;
  cl_command_queue queue = create_queue(context, device, 0, &error);
  if (error) return false;
  cl_mem buffer = create_buffer(context, CL_MEM_READ_WRITE, 64, nullptr, &error);
  if (error) return false;
  const cl_uint pattern = 7;
  cl_uint values[16] = {};
  return !fill(queue, buffer, &pattern, sizeof pattern, 0, 64, 0, nullptr, nullptr) &&
         !read(queue, buffer, CL_TRUE, 0, 64, values, 0, nullptr, nullptr) && values[15] == pattern;
}

bool open_work_close() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  const bool done = work(library);
  dlclose(library);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  if (!open_work_close()) return 4;
  if (argc == 2 && !std::strcmp(argv[1], "again") && !open_work_close()) return 5;
  std::puts("closed");
  return 3;
}
