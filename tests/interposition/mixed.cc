// Linked to libOpenCL and opening it by name as well; objects made one way are used the other way.
// usage: mixed linked|opened (which way is used first)
#include <dlfcn.h>

#include <cstring>

#include "tests/interposition/guest.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Functions linked = linked_functions();
  void* library = dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  Functions opened;
  if (!library || !opened.load([&](const char* name) { return dlsym(library, name); })) return 1;
  const bool linked_first = !std::strcmp(argv[1], "linked");
  const Functions& first = linked_first ? linked : opened;
  const Functions& second = linked_first ? opened : linked;
  const std::vector<cl_device_id> devices = print_devices(first);
  print_devices(second);
  if (devices.empty()) return 1;
  run_kernel(first, second, devices[0]);
  run_kernel(second, first, devices[0]);
}
