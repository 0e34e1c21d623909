// Copies host memory with several threads, past the caches: one thread copies slower than a link transfers.
#pragma once

#include <cstddef>

#include "base/rectangle.h"

namespace samcl {

// Copies between blocks that do not overlap; returns when it is done. Several callers share the threads, which start
// with the first long copy and end when there has been none for a while. Where threads cannot be had, the caller
// copies.
void copy_in_parallel(std::byte* to, const std::byte* from, size_t bytes);
// Rows of equal shape; offsets are relative to the pointers.
void copy_in_parallel(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source);

// No thread of the pool waits for copies any more; what comes is done by the caller. For the end of the process.
void end_copying_threads();

}  // namespace samcl
