// Preloaded before libsamcl, or alone: adds up how long a program waits in the calls that build its kernels, as
// programs of a second are mostly the driver's compiler.
//
//   LD_PRELOAD=libbuild_seconds.so BUILD_SECONDS=bare.txt ./app
//
// The file has the sum over all threads, in seconds; it is missing where a program builds nothing.
#include <CL/cl.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/real/behind.h"

namespace {

std::atomic<int64_t> waited_ns = 0;

void write() {
  const char* const path = std::getenv("BUILD_SECONDS");
  std::FILE* const file = path ? std::fopen(path, "w") : nullptr;
  if (!file) return;
  std::fprintf(file, "%.6f\n", static_cast<double>(waited_ns) * 1e-9);
  std::fclose(file);
}

// Adds the time from its making to its end.
class Waiting {
 public:
  Waiting() {
    static const int registered = std::atexit(write);
    static_cast<void>(registered);
  }
  ~Waiting() { waited_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

extern "C" {

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* told)(cl_program, void*), void* data) {
  NEXT(clBuildProgram);
  const Waiting waiting;
  return behind(program, count, devices, options, told, data);
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                        cl_uint headers, const cl_program* header_programs, const char** names,
                        void(CL_CALLBACK* told)(cl_program, void*), void* data) {
  NEXT(clCompileProgram);
  const Waiting waiting;
  return behind(program, count, devices, options, headers, header_programs, names, told, data);
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices, const char* options,
                         cl_uint programs, const cl_program* inputs, void(CL_CALLBACK* told)(cl_program, void*),
                         void* data, cl_int* error) {
  NEXT(clLinkProgram);
  const Waiting waiting;
  return behind(context, count, devices, options, programs, inputs, told, data, error);
}

}  // extern "C"
