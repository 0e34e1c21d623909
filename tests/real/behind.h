// For libraries that are preloaded before libsamcl, or alone, and pass on each call that they look at.
#pragma once
#include <dlfcn.h>

// Where the program has opened OpenCL for itself alone, as Python's modules do, nobody is next in the search order.
template <typename Function>
Function* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) {
    static void* const opened = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (opened) found = dlsym(opened, name);
  }
  return reinterpret_cast<Function*>(found);
}
// The function of that name of whoever stands behind us.
#define NEXT(name) static auto* const behind = next<decltype(name)>(#name)
