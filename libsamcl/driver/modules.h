// Which loaded library a piece of code belongs to. Under LD_PRELOAD a driver's or loader's calls of cl*
// functions arrive at ours; the caller's address tells them from the program's.
#pragma once

namespace samcl::driver {

// Whether an address lies in the library (or test program) that holds this function.
bool is_this_library(const void* address);

// The symbol of that name which the library around `address` itself defines; nullptr if it defines none.
void* own_symbol(const void* address, const char* name);

// Whether `address` lies in a library that exports clGetExtensionFunctionAddress itself: a driver or a loader,
// never a program. What such a library calls is its own function, not ours. Takes microseconds: asked anew each
// time, since the linker gives a library the place of one that was unloaded.
bool is_opencl_code(const void* address);

// Keeps the library around `address` in the process for good, whoever closes it.
void keep_loaded(const void* address);

// own_symbol() as a function, nullptr if the caller has none.
template <typename Function>
Function own_function(const void* address, const char* name) {
  return reinterpret_cast<Function>(own_symbol(address, name));
}

}  // namespace samcl::driver
