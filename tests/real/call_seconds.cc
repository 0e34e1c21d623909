// Preloaded before libsamcl, or alone: how long a program waits in the calls that build its kernels, as programs of a
// second are mostly the driver's compiler, and what its commands take but for those.
//
//   LD_PRELOAD=libcall_seconds.so CALL_SECONDS=bare.txt ./app
//
// The file's first line has two numbers, in seconds: builds, the sum over all threads; commands, from the first one's
// call to the end of the last call that enqueues or waits, without the builds between. A line for each function that
// was called follows: its name, build, command or other, how often, the sum over all threads in seconds, and the
// longest. The file is missing where a program does nothing of that.
#include <CL/cl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "tests/real/behind.h"

namespace {

enum class Kind { build, command, other };

std::atomic<int64_t> builds_ns = 0;
std::atomic<int64_t> first_ns = 0, last_ns = 0;                // since the clock's begin; 0: no command yet
std::atomic<int64_t> first_builds_ns = 0, last_builds_ns = 0;  // builds_ns at these times

// What is known of a function's calls. All that were called are in a list, and live for ever.
struct Function {
  Function(const char* its_name, Kind its_kind);
  const char* const name;
  const Kind kind;
  std::atomic<int64_t> calls = 0, ns = 0, longest_ns = 0;
  Function* before = nullptr;
};
std::atomic<Function*> last_function = nullptr;

double seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

void write() {
  const char* const path = std::getenv("CALL_SECONDS");
  std::FILE* const file = path ? std::fopen(path, "w") : nullptr;
  if (!file) return;
  const int64_t commands_ns = last_ns - first_ns - (last_builds_ns - first_builds_ns);
  std::fprintf(file, "%.6f %.6f\n", seconds(builds_ns), seconds(commands_ns));
  for (const Function* each = last_function; each; each = each->before) {
    const char* const kind = each->kind == Kind::build ? "build" : each->kind == Kind::command ? "command" : "other";
    std::fprintf(file, "%s %s %lld %.6f %.6f\n", each->name, kind, static_cast<long long>(each->calls.load()),
                 seconds(each->ns), seconds(each->longest_ns));
  }
  std::fclose(file);
}

Function::Function(const char* its_name, Kind its_kind) : name(its_name), kind(its_kind), before(last_function) {
  static const int registered = std::atexit(write);
  static_cast<void>(registered);
  while (!last_function.compare_exchange_weak(before, this)) {
  }
}

int64_t present_ns() { return static_cast<int64_t>(samcl::now_ns()); }

// A call, from its making to its end.
class Call {
 public:
  explicit Call(Function& function) : function_(function) {
    int64_t none = 0;
    if (function.kind == Kind::command && first_ns.compare_exchange_strong(none, begin_ns_))
      first_builds_ns = builds_ns.load();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    const int64_t end_ns = present_ns(), took_ns = end_ns - begin_ns_;
    ++function_.calls;
    function_.ns += took_ns;
    int64_t longest = function_.longest_ns;
    while (took_ns > longest && !function_.longest_ns.compare_exchange_weak(longest, took_ns)) {
    }
    if (function_.kind == Kind::build) builds_ns += took_ns;
    if (function_.kind != Kind::command) return;
    last_ns = end_ns;
    last_builds_ns = builds_ns.load();
  }

 private:
  Function& function_;
  const int64_t begin_ns_ = present_ns();
};

}  // namespace

// A function of OpenCL that is timed and passed on.
#define TIMED(kind, Result, name, parameters, arguments)          \
  Result name parameters {                                        \
    NEXT(name);                                                   \
    static Function& function = *new Function(#name, Kind::kind); \
    const Call call(function);                                    \
    return behind arguments;                                      \
  }
#define WAITS cl_uint waits, const cl_event *wait_list, cl_event *event

extern "C" {

TIMED(build, cl_int, clBuildProgram,
      (cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
       void(CL_CALLBACK* told)(cl_program, void*), void* data),
      (program, count, devices, options, told, data))

TIMED(build, cl_int, clCompileProgram,
      (cl_program program, cl_uint count, const cl_device_id* devices, const char* options, cl_uint headers,
       const cl_program* header_programs, const char** names, void(CL_CALLBACK* told)(cl_program, void*), void* data),
      (program, count, devices, options, headers, header_programs, names, told, data))

TIMED(build, cl_program, clLinkProgram,
      (cl_context context, cl_uint count, const cl_device_id* devices, const char* options, cl_uint programs,
       const cl_program* inputs, void(CL_CALLBACK* told)(cl_program, void*), void* data, cl_int* error),
      (context, count, devices, options, programs, inputs, told, data, error))

TIMED(command, cl_int, clEnqueueNDRangeKernel,
      (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset, const size_t* global,
       const size_t* local, WAITS),
      (queue, kernel, dimensions, offset, global, local, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueTask, (cl_command_queue queue, cl_kernel kernel, WAITS),
      (queue, kernel, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueReadBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void* to, WAITS),
      (queue, buffer, blocking, offset, size, to, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueWriteBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void* from, WAITS),
      (queue, buffer, blocking, offset, size, from, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueCopyBuffer,
      (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, WAITS),
      (queue, from, to, from_offset, to_offset, size, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueFillBuffer,
      (cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset, size_t size,
       WAITS),
      (queue, buffer, pattern, pattern_size, offset, size, waits, wait_list, event))

TIMED(command, void*, clEnqueueMapBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size, WAITS,
       cl_int* error),
      (queue, buffer, blocking, flags, offset, size, waits, wait_list, event, error))

TIMED(command, cl_int, clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem memory, void* mapped, WAITS),
      (queue, memory, mapped, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueReadImage,
      (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin, const size_t* region,
       size_t row_pitch, size_t slice_pitch, void* to, WAITS),
      (queue, image, blocking, origin, region, row_pitch, slice_pitch, to, waits, wait_list, event))

TIMED(command, cl_int, clEnqueueWriteImage,
      (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin, const size_t* region,
       size_t row_pitch, size_t slice_pitch, const void* from, WAITS),
      (queue, image, blocking, origin, region, row_pitch, slice_pitch, from, waits, wait_list, event))

TIMED(command, cl_int, clFinish, (cl_command_queue queue), (queue))

TIMED(command, cl_int, clWaitForEvents, (cl_uint count, const cl_event* events), (count, events))

TIMED(other, cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* error),
      (context, flags, size, host, error))

TIMED(other, cl_int, clReleaseMemObject, (cl_mem memory), (memory))

TIMED(other, cl_int, clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void* value),
      (kernel, index, size, value))

TIMED(other, cl_int, clGetEventProfilingInfo,
      (cl_event event, cl_profiling_info what, size_t size, void* value, size_t* needed),
      (event, what, size, value, needed))

TIMED(other, cl_int, clReleaseEvent, (cl_event event), (event))

}  // extern "C"
