// The real OpenCL beneath samcl: the platforms' drivers, reached through the loader (libOpenCL.so.1) that the
// program would have used without us. All of samcl calls OpenCL through real() and never by symbol name: the
// cl* symbols in this process are our own.
//
// There is one table, whichever way samcl came into the process:
//   - as an OpenCL layer: the loader hands us the table of what lies beneath us (set_layer_target);
//   - by its exported symbols (LD_PRELOAD): the first use of real() opens the loader. If that loader knows
//     layers it finds us in OPENCL_LAYERS and does the same; else its symbols fill the table.
// In both cases calls made through real() never come back to us.
//
// Nothing is loaded before the first use: libsamcl.so enters every child process of a program.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>

namespace samcl::driver {

namespace detail {
extern std::atomic<const cl_icd_dispatch*> real_table;
const cl_icd_dispatch& open();
}  // namespace detail

// The driver's functions. No slot is null: what a driver does not implement returns CL_INVALID_OPERATION.
// Without any OpenCL, clGetPlatformIDs returns CL_PLATFORM_NOT_FOUND_KHR and the user is warned once.
// Takes and returns real handles only. Thread-safe; after the first call it costs one load.
inline const cl_icd_dispatch& real() {
  const cl_icd_dispatch* table = detail::real_table.load(std::memory_order_acquire);
  return table ? *table : detail::open();
}

// Whether real() was used before: until then no program can hold a handle.
inline bool opened() { return detail::real_table.load(std::memory_order_relaxed) != nullptr; }

// The loader that initialises us as a layer tells what lies beneath: the first `entries` slots of `target`,
// which are copied. Later calls (a second loader in the same process) change nothing: functions find their
// way by their handles. Takes no lock; any thread.
void set_layer_target(const cl_icd_dispatch& target, cl_uint entries);

// True on a thread that is opening the loader right now: what arrives on it comes from the loader.
bool opening_on_this_thread();

}  // namespace samcl::driver
