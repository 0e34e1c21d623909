// Copies host memory with several threads, past the caches: one thread copies slower than a link transfers.
#pragma once

#include <cstddef>
#include <functional>

#include "base/rectangle.h"

namespace samcl {

// Runs `work`, which takes what there is to do piece by piece until nothing is left, in the calling thread and in up to
// `most` - 1 others, and returns when all of them are done. It must not throw. Several callers share the threads, which
// start with the first such work and end when there has been none for a while. Where threads cannot be had, the caller
// does all of it.
void work_in_parallel(unsigned most, const std::function<void()>& work);

// Copies past the caches, in the calling thread, between blocks or rows of equal shape that do not overlap; offsets are
// relative to the pointers.
void copy_streaming(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source);

// The same with several threads.
void copy_in_parallel(std::byte* to, const std::byte* from, size_t bytes);
void copy_in_parallel(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source);

// No thread of the pool waits for work any more; what comes is done by the caller. For the end of the process.
void end_copying_threads();

}  // namespace samcl
