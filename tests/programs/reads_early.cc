// An OpenCL layer under which the driver reads the program's memory in the call that gives it a write, whatever is to
// run before: what NVIDIA's does with up to 64 KiB. Who counts on a wait on the device before it writes what was there.

#include <cstring>
#include <memory>

#include "base/rectangle.h"
#include "tests/programs/opencl_layer.h"

namespace {

constexpr size_t kLongest = 64 << 10;

// What is read: `bytes` from `at` on; nullptr where the driver is to read it when it comes to that.
class Early {
 public:
  Early(const void* at, size_t bytes) {
    if (!at || bytes == 0 || bytes > kLongest) return;
    bytes_ = std::make_unique<char[]>(bytes);
    std::memcpy(bytes_.get(), at, bytes);
  }
  const void* bytes() const { return bytes_.get(); }
  // Gives it to the driver, and keeps it until the write has ended.
  template <typename Write>
  cl_int give(const Write& write, cl_event* event) {
    cl_event own = nullptr;
    cl_event* const ends = event ? event : &own;
    const cl_int error = write(ends);
    if (error != CL_SUCCESS) return error;
    const auto release = [](cl_event, cl_int, void* kept) { delete[] static_cast<char*>(kept); };
    if (beneath->clSetEventCallback(*ends, CL_COMPLETE, release, bytes_.get()) == CL_SUCCESS)
      static_cast<void>(bytes_.release());
    else
      beneath->clWaitForEvents(1, ends);
    if (own) beneath->clReleaseEvent(own);
    return CL_SUCCESS;
  }

 private:
  std::unique_ptr<char[]> bytes_;
};

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                const void* from, cl_uint count, const cl_event* waits, cl_event* event) {
  Early early(from, bytes);
  if (!early.bytes())
    return beneath->clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, count, waits, event);
  return early.give(
      [&](cl_event* ends) {
        return beneath->clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, early.bytes(), count, waits, ends);
      },
      event);
}

cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
                              const size_t* host_origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
                              size_t host_row_pitch, size_t host_slice_pitch, const void* from, cl_uint count,
                              const cl_event* waits, cl_event* event) {
  const auto write = [&](const void* host, const size_t* host_begin, cl_event* ends) {
    return beneath->clEnqueueWriteBufferRect(queue, buffer, blocking, origin, host_begin, region, row_pitch,
                                             slice_pitch, host_row_pitch, host_slice_pitch, host, count, waits, ends);
  };
  if (!from || !host_origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0)
    return write(from, host_origin, event);
  const samcl::Range read = samcl::Rectangle::of(host_origin, region, host_row_pitch, host_slice_pitch).bounds();
  Early early(static_cast<const char*>(from) + read.begin, read.size());
  if (!early.bytes()) return write(from, host_origin, event);
  const size_t begin[3] = {0, 0, 0};
  return early.give([&](cl_event* ends) { return write(early.bytes(), begin, ends); }, event);
}

}  // namespace

void replace(cl_icd_dispatch& table) {
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueWriteBufferRect = write_rect;
}
