// Bytes between a memory object on a device and host memory, by the driver's commands.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/rectangle.h"
#include "libsamcl/coherence/image_layout.h"

namespace samcl {

// A buffer or an image on a device. The bytes of an image are those of its packed layout.
struct DeviceMemory {
  cl_mem real;
  const ImageLayout* image = nullptr;  // nullptr: a buffer
  bool is_1d_array = false;            // of images
  bool packs_host_rows = false;        // see driver::packs_host_rows()
};

enum class Direction : bool { up, down };

// Gives the driver what moves rows of equal shape; whole pixels of an image. blocking: returns when all is done, else
// without waiting. event: of the last command; nullptr if none is wanted.
cl_int enqueue_transfer(cl_command_queue queue, Direction direction, const DeviceMemory& memory, const Rectangle& rows,
                        std::byte* host, const Rectangle& host_rows, bool blocking, cl_event* event);

// Whether host memory is not the device's own, so that transfers gain by pinned chunks (transfer/pinned_ring.h); always
// with SAMCL_TRANSPORT=staged.
bool gains_by_pinned_chunks(cl_device_id device);
// How many bytes its driver uploads beside what comes behind them (driver::VendorFacts). For tests, too.
uint64_t uploads_beside(cl_device_id device);

}  // namespace samcl
