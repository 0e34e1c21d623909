// Which uploads go to a device's compute queue, although they are long.
//
// Some drivers copy from the program's memory on a thread of their own (driver::VendorFacts): a write that nobody waits
// for returns at once, and what comes behind it is given meanwhile. Through pinned chunks the bytes are there earlier
// from some size on, but what needs them is given only then. And they pass beside kernels: so the compute queue gets
// those that have none to pass, at the beginning of a job, and no more bytes than the driver is quicker with.
//
// Guarded by the lock of the context's graph.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samcl {

class UploadsBeside {
 public:
  // most_bytes: 0, the driver does none so.
  explicit UploadsBeside(uint64_t most_bytes) : most_(most_bytes) {}

  // Whether one of so many bytes does. on_their_way: so many operations are, in the compute queue.
  bool take(uint64_t bytes, size_t on_their_way) {
    if (most_ == 0) return false;
    if (on_their_way == 0) count_ = bytes_ = 0;
    if (on_their_way > count_ || bytes > most_ - bytes_) return false;
    ++count_;
    bytes_ += bytes;
    return true;
  }

 private:
  const uint64_t most_;
  uint64_t count_ = 0, bytes_ = 0;  // that were taken since nothing was on its way
};

}  // namespace samcl
