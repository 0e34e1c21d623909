#include "libsamcl/device/row_commands.h"

#include "libsamcl/device/host_transfer.h"
#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

// How the last command of several ends.
struct End {
  bool blocking;
  cl_event* event;
};

// Calls enqueue(one, other, end) for each pair, with the end for the last one, until one fails.
template <typename Enqueue>
cl_int for_each_pair(const RectanglePairs& pairs, End end, Enqueue enqueue) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    const cl_int error = enqueue(pairs[i].first, pairs[i].second, i + 1 == pairs.size() ? end : End{false, nullptr});
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

// The same for each piece. Drivers refuse rectangles that OpenCL allows (NVIDIA's 580 some that reach the end of a
// buffer): those go row by row.
template <typename Enqueue>
cl_int for_each_piece(const Rectangle& one, const Rectangle& other, End end, Enqueue enqueue) {
  return for_each_pair(pieces_for_driver(one, other), end, [&](const Rectangle& a, const Rectangle& b, End last) {
    const cl_int error = enqueue(a, b, last);
    if (error != CL_INVALID_VALUE || (a.is_run() && b.is_run())) return error;
    return for_each_pair(rows_of(a, b), last, enqueue);
  });
}

}  // namespace

cl_int enqueue_rows(cl_command_queue queue, Direction direction, cl_mem buffer, const Rectangle& rows, std::byte* host,
                    const Rectangle& host_rows, bool blocking, cl_event* event) {
  const auto& cl = driver::real();
  const bool up = direction == Direction::up;
  return for_each_piece(rows, host_rows, {blocking, event}, [&](const Rectangle& a, const Rectangle& b, End end) {
    if (a.is_run() && b.is_run()) {
      return up ? cl.clEnqueueWriteBuffer(queue, buffer, end.blocking, a.offset, a.bytes(), host + b.offset, 0, nullptr,
                                          end.event)
                : cl.clEnqueueReadBuffer(queue, buffer, end.blocking, a.offset, a.bytes(), host + b.offset, 0, nullptr,
                                         end.event);
    }
    const auto origin = a.origin(), host_origin = b.origin(), shape = a.shape();
    return up ? cl.clEnqueueWriteBufferRect(queue, buffer, end.blocking, origin.data(), host_origin.data(),
                                            shape.data(), a.row_pitch, a.driver_slice_pitch(), b.row_pitch,
                                            b.driver_slice_pitch(), host, 0, nullptr, end.event)
              : cl.clEnqueueReadBufferRect(queue, buffer, end.blocking, origin.data(), host_origin.data(), shape.data(),
                                           a.row_pitch, a.driver_slice_pitch(), b.row_pitch, b.driver_slice_pitch(),
                                           host, 0, nullptr, end.event);
  });
}

cl_int enqueue_rows(cl_command_queue queue, cl_mem from, cl_mem to, const Rectangle& source, const Rectangle& target,
                    cl_event* event) {
  const auto& cl = driver::real();
  return for_each_piece(source, target, {false, event}, [&](const Rectangle& a, const Rectangle& b, End end) {
    if (a.is_run() && b.is_run()) {
      return cl.clEnqueueCopyBuffer(queue, from, to, a.offset, b.offset, a.bytes(), 0, nullptr, end.event);
    }
    const auto origin = a.origin(), target_origin = b.origin(), shape = a.shape();
    return cl.clEnqueueCopyBufferRect(queue, from, to, origin.data(), target_origin.data(), shape.data(), a.row_pitch,
                                      a.driver_slice_pitch(), b.row_pitch, b.driver_slice_pitch(), 0, nullptr,
                                      end.event);
  });
}

}  // namespace samcl
