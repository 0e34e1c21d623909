// Which memory the program has from clSVMAlloc.
#pragma once

#include <cstddef>

namespace samcl {

void note_shared(const void* begin, size_t bytes);
void forget_shared(const void* begin);

// Whether a pointer leads into such memory. nullptr does not.
bool is_shared(const void* pointer);

}  // namespace samcl
