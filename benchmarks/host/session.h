// The OpenCL side of a program: one device of one platform, its context, and a profiling in-order queue.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "benchmarks/host/handle.h"

namespace bench {

struct Session {
  cl_device_id device = nullptr;
  std::string device_name;
  std::string platform_name;
  Context context;
  Queue queue;

  // Takes device `device_index` of platform `platform_index`, both as the OpenCL loader lists them.
  // Throws std::runtime_error if there are fewer.
  static Session open(unsigned platform_index, unsigned device_index);

  // Another queue of the same device, always with profiling.
  Queue make_queue(cl_command_queue_properties more = 0) const;

  Buffer make_buffer(cl_mem_flags flags, size_t bytes, void* host = nullptr) const;

  // Of RGBA pixels with 8 bits per channel, read and written by kernels as unsigned integers.
  Image make_image(cl_mem_flags flags, size_t width, size_t height) const;

  // What an offset in a buffer must be a multiple of for a sub-buffer to start there, bytes.
  size_t sub_buffer_alignment() const;

  // Compiles the source; what the compiler has to say about a failure is in the exception.
  Program build(std::string_view source, const std::string& options = "") const;

  mutable double build_ms = 0;  // what build() has taken so far
};

// Whether the device tells of that extension.
bool has_extension(cl_device_id device, const std::string& name);

// The bytes [offset, offset + bytes) of `parent`.
Buffer make_sub_buffer(const Buffer& parent, cl_mem_flags flags, size_t offset, size_t bytes);

Kernel make_kernel(const Program& program, const char* name);

}  // namespace bench
