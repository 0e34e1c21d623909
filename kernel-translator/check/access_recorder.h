// The plugin that has the simulator Oclgrind tell of every load and store of global memory. It lives in the process of
// the checker, which finds these functions in it (see recorder.h).
#pragma once

#include <cstddef>

extern "C" {

// Forgets what was seen. Buffers and images that the program creates from now on are numbered from 0.
void samcl_accesses_begin();

// Calls visit for every access since then, in their order.
using SamclAccessVisit = void (*)(void* user, size_t buffer, bool stores, size_t offset, size_t bytes);
void samcl_accesses_visit(SamclAccessVisit visit, void* user);
}
