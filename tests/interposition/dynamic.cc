// Opens OpenCL at run time. usage: dynamic LIBRARY dlsym|dlvsym
#include <dlfcn.h>

#include <cstring>

#include "tests/interposition/guest.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::puts(dlerror());
    return 1;
  }
  const bool versioned = !std::strcmp(argv[2], "dlvsym");
  Functions cl;
  if (!cl.load(
          [&](const char* name) { return versioned ? dlvsym(library, name, "OPENCL_1.0") : dlsym(library, name); }))
    return 1;
  const std::vector<cl_device_id> devices = print_devices(cl);
  if (!devices.empty()) run_kernel(cl, cl, devices[0]);
}
