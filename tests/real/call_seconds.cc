// Preloaded before libsamcl, or alone: how long a program waits in the calls that build its kernels, as programs of a
// second are mostly the driver's compiler, and what its commands take but for those.
//
//   LD_PRELOAD=libcall_seconds.so CALL_SECONDS=bare.txt ./app
//
// The file has three numbers, in seconds: builds, the sum over all threads; commands, from the first one's call to the
// end of the last call that enqueues or waits, without the builds between; calls, those alone, the sum over all
// threads. It is missing where a program does nothing of that.
#include <CL/cl.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/real/behind.h"

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int64_t> builds_ns = 0, calls_ns = 0;
std::atomic<int64_t> first_ns = 0, last_ns = 0;                // since the clock's begin; 0: no command yet
std::atomic<int64_t> first_builds_ns = 0, last_builds_ns = 0;  // builds_ns at these times

void write() {
  const char* const path = std::getenv("CALL_SECONDS");
  std::FILE* const file = path ? std::fopen(path, "w") : nullptr;
  if (!file) return;
  const int64_t commands_ns = last_ns - first_ns - (last_builds_ns - first_builds_ns);
  std::fprintf(file, "%.6f %.6f %.6f\n", static_cast<double>(builds_ns) * 1e-9, static_cast<double>(commands_ns) * 1e-9,
               static_cast<double>(calls_ns) * 1e-9);
  std::fclose(file);
}

int64_t now_ns() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

// Adds the time from its making to its end to one of the sums.
class Timed {
 public:
  explicit Timed(std::atomic<int64_t>& sum) : sum_(sum) {
    static const int registered = std::atexit(write);
    static_cast<void>(registered);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { sum_ += now_ns() - begin_ns_; }

 protected:
  const int64_t begin_ns_ = now_ns();

 private:
  std::atomic<int64_t>& sum_;
};

struct Build : Timed {
  Build() : Timed(builds_ns) {}
};

// A call that enqueues or waits.
struct Command : Timed {
  Command() : Timed(calls_ns) {
    int64_t none = 0;
    if (first_ns.compare_exchange_strong(none, begin_ns_)) first_builds_ns = builds_ns.load();
  }
  ~Command() {
    last_ns = now_ns();
    last_builds_ns = builds_ns.load();
  }
};

}  // namespace

// A function of OpenCL that is timed and passed on.
#define TIMED(Kind, Result, name, parameters, arguments) \
  Result name parameters {                               \
    NEXT(name);                                          \
    const Kind timed;                                    \
    return behind arguments;                             \
  }
#define WAITS cl_uint waits, const cl_event *wait_list, cl_event *event

extern "C" {

TIMED(Build, cl_int, clBuildProgram,
      (cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
       void(CL_CALLBACK* told)(cl_program, void*), void* data),
      (program, count, devices, options, told, data))

TIMED(Build, cl_int, clCompileProgram,
      (cl_program program, cl_uint count, const cl_device_id* devices, const char* options, cl_uint headers,
       const cl_program* header_programs, const char** names, void(CL_CALLBACK* told)(cl_program, void*), void* data),
      (program, count, devices, options, headers, header_programs, names, told, data))

TIMED(Build, cl_program, clLinkProgram,
      (cl_context context, cl_uint count, const cl_device_id* devices, const char* options, cl_uint programs,
       const cl_program* inputs, void(CL_CALLBACK* told)(cl_program, void*), void* data, cl_int* error),
      (context, count, devices, options, programs, inputs, told, data, error))

TIMED(Command, cl_int, clEnqueueNDRangeKernel,
      (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset, const size_t* global,
       const size_t* local, WAITS),
      (queue, kernel, dimensions, offset, global, local, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueTask, (cl_command_queue queue, cl_kernel kernel, WAITS),
      (queue, kernel, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueReadBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void* to, WAITS),
      (queue, buffer, blocking, offset, size, to, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueWriteBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void* from, WAITS),
      (queue, buffer, blocking, offset, size, from, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueCopyBuffer,
      (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, WAITS),
      (queue, from, to, from_offset, to_offset, size, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueFillBuffer,
      (cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset, size_t size,
       WAITS),
      (queue, buffer, pattern, pattern_size, offset, size, waits, wait_list, event))

TIMED(Command, void*, clEnqueueMapBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size, WAITS,
       cl_int* error),
      (queue, buffer, blocking, flags, offset, size, waits, wait_list, event, error))

TIMED(Command, cl_int, clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem memory, void* mapped, WAITS),
      (queue, memory, mapped, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueReadImage,
      (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin, const size_t* region,
       size_t row_pitch, size_t slice_pitch, void* to, WAITS),
      (queue, image, blocking, origin, region, row_pitch, slice_pitch, to, waits, wait_list, event))

TIMED(Command, cl_int, clEnqueueWriteImage,
      (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin, const size_t* region,
       size_t row_pitch, size_t slice_pitch, const void* from, WAITS),
      (queue, image, blocking, origin, region, row_pitch, slice_pitch, from, waits, wait_list, event))

TIMED(Command, cl_int, clFinish, (cl_command_queue queue), (queue))

TIMED(Command, cl_int, clWaitForEvents, (cl_uint count, const cl_event* events), (count, events))

}  // extern "C"
