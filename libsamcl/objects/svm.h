// Shared virtual memory: which memory the program has from clSVMAlloc.
//
// An allocation is one of the first device's real context, so that the addresses that the program sees, and stores in
// it, are those of its kernels. It is the memory of a storage like a buffer's, that other devices have replicas of:
// what only follows a pointer that is an argument may run on them, what finds addresses in memory may not. Here it is
// known by a Buffer on all of it, whose host_ptr is its address and which the program has no handle of.
//
// Threads: any.
#pragma once

#include <memory>
#include <vector>

#include "libsamcl/objects/buffer.h"

namespace samcl::svm {

// Memory that clSVMAlloc gave in the first device's real context, ours from now on: found until it is forgotten.
void note(const std::shared_ptr<Context>& context, void* memory, size_t bytes, cl_svm_mem_flags flags);
// The allocation that begins there, which is not found any more; nullptr: none does.
std::shared_ptr<Buffer> forget(const Context& context, const void* begin);

// The allocation that an address lies in; nullptr: none.
std::shared_ptr<Buffer> at(const Context& context, const void* address);

std::vector<std::shared_ptr<Buffer>> all(const Context& context);

}  // namespace samcl::svm
