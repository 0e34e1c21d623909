// Checks that the functions on buffers share. All give the standard's error code, or CL_SUCCESS.
#pragma once

#include <CL/cl.h>

#include "base/rectangle.h"
#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/queue.h"

namespace samcl::api {

// A live memory object of ours (object may be null) in the queue's context.
inline cl_int check_object(const Queue& queue, const Buffer* object) {
  if (!object) return CL_INVALID_MEM_OBJECT;
  return object->context == queue.context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}
// The same, and no image.
inline cl_int check_buffer(const Queue& queue, const Buffer* buffer) {
  return buffer && buffer->image ? CL_INVALID_MEM_OBJECT : check_object(queue, buffer);
}

inline bool in_bounds(const Buffer& buffer, size_t offset, size_t bytes) {
  return offset <= buffer.size() && bytes <= buffer.size() - offset;
}

// Of a pattern to fill with.
inline bool is_pattern_size(size_t size) { return size > 0 && size <= 128 && (size & (size - 1)) == 0; }

// What the host may not do with a buffer of these flags.
inline bool host_may_read(const Buffer& buffer) {
  return !(buffer.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS));
}
inline bool host_may_write(const Buffer& buffer) {
  return !(buffer.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS));
}

inline bool is_migration(cl_mem_migration_flags flags) {
  return !(flags & ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED});
}

// Whether the driver takes such flags, where the standard does not; of flags that exclude each other those remain that
// keep what is in the region.
cl_int check_map_flags(const Context& context, cl_map_flags& flags);

inline bool host_may_map(const Buffer& buffer, cl_map_flags flags) {
  if ((flags & CL_MAP_READ) && !host_may_read(buffer)) return false;
  return !(flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) || host_may_write(buffer);
}

// Whether these describe a rectangle (no null pointers, no empty region, fitting pitches, 0 being a default)
// within `size` bytes.
bool is_rectangle(const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch, uint64_t size);

// Whether two rectangles of the same memory share a byte. Offsets count from the same begin. Where the
// pitches differ, which the standard rules out for one buffer, it may say yes wrongly.
bool overlap(const Rectangle& a, const Rectangle& b);

}  // namespace samcl::api
