#include "libsamcl/device/host_transfer.h"

#include <array>
#include <vector>

#include "libsamcl/device/row_commands.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// A rectangle of an image as image commands want it. Layers of 1D arrays have no gaps in the program's memory. NVIDIA's
// driver 580 takes a slice pitch only if it is a multiple of the row pitch, given or not.
struct Pixels {
  Pixels(const DeviceMemory& memory, const Rectangle& rows, const Rectangle& host)
      : origin{rows.offset % rows.row_pitch / memory.image->pixel, rows.offset % rows.slice_pitch / rows.row_pitch,
               rows.offset / rows.slice_pitch},
        region(rows.shape()),
        row_pitch((region[1] > 1 || region[2] > 1) && !memory.is_1d_array ? host.row_pitch : 0),
        slice_pitch(region[2] > 1 ? host.slice_pitch : 0) {
    region[0] /= memory.image->pixel;
  }
  std::array<size_t, 3> origin, region;
  size_t row_pitch, slice_pitch;  // of the program's memory
};

cl_int enqueue_pixels(cl_command_queue queue, Direction direction, cl_mem image, const size_t* origin,
                      const size_t* region, size_t row_pitch, size_t slice_pitch, std::byte* host, bool blocking,
                      cl_event* event) {
  const auto& cl = driver::real();
  return direction == Direction::up ? cl.clEnqueueWriteImage(queue, image, blocking, origin, region, row_pitch,
                                                             slice_pitch, host, 0, nullptr, event)
                                    : cl.clEnqueueReadImage(queue, image, blocking, origin, region, row_pitch,
                                                            slice_pitch, host, 0, nullptr, event);
}

}  // namespace

cl_int enqueue_transfer(cl_command_queue queue, Direction direction, const DeviceMemory& memory, const Rectangle& rows,
                        std::byte* host, const Rectangle& host_rows, bool blocking, cl_event* event) {
  if (memory.packs_host_rows && !host_rows.is_run()) {
    const RectanglePairs single = rows_of(rows, host_rows);
    for (size_t i = 0; i < single.size(); ++i) {
      const bool is_last = i + 1 == single.size();
      const cl_int error = enqueue_transfer(queue, direction, memory, single[i].first, host, single[i].second,
                                            blocking && is_last, is_last ? event : nullptr);
      if (error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }
  if (!memory.image) return enqueue_rows(queue, direction, memory.real, rows, host, host_rows, blocking, event);
  if (!rows.is_run() || !host_rows.is_run()) {
    const Pixels pixels(memory, rows, host_rows);
    return enqueue_pixels(queue, direction, memory.real, pixels.origin.data(), pixels.region.data(), pixels.row_pitch,
                          pixels.slice_pitch, host + host_rows.offset, blocking, event);
  }
  const Range range{rows.offset, rows.offset + rows.bytes()};
  const std::vector<ImageBlock> blocks = blocks_of(*memory.image, range);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const ImageBlock& block = blocks[i];
    const bool is_last = i + 1 == blocks.size();
    const cl_int error = enqueue_pixels(queue, direction, memory.real, block.origin.data(), block.region.data(), 0, 0,
                                        host + host_rows.offset + (block.range.begin - range.begin),
                                        blocking && is_last, is_last ? event : nullptr);
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

bool gains_by_pinned_chunks(cl_device_id device) {
  if (Config::get().transport == Config::Transport::staged) return true;
  return driver::is_gpu(device) && !driver::value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE);
}

uint64_t uploads_beside(cl_device_id device) {
  constexpr uint64_t kForTests = 8 << 20;
  if (Config::get().transport == Config::Transport::staged) return kForTests;
  return driver::vendor_facts(device).uploads_beside;
}

}  // namespace samcl
