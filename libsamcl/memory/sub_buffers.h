// The real sub-buffers on one memory object, by device, in the order in which they were made. One that nobody needs any
// more is given back only when no newer one that overlaps it is left: NVIDIA's driver (580.159) keeps lists of the
// parts which sub-buffers share, and dereferences null where the older of two goes first (in 30 % of random sequences;
// in this order in none of 6,700). Until then it serves again if the same range is asked for. Once none is needed, all
// have been given back.
//
// Threads: any.
#pragma once

#include <CL/cl.h>

#include <mutex>
#include <vector>

#include "base/range.h"

namespace samcl {

class SubBuffers {
 public:
  explicit SubBuffers(size_t devices) : on_(devices) {}
  SubBuffers(const SubBuffers&) = delete;
  SubBuffers& operator=(const SubBuffers&) = delete;

  // `range`: bytes of the memory object, of which `parent`, a buffer on `device`, shows those from `first` on. nullptr
  // and the driver's code if it can't be had.
  cl_mem make(unsigned device, cl_mem parent, uint64_t first, Range range, cl_int* error);
  // What make() has given.
  void release(unsigned device, cl_mem sub_buffer);

 private:
  struct Made {
    cl_mem real, parent;
    Range range;
    bool used;
  };
  std::mutex mutex_;
  std::vector<std::vector<Made>> on_;  // by device; the oldest first
};

}  // namespace samcl
