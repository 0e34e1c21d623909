// The flags of memory objects: which go together, and what a part of one takes from the whole.
#pragma once

#include <CL/cl.h>

#include "libsamcl/objects/buffer.h"

namespace samcl::api {

constexpr cl_mem_flags kHostPointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags kHostAccess = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

inline bool at_most_one(cl_mem_flags flags) { return (flags & (flags - 1)) == 0; }

// Of a buffer.
inline bool valid(cl_mem_flags flags) {
  if (flags & ~(kKernelAccess | kHostPointer | kHostAccess)) return false;
  if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))) return false;
  return at_most_one(flags & kKernelAccess) && at_most_one(flags & kHostAccess);
}

// Whether a sub-buffer may have these flags: it may only take rights away.
inline bool narrows(cl_mem_flags flags, cl_mem_flags parent) {
  if (!valid(flags) || (flags & kHostPointer)) return false;
  if ((parent & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) return false;
  if ((parent & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) return false;
  if ((parent & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY)) return false;
  if ((parent & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY)) return false;
  return !((parent & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)));
}

inline cl_mem_flags inherit(cl_mem_flags flags, cl_mem_flags parent) {
  if (!(flags & kKernelAccess)) flags |= parent & kKernelAccess;
  if (!(flags & kHostAccess)) flags |= parent & kHostAccess;
  return flags | (parent & kHostPointer);
}

}  // namespace samcl::api
